"""A classifier by sizes is above the ceiling of capped exponents, and of no others."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.hidden_powers import hidden_powers, size_reader
from pconv.window import successor_window
from tests.studies.analyses.fake_runs import ideal


def test_the_reader_of_sizes_is_above_the_ceiling_of_capped_exponents_alone() -> None:
    capped = size_reader(
        RunConfig(modulus=4, offsets=successor_window(4), limit=200_000, representation="capped")
    )
    assert capped.accuracy > capped.ceiling + 0.03
    plain = size_reader(RunConfig(modulus=11, limit=200_000))
    assert plain.accuracy < plain.ceiling + 0.005
    runs = [ideal(modulus=m, limit=200_000, representation="capped") for m in (4, 5)]
    answer = hidden_powers(runs)
    assert [row[0] for row in answer.rows] == ["m=4, B=8, k=7, capped, limit 200,000"]
    assert answer.sentence.startswith("Not wholly. n is bounded")


def test_the_words_follow_the_figures() -> None:
    """Modulo 11 no power of the modulus is hidden, so that sizes tell nothing."""
    nothing = ideal(modulus=11, limit=200_000, representation="capped")
    answer = hidden_powers([nothing])
    assert answer.sentence.startswith("As far as this shows, yes.")
    assert "can be exceeded" not in answer.sentence
    network, reader, ceiling = map(float, answer.rows[0][1:4])
    assert reader < ceiling
    assert answer.sentence.endswith(
        f"{100 * (network - ceiling):+.1f} to {100 * (network - ceiling):+.1f} points from that ceiling."
    )
    both = hidden_powers([nothing, ideal(modulus=4, limit=200_000, representation="capped")])
    assert both.sentence.startswith("Not wholly in 1 of 2 runs.")


def test_other_tasks_are_left_out_and_other_networks_take_windows_of_one_row() -> None:
    merged = ideal(modulus=11, limit=200_000, representation="capped", task="quadratic")
    assert hidden_powers([merged]).sentence == NOT_RUN
    one_row = ideal(modulus=4, offsets=(0,), limit=200_000, representation="capped", architecture="mlp")
    assert [row[0] for row in hidden_powers([merged, one_row]).rows] == [one_row.config.label()]
