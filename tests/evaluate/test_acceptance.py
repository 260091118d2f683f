"""Two hundred simulated networks of each kind: how often a verdict is wrong.

Each is asked every one of the 671,947 unseen numbers of the default domain. A quarter of them are asked
20,000 numbers: a sample may leave open what it cannot tell, but should not be mistaken either.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pconv.evaluate.assessment import Holds, Settings
from pconv.evaluate.verdict import Status, Verdict
from tests.evaluate.fake_networks import (
    Reader,
    biased,
    blind_to,
    census_counts,
    contrary,
    guesser,
    ideal,
    mixture,
    omniscient,
    predicted,
    verdict_on,
)

NETWORKS = 200
SAMPLE = 20_000
HERE_AND_THERE = pytest.mark.parametrize("size", [None, SAMPLE], ids=["census", "sample"])


def verdicts(
    reader: Reader, modulus: int, rows: int, size: int | None = None, theory: str = "signature"
) -> list[Verdict]:
    networks = NETWORKS if size is None else NETWORKS // 4
    return [verdict_on(reader, modulus, rows, seed, size=size, theory=theory) for seed in range(networks)]


def statuses(found: list[Verdict]) -> Counter[Status]:
    return Counter(verdict.status for verdict in found)


def short_of_the_ceiling(modulus: int, rows: int, by: float) -> Reader:
    """The best reader of the groups, that at some numbers knows nothing and guesses."""
    best, counts = ideal(modulus, rows, favourite=True), census_counts(modulus)
    reader = mixture(best, guesser(modulus), by / (best.accuracy(counts) - 1 / modulus))
    assert best.accuracy(counts) - reader.accuracy(counts) == pytest.approx(by, abs=2e-5)
    return reader


@HERE_AND_THERE
@pytest.mark.parametrize(("modulus", "rows"), [(7, 9), (11, 9), (29, 9)])
def test_a_shortfall_of_more_than_the_tolerance_is_hardly_ever_confirmed(
    modulus: int, rows: int, size: int | None
) -> None:
    found = verdicts(short_of_the_ceiling(modulus, rows, 0.014), modulus, rows, size)
    assert statuses(found)[Status.CONFIRMED] <= 0.05 * len(found)
    assert not any(verdict.assessment.attained.holds is Holds.YES for verdict in found)


def test_a_shortfall_within_the_tolerance_is_confirmed() -> None:
    """Six tenths of a percent at m = 7, a little more than that from each class."""
    found = verdicts(short_of_the_ceiling(7, 9, 0.006), 7, 9)
    assert statuses(found) == {Status.CONFIRMED: NETWORKS}


@HERE_AND_THERE
def test_a_shortfall_inside_the_groups_is_never_confirmed(size: int | None) -> None:
    """1.4 points below the ceiling of m = 11, and no answer leaves its group."""
    reader = contrary(11, 9, 0.157)
    counts = census_counts(11)
    assert ideal(11).accuracy(counts) - reader.accuracy(counts) == pytest.approx(0.014, abs=2e-4)
    found = verdicts(reader, 11, 9, size)
    assert statuses(found)[Status.CONFIRMED] == 0
    assert all(verdict.assessment.separated.leaked == 0 for verdict in found)


@HERE_AND_THERE
@pytest.mark.parametrize(("missing", "instead"), [(5, 9), (126, 0)])
def test_a_network_that_never_names_a_class_is_never_confirmed(
    missing: int, instead: int, size: int | None
) -> None:
    """One class of 127 is less than a percent of the numbers: accuracy and loss do not miss it."""
    assert predicted(127, 126).solved
    found = verdicts(blind_to(ideal(127, 126), missing, instead), 127, 126, size)
    assert statuses(found) == {Status.UNDERFITTED: len(found)}
    assert all(verdict.assessment.separated.worst_class == missing for verdict in found)
    if size is None:
        assert all(verdict.assessment.attained.holds is Holds.YES for verdict in found)
        assert all(verdict.assessment.loss.holds is Holds.YES for verdict in found)


@HERE_AND_THERE
@pytest.mark.parametrize("favourite", [False, True])
def test_the_theory_that_all_is_seen_is_never_confirmed_where_two_classes_are_mixed(
    favourite: bool, size: int | None
) -> None:
    """249 of 250 groups modulo 251 are single classes: accuracy is 0.996."""
    assert predicted(251, 249).mixed == ((1, 2),)
    found = verdicts(ideal(251, 249, favourite=favourite), 251, 249, size, theory="grid")
    assert statuses(found)[Status.CONFIRMED] == 0
    assert all(verdict.assessment.separated.worst_class in (1, 2) for verdict in found)


@pytest.mark.parametrize(("modulus", "rows"), [(7, 9), (11, 9), (16, 3), (29, 9), (251, 249)])
def test_a_perfect_reader_of_the_signature_is_confirmed(modulus: int, rows: int) -> None:
    assert statuses(verdicts(ideal(modulus, rows), modulus, rows))[Status.CONFIRMED] >= 0.95 * NETWORKS


@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (16, 3), (29, 9)])
def test_a_perfect_reader_is_hardly_ever_refuted_on_a_sample(modulus: int, rows: int) -> None:
    found = statuses(verdicts(ideal(modulus, rows), modulus, rows, SAMPLE))
    assert found[Status.REFUTED] + found[Status.UNDERFITTED] + found[Status.OVERFITTED] <= 1


@HERE_AND_THERE
@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (16, 3), (29, 9)])
def test_knowing_three_percent_beyond_the_groups_refutes(modulus: int, rows: int, size: int | None) -> None:
    counts = census_counts(modulus)
    mixed = sum(counts[list(group)].sum() for group in predicted(modulus, rows).mixed) / counts.sum()
    reader = mixture(ideal(modulus, rows), omniscient(modulus), 0.03 / mixed)
    found = statuses(verdicts(reader, modulus, rows, size))
    assert found[Status.CONFIRMED] == 0
    if size is None:
        assert found[Status.REFUTED] >= 0.95 * NETWORKS


@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (16, 3), (29, 9)])
@pytest.mark.parametrize("favourite", [0.7, 0.99])
def test_a_favourite_class_does_not_change_what_is_known(modulus: int, rows: int, favourite: float) -> None:
    """Of a group 0.6% is tolerated and 2.5% is not, however the other answers are distributed."""
    guesses = biased(modulus, rows, favourite)
    for share, status in ((0.0, Status.CONFIRMED), (0.006, Status.CONFIRMED), (0.025, Status.REFUTED)):
        reader = mixture(guesses, omniscient(modulus), share)
        found = [verdict_on(reader, modulus, rows, seed).assessment for seed in range(NETWORKS // 4)]
        refuted = [each.nothing_beyond.above_chance for each in found]
        assert sum(refuted) == (len(found) if status is Status.REFUTED else 0)
        effects = [group.effect for each in found for group in each.nothing_beyond.groups]
        assert np.mean(effects) == pytest.approx(share, abs=0.0015)
    wrong = contrary(modulus, rows, 0.025, guesses)
    found = [verdict_on(wrong, modulus, rows, seed).assessment for seed in range(NETWORKS // 4)]
    assert all(each.nothing_beyond.holds is Holds.NO for each in found), "it is noticed all the same"
    assert not any(each.nothing_beyond.above_chance for each in found)


@pytest.mark.parametrize("favourite", [0.5, 0.9, 0.99])
def test_what_is_tolerated_is_refuted_at_most_at_the_level(favourite: float) -> None:
    """A tenth of {1, 2} is known and a tenth is tolerated, at a level of 10%: samples of 4,000 numbers."""
    reader = mixture(biased(11, 9, favourite), omniscient(11), 0.1)
    settings = Settings(tolerance=0.1, level=0.1)
    refuted = sum(
        verdict_on(
            reader, 11, seed=seed, size=4_000, settings=settings
        ).assessment.nothing_beyond.above_chance
        for seed in range(2 * NETWORKS)
    )
    assert 0 < refuted <= 0.05 * 2 * NETWORKS, "half the level is that of one side, half of that of the group"


@pytest.mark.parametrize("modulus", [251, 311])
def test_groups_of_many_classes_are_tested_too(modulus: int) -> None:
    """670,000 numbers are few for 300 times 300 cells, and 20,000 are fewer."""
    for size in (None, SAMPLE):
        for share in (0.0, 0.03):
            reader = mixture(ideal(modulus), omniscient(modulus), share)
            for seed in range(3):
                beyond = verdict_on(reader, modulus, seed=seed, size=size).assessment.nothing_beyond
                assert (beyond.holds is Holds.NO) == (share > 0)
                assert beyond.holds is not Holds.OPEN or size is not None, "a census decides"
                [group] = beyond.groups
                assert group.effect == pytest.approx(share, rel=0.05, abs=0.005 if size is None else 0.02)
