"""A classifier by sizes is above the ceiling of capped exponents, and of no others."""

from __future__ import annotations

from pconv.config import RunConfig
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
