"""Whether N matters, on runs where it does and where it does not."""

from __future__ import annotations

from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.columns import columns, mean_difference
from tests.studies.analyses.fake_runs import ideal, knowing


def test_columns_that_matter_are_found_over_cells_and_not_in_one() -> None:
    """One seed a cell: over many cells a difference shows, in a single one nothing can be said."""
    few = [ideal(modulus=m) for m in (2, 3, 4, 5, 6, 7)]
    worse = [knowing(0.95 - 0.002 * m, modulus=m, primes=5_000) for m in (2, 3, 4, 5, 6, 7)]
    answer = columns([*few, *worse])
    assert answer.sentence.startswith("6 cells with runs of several N, 6 with several verdicts.")
    assert "Over 6 cells that are solved N=5,000 minus N=32 is -5.9" in answer.sentence
    assert "lower in 6 (sign test p = 0.03; 6 of these cells have seed 0 alone, and" in answer.sentence
    assert "6 cells have one seed at one of the two: of these nothing can be said" in answer.sentence
    same = columns([*few, *(ideal(modulus=m, primes=5_000) for m in (2, 3, 4, 5, 6, 7))])
    assert "is +0.00 points of accuracy (99% interval +0.00 to +0.00" in same.sentence
    assert columns(few).sentence == NOT_RUN
    [row] = columns([ideal(modulus=7, primes=n) for n in (16, 32, 64)]).rows
    assert row[0] == "m=7, B=8, k=7", "a cell is named at the default N"


def test_columns_are_paired_by_seed_where_there_are_several() -> None:
    cells = [knowing(0.99 - 0.001 * seed, modulus=7, seed=seed) for seed in range(4)]
    lower = [knowing(0.95 - 0.001 * seed, modulus=7, seed=seed, primes=5_000) for seed in range(4)]
    answer = columns([*cells, *lower])
    assert "In 1 cell with several seeds at both N, paired by seed" in answer.sentence
    assert "is shown to be more than the seeds' in 1" in answer.sentence
    assert "alone, and what it has in common" not in answer.sentence
    [row] = answer.rows
    assert row[0] == "m=7, B=8, k=7"
    assert row[2].startswith("-3.99, ")


def test_equal_differences_are_no_evidence() -> None:
    """Without a spread there is no error to compare the mean with."""
    assert mean_difference([0.1]) is None
    assert mean_difference([5e-5, 5e-5]) is None
    assert mean_difference([1 - 0.99995, 0.99995 - 0.9999]) is None, "they differ by rounding"
    assert mean_difference([0.0, 0.0]) == (0, 0, 0, 1)
    runs = [
        knowing(share, modulus=7, seed=s, primes=p) for s in (0, 1) for share, p in ((1, 32), (0.9, 5_000))
    ]
    answer = columns(runs)
    assert "In 1 cell it is the same for every seed, so that there is no spread" in answer.sentence
    assert "more than the seeds'" not in answer.sentence
