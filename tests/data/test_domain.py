"""The domain against factorisation, and what the draws promise."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from pconv.config import RunConfig
from pconv.data.domain import VALIDATION_SIZE, Domain, far_from, split
from pconv.errors import InputError


def test_the_papers_domain_has_784347_numbers() -> None:
    assert Domain().size == 784_347


@pytest.mark.parametrize("smooth", [1, 2, 3, 10, 24, 30, 200])
@pytest.mark.parametrize("limit", [2, 3, 30, 1000, 1001])
def test_members_against_factorint(limit: int, smooth: int) -> None:
    largest = sympy.prime(smooth)
    expected = [n for n in range(1, limit) if max(sympy.primefactors(n), default=1) <= largest]
    assert Domain(limit, smooth).members.tolist() == expected


def test_no_smoothness_and_negative_offsets() -> None:
    assert Domain(10, 0).members.tolist() == list(range(1, 10))
    assert Domain(10, 0, lowest_offset=-4).members.tolist() == list(range(5, 10))
    assert Domain(4, 0, lowest_offset=-4).size == 0


@pytest.mark.parametrize("modulus", [2, 7, 30, 5000])
def test_class_counts(modulus: int) -> None:
    domain = Domain(2000, 20)
    expected = [sum(n % modulus == c for n in domain.members.tolist()) for c in range(modulus)]
    assert domain.class_counts(modulus).tolist() == expected


def test_draws_are_disjoint_members_and_fixed_by_the_seed() -> None:
    config = RunConfig(
        modulus=7, offsets=tuple(range(-3, 4)), batches=5, batch_size=40, test_size=300, limit=2000
    )
    first, again = split(config), split(config)
    assert first.training.shape == (5, 40)
    assert first.validation.shape == (VALIDATION_SIZE,)
    assert first.test.shape == (300,)
    together = np.concatenate([first.training.ravel(), first.validation, first.test])
    assert len(set(together.tolist())) == len(together)
    assert np.isin(together, Domain.of(config).members).all()
    assert together.min() >= 4
    for name in ("training", "validation", "test"):
        assert (getattr(first, name) == getattr(again, name)).all()
    other = split(RunConfig(**{**config.to_dict(), "seed": 1}))
    assert (other.training != first.training).any()


def test_other_sizes_leave_the_other_sets_alone() -> None:
    small = split(RunConfig(modulus=7, batches=5, batch_size=40, test_size=300))
    large = split(RunConfig(modulus=7, batches=9, batch_size=40, test_size=700))
    assert (large.training[:5] == small.training).all()
    assert (large.validation == small.validation).all()
    assert (large.test[-300:] == small.test).all()


def test_the_draw_of_seed_0_never_changes() -> None:
    """Run ids name a run's mathematics on every machine, so the numbers behind them must not move."""
    numbers = split(RunConfig(modulus=11))
    assert numbers.training[0, :4].tolist() == [163577, 81510, 270388, 942864]
    assert numbers.validation[:4].tolist() == [286710, 19363, 723429, 142644]
    assert numbers.test[:4].tolist() == [762568, 970522, 11975, 44918]


@pytest.mark.parametrize("offsets", [(0, 1, 2), (-1, 0, 2), (0, 30), (-7, 0, 1, 20), (0, 1, 2, 64)])
def test_the_gap_set_by_its_definition(offsets: tuple[int, ...]) -> None:
    """No number of a gap number's window stands in any training window."""
    config = RunConfig(modulus=7, offsets=offsets, batches=5, batch_size=40, test_size=300, limit=3000)
    numbers = split(config)
    seen = {n + o for n in numbers.training.ravel().tolist() for o in offsets}
    expected = [not any(n + o in seen for o in offsets) for n in numbers.test.tolist()]
    assert numbers.disjoint_test.tolist() == expected
    assert 0 < sum(expected) < 300


@pytest.mark.parametrize("seed", range(20))
def test_far_numbers_by_their_definition(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 8))
    offsets = np.sort(random.choice(np.arange(-20, 40), rows, replace=False)).tolist()
    numbers, others = random.integers(30, 600, 200), random.integers(30, 600, 4)
    seen = {n + o for n in others.tolist() for o in offsets}
    assert far_from(offsets, numbers, others).tolist() == [
        not any(n + o in seen for o in offsets) for n in numbers.tolist()
    ]


@pytest.mark.parametrize("rows", [2, 3, 9])
def test_without_gaps_the_far_numbers_are_those_past_the_reach_of_the_window(rows: int) -> None:
    config = RunConfig(modulus=7, offsets=tuple(range(rows)), test_size=2_000)
    numbers = split(config)
    distance = np.abs(numbers.test[:50, None] - numbers.training.ravel())
    assert numbers.disjoint_test[:50].tolist() == (distance.min(axis=1) >= rows).tolist()


def test_too_large_a_draw_says_how_many_there_are() -> None:
    with pytest.raises(InputError, match="784,347"):
        split(RunConfig(modulus=11, batches=4000))
    whole = RunConfig(modulus=3, limit=1001, smooth=0, batches=1, batch_size=188, test_size=300)
    assert len(split(whole).test) == 300
