from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest

from pconv.certification import sampling
from pconv.certification.certify import certify
from pconv.certification.checker import laws
from pconv.certification.columns import PrimeColumn
from pconv.certification.sampling import MAIN, Sampler
from pconv.data.representations import ColumnContent
from tests.certification.networks import random_model

OFFSETS = (0, 1, 3)


@pytest.fixture(params=[2**40, 8])
def digits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many digits are drawn at once; few, so that columns often need more."""
    limit = int(request.param)
    monkeypatch.setattr(sampling, "_DIGITS", limit)
    monkeypatch.setattr(laws, "_DIGITS", limit)
    return limit


def test_columns_are_drawn_by_their_shares(digits: int) -> None:
    columns = [PrimeColumn(p, OFFSETS) for p in (2, 3, 7)]
    sampler = Sampler(columns, 12, 5, MAIN)
    size = 4 * sampler.batch
    grids, classes = (
        np.concatenate(part) for part in zip(*(sampler.draw(i, sampler.batch) for i in range(4)), strict=True)
    )
    assert np.bincount(classes).max() - np.bincount(classes).min() <= 1
    for place, column in enumerate(columns):
        drawn = Counter(tuple(shown) for shown in grids[:, :, place].tolist())
        for index in range(4):
            level = column.level(index)
            assert level is not None
            for entries, share in zip(level.entries.tolist(), level.shares, strict=True):
                assert binomtest(drawn[tuple(entries)], size, float(share)).pvalue > 1e-5


def test_a_grid_shows_the_class_of_its_stratum(digits: int) -> None:
    """Where an exponent of 2 is at least 2, it determines the class modulo 4."""
    grids, classes = Sampler([PrimeColumn(2, OFFSETS), PrimeColumn(3, OFFSETS)], 12, 0, MAIN).draw(3, 500)
    for row, offset in enumerate(OFFSETS):
        known = grids[:, row, 0] >= 2
        assert known.any()
        assert ((classes[known] + offset) % 4 == 0).all()
        assert (((classes + offset) % 3 == 0) == (grids[:, row, 1] >= 1)).all()


@pytest.mark.parametrize(
    ("shows", "cap"),
    [(ColumnContent.VALUATIONS, None), (ColumnContent.VALUATIONS, 1), (ColumnContent.RESIDUES, None)],
)
def test_the_checker_draws_the_same_grids(digits: int, shows: ColumnContent, cap: int | None) -> None:
    primes = (2, 3, 5)
    columns = [PrimeColumn(p, OFFSETS, shows, cap) for p in primes]
    grids, _ = Sampler(columns, 12, 7, MAIN).draw(2, 2048)
    rules = laws.Rules(OFFSETS, cap, shows is ColumnContent.RESIDUES)
    again = laws.draws(rules, primes, 12, 7, 2, 2048)
    assert np.array_equal(grids, again.astype(np.float32))


def test_a_sample_agrees_with_the_enumeration() -> None:
    model = random_model()
    proved = certify(model, width=0.02)
    drawn = certify(model, samples=3000, seed=1)
    assert (proved.kind, drawn.kind) == ("enumerated", "sampled")
    assert drawn.low <= proved.high
    assert proved.low <= drawn.high
    assert drawn.leaks.low <= proved.leaks.high
    assert proved.leaks.low <= drawn.leaks.high
    assert drawn.width < 0.1
