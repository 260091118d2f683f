"""Each question on runs made up to answer it yes, and no, and not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pconv.config import RunConfig, successors
from pconv.result import Epoch, Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN, answers
from pconv.studies.analyses.accuracy import kernels, seeds
from pconv.studies.analyses.beyond import above_the_ceiling
from pconv.studies.analyses.columns import columns, mean_difference
from pconv.studies.analyses.cost import fastest_kernel, time_over_epochs, time_over_moduli
from pconv.studies.analyses.hidden_powers import hidden_powers, size_reader
from pconv.studies.analyses.plateaus import binary_digits, lowest_printed_cell, plateau
from pconv.studies.analyses.theory_tests import boundary, crucial, extrapolation, window, window_likelihood
from pconv.studies.catalog import study
from pconv.studies.disagreement import side
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import censused, ideal, judged, knowing


def test_nothing_is_said_without_runs() -> None:
    assert {answer.sentence for _, answer in answers([])} == {NOT_RUN}


def test_columns_that_matter_are_found_over_cells_and_not_in_one() -> None:
    """One seed a cell: over many cells a difference shows, in a single one nothing can be said."""
    few = [ideal(modulus=m) for m in (2, 3, 4, 5, 6, 7)]
    worse = [knowing(0.95 - 0.002 * m, modulus=m, primes=5_000) for m in (2, 3, 4, 5, 6, 7)]
    said = columns([*few, *worse])
    assert said.sentence.startswith("6 cells with runs of several N, 6 with several verdicts.")
    assert "Over 6 cells that are solved N=5,000 minus N=32 is -5.9" in said.sentence
    assert "lower in 6 (sign test p = 0.03)" in said.sentence
    assert "6 cells have one seed at one of the two: of these nothing can be said" in said.sentence
    same = columns([*few, *(ideal(modulus=m, primes=5_000) for m in (2, 3, 4, 5, 6, 7))])
    assert "is +0.00 points of accuracy (99% interval +0.00 to +0.00" in same.sentence
    assert columns(few).sentence == NOT_RUN


def test_columns_are_paired_by_seed_where_there_are_several() -> None:
    cells = [knowing(0.99 - 0.001 * seed, modulus=7, seed=seed) for seed in range(4)]
    lower = [knowing(0.95 - 0.001 * seed, modulus=7, seed=seed, primes=5_000) for seed in range(4)]
    said = columns([*cells, *lower])
    assert "In 1 cell with several seeds at both N, paired by seed" in said.sentence
    assert "is more than the seeds' in 1" in said.sentence
    assert mean_difference([0.1]) is None
    assert said.rows == () or said.rows[0][0] == "m=7, B=8, k=7"


def test_seeds_that_matter_are_found_and_a_cell_gets_one_status() -> None:
    same = [ideal(modulus=11, seed=seed) for seed in range(3)]
    other = [knowing(0.95, modulus=7), knowing(0.97, modulus=7, seed=1)]
    said = seeds([*same, *other])
    assert "up to 3; 0 with a census of every seed" in said.sentence
    assert "(chi-square over seeds, Holm over cells, 1%) in 1." in said.sentence
    assert said.rows[1][:3] == ("m=7, B=8, k=7", "2", "0.9499 to 0.9699")
    confirmed = [censused(RunConfig(modulus=11, seed=seed)) for seed in range(2)]
    said = seeds(confirmed)
    assert said.rows[0][-2:] == ("2 confirmed", "confirmed")
    assert "1 with a census of every seed" in said.sentence


def test_kernels_and_the_lowest_printed_cell() -> None:
    cell = {"modulus": 17, "offsets": successors(16)}
    runs = [ideal(**cell, kernel=(3,)), knowing(0.5, **cell, kernel=(5,)), ideal(**cell, kernel=(3,), seed=1)]
    said = kernels(runs)
    assert "2 of 3 runs of the kernel study" in said.sentence
    assert "short of it: m=17, B=16, k=5." in said.sentence
    said = lowest_printed_cell(runs)
    assert said.sentence.startswith("2 runs: best of 512 from 1.000 to 1.000; 0 of them agree")
    assert len(said.rows) == 2


def on_plateau(losses: list[float], **fields: Any) -> JudgedRun:
    made = result(RunConfig(**fields))
    epochs = tuple(Epoch(i, loss, 0.07, 1.0) for i, loss in enumerate(losses, start=1))
    return judged(replace(made, epochs=epochs, best_epoch=1))


def test_plateaus_are_counted_from_the_start() -> None:
    cell: dict[str, Any] = {"modulus": 17, "offsets": successors(16), "kernel": (3,)}
    escaped = on_plateau([2.86, 2.83, 2.81, 1.2, 2.83], **cell)
    stuck = on_plateau([2.83] * 5, **cell, seed=1)
    assert (plateau(escaped), plateau(stuck)) == (3, 5)
    said = lowest_printed_cell([escaped, stuck])
    assert (
        "for up to 5 epochs (m=17, B=16, k=3, seed 1), where the best of 512 is 0.070 to 0.070"
        in said.sentence
    )
    assert said.sentence.endswith("1 of ours did.")


def test_binary_digits_that_stayed_on_the_plateau_prove_nothing() -> None:
    learned = on_plateau([1.2, 1.1, 0.2], modulus=6, representation="binary", architecture="mlp")
    stuck = on_plateau([1.1, 1.1, 1.1], modulus=3, representation="binary", architecture="mlp")
    power = on_plateau([1.1, 0.0, 0.0], modulus=4, representation="binary")
    guess = knowing(1 / 3, modulus=3)
    stuck = JudgedRun(replace(stuck.result, test=guess.result.test))
    said = binary_digits([learned, stuck, power])
    assert said.sentence.startswith("3 runs, 1 of them modulo a power of two. Of the other 2, 1 are right")
    assert "m=6, B=8, mlp, binary after epoch 2" in said.sentence
    assert "1 were still on that plateau" in said.sentence
    assert binary_digits([power]).sentence == NOT_RUN


def test_a_run_that_knows_more_is_seen_among_those_that_could() -> None:
    at_it = [ideal(modulus=11, seed=seed) for seed in range(5)]
    solved = [ideal(modulus=7, seed=seed) for seed in range(3)]
    said = above_the_ceiling([*at_it, *solved])
    assert said.sentence.startswith("8 runs: 0 without a verdict, 3 in which every class")
    assert "and 5 with a mixed group that could show it" in said.sentence
    assert "After correction for their number 0 of 0 remain." in said.sentence
    assert "In 0 the answers depend on the class with fewer" in said.headline
    assert said.rows == ()
    other = knowing(1.0, modulus=9, representation="capped")
    said = above_the_ceiling([*at_it, *solved, knowing(1.0, modulus=11, epochs=50), other])
    assert (
        "p-Conv on exponents: answers inside groups surely depend on the class in 1 of 6 runs"
        in said.sentence
    )
    assert (
        "Other networks and representations: answers inside groups surely depend on the class in 1 of 1 run"
        in (said.sentence)
    )
    assert "2 of 2 remain; 1 on capped exponents or residues" in said.sentence
    assert [row[0] for row in said.rows] == ["m=11, B=8, k=7, t=50", "m=9, B=8, k=7, capped"]
    assert said.headline.startswith("More than the signature is known in 1 of 6 p-Conv runs")


def test_answers_below_chance_are_not_called_knowledge() -> None:
    made = ideal(modulus=11).result
    counts = [[20_000 * (i == j) for j in range(11)] for i in range(11)]
    counts[1][1:3], counts[2][1:3] = [9_000, 11_000], [11_000, 9_000]
    said = above_the_ceiling([judged(replace(made, test=Evaluation.from_lists(counts)))])
    assert "in 1 of 1 run (0 by census; 1 with fewer correct answers than by chance)" in said.sentence
    assert said.headline.startswith("More than the signature is known in 0 of 1 p-Conv run")


def test_the_reader_of_sizes_is_above_the_ceiling_of_capped_exponents_alone() -> None:
    capped = size_reader(RunConfig(modulus=4, offsets=successors(4), limit=200_000, representation="capped"))
    assert capped.accuracy > capped.ceiling + 0.03
    plain = size_reader(RunConfig(modulus=11, limit=200_000))
    assert plain.accuracy < plain.ceiling + 0.005
    runs = [ideal(modulus=m, limit=200_000, representation="capped") for m in (4, 5)]
    said = hidden_powers(runs)
    assert [row[0] for row in said.rows] == ["m=4, B=8, k=7, capped, limit 200,000"]


def timed(seconds: float, count: int = 3, slower: float = 0.0, **fields: Any) -> JudgedRun:
    made = result(RunConfig(**fields))
    epochs = tuple(Epoch(i, 1.0 / i, 0.9, seconds + slower * i) for i in range(1, count + 1))
    return JudgedRun(replace(made, epochs=epochs, best_epoch=1))


def test_time_over_moduli() -> None:
    def over(slope: float, kernel: int) -> list[JudgedRun]:
        return [
            timed(2.0 * (1 + slope * m) * (1 + 0.02 * (m % 3)), modulus=m, kernel=(kernel,))
            for m in range(2, 31)
        ]

    said = time_over_moduli([*over(0, 3), *over(0, 7)])
    assert said.sentence.startswith("58 runs in 2 setups")
    change, low, high = _figures(said.sentence)
    assert low <= 0 <= high
    assert abs(change) < 5
    change, low, _ = _figures(time_over_moduli([*over(0.05, 3), *over(0.05, 7)]).sentence)
    assert change > 50
    assert low > 0
    assert time_over_moduli(over(0, 3)[:1]).sentence == NOT_RUN


def _figures(sentence: str) -> tuple[int, int, int]:
    """The change and its interval, in percent."""
    import re

    found = re.search(r"changes by ([+-]\d+)% \(99% interval ([+-]\d+)% to ([+-]\d+)%", sentence)
    assert found, sentence
    change, low, high = map(int, found.groups())
    return change, low, high


def test_setups_are_not_mixed() -> None:
    """A newer engine is slower at the moduli that it was run on: no trend."""
    old = [timed(1.0, modulus=m) for m in range(2, 12)]
    new = [timed(3.0, modulus=m) for m in range(12, 22)]
    newer = [
        JudgedRun(replace(run.result, environment=replace(run.result.environment, revision=1))) for run in new
    ]
    assert _figures(time_over_moduli([*old, *newer]).sentence) == (0, 0, 0)
    assert _figures(time_over_moduli([*old, *new]).sentence)[0] > 50


def test_time_over_epochs() -> None:
    even, growing = timed(2.0, 50, modulus=11), timed(0.1, 50, slower=1.0, modulus=13)
    assert (
        "changes by +0.0% every ten epochs (99% interval +0.0% to +0.0%" in time_over_epochs([even]).sentence
    )
    assert "changes by +0.0%" not in time_over_epochs([growing]).sentence
    assert time_over_epochs([even]).rows[0] == ("m=11, B=8, k=7", "20.0", "100.0", "5.00", "5.0")


def test_the_fastest_kernel() -> None:
    def falling(kernel: int, power: float) -> JudgedRun:
        made = result(RunConfig(modulus=7, kernel=(kernel,), early_stop=False))
        return JudgedRun(replace(made, epochs=tuple(Epoch(i, i**-power, 0.9, 1.0) for i in range(1, 11))))

    assert "in 1 of 1 comparison," in fastest_kernel([falling(3, 1), falling(5, 2), falling(7, 3)]).sentence
    assert "in 0 of 1 comparison," in fastest_kernel([falling(3, 4), falling(5, 2), falling(7, 3)]).sentence
    assert fastest_kernel([falling(3, 4), falling(5, 2)]).sentence == NOT_RUN


def test_the_crucial_list() -> None:
    configs = study("crucial").configs()
    runs = [judged(result(config)) for config in configs[:3]]
    assert crucial(runs).sentence.startswith("3 of 3 runs of the crucial list refute the paper's pattern")
    knows = knowing(1.0, **{f: getattr(configs[0], f) for f in ("modulus", "offsets", "kernel")})
    assert crucial([*runs[1:], knows]).sentence.endswith("1 refute the signature's.")


def test_windows_and_boundaries() -> None:
    eight, nine = ideal(modulus=11, offsets=range(8)), ideal(modulus=11)
    said = window([eight, nine])
    assert "with B rows 0 of 1, with B+1 rows 1 of 1." in said.sentence
    ratio, cells = window_likelihood()
    assert ratio == pytest.approx(41.8, abs=0.05)
    assert cells == 22
    assert [row[-1] for row in said.rows] == ["no", "yes"]

    at_it, before = (judged(result(config)) for config in study("boundary").configs()[:2])
    said = boundary([at_it, before])
    assert said.sentence == "2 runs: 2 undecided."
    assert [row[1] for row in said.rows] == ["B=phi-1", "B=phi-2"]


def test_extrapolation_counts_what_held() -> None:
    def finding(power: int, agrees: bool | None) -> dict[str, Any]:
        return {
            "probe": "extrapolation",
            "what": f"numbers from 10^{power}",
            "predicted": "accuracy 1",
            "observed": "99%",
            "agrees": agrees,
        }

    probe = {"findings": [finding(6, True), finding(18, False), finding(18, None)]}
    said = extrapolation([JudgedRun(result(RunConfig(modulus=7)), {}, probe)])
    assert said.sentence.startswith("1 of 3 predictions held, 1 failed and 1 stayed open, for 1 network on")
    assert [row[1] for row in said.rows] == ["numbers from 10^6", "numbers from 10^18"]


def test_sides_of_the_ceiling() -> None:
    assert [side(a, 0.785) for a in (0.70, 0.77, 0.85)] == ["below", "at", "above"]
    assert side(1.0, 1.0) == "at"
