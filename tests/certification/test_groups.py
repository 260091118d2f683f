from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pconv.certification.groups import GroupTable, columns_of
from pconv.config import RunConfig
from pconv.data import representations
from pconv.data.examples import encode
from pconv.data.representations import ColumnContent, register_representation
from pconv.errors import InputError
from pconv.registry import Registry


@pytest.mark.parametrize(
    ("modulus", "offsets", "primes", "representation"),
    [
        (12, (0, 1), 3, "exponents"),
        (8, (0, 3), 2, "capped"),
        (9, (0, 1), 2, "residues"),
        (22, (0, 1), 4, "capped"),
    ],
)
def test_given_its_grid_a_class_is_uniform_in_its_group(
    modulus: int, offsets: tuple[int, ...], primes: int, representation: str
) -> None:
    """Over a full period of the columns up to some exponent: numbers of one grid fall evenly on their group.
    11 is not a column of the last case."""
    config = RunConfig(
        modulus=modulus, offsets=offsets, primes=primes, representation=representation, architecture="mlp"
    )
    period = {12: 2**5 * 3**4 * 5, 8: 8 * 3, 9: 9 * 2, 22: 22 * 3 * 5 * 7}[modulus]
    numbers = np.arange(1, period + 1)
    classes: dict[bytes, list[int]] = defaultdict(list)
    for number, grid in zip(numbers.tolist(), encode(config, numbers).dense(), strict=True):
        if representation != "exponents" or (
            grid[:, 0].max() < 5 and grid[:, 1].max() < 4 and grid[:, 2].max() < 1
        ):
            classes[grid.tobytes()].append(number % modulus)
    table = GroupTable.of(config)
    assert len(classes) > 3
    for shown in classes.values():
        values, counts = np.unique(shown, return_counts=True)
        assert tuple(values.tolist()) == table.classes(int(table.group_of[shown[0]]))
        assert len(set(counts.tolist())) == 1


def test_labels_of_other_tasks_are_counted_in_each_group() -> None:
    table = GroupTable.of(RunConfig(modulus=11, task="quadratic"))
    group = int(table.group_of[1])  # 1 is a square modulo 11, 2 is not
    assert table.counts[group].tolist() == [1, 1]
    assert table.ceiling == Fraction(10, 11)
    assert table.shortfalls == (Fraction(1),)


def test_what_cannot_be_certified_is_refused() -> None:
    with pytest.raises(InputError, match=r"task omega: is not a function of n modulo m"):
        GroupTable.of(RunConfig(modulus=3, task="omega"))
    with pytest.raises(InputError, match=r"representation binary: cannot be certified"):
        columns_of(RunConfig(modulus=3, representation="binary"))


Encoder = Callable[[np.ndarray, tuple[int, ...], int], np.ndarray]


def _exponents(numbers: np.ndarray, offsets: tuple[int, ...], columns: int) -> np.ndarray:
    return representations.representation_named("exponents").grid(numbers, offsets, columns).dense()


def _doubled(numbers: np.ndarray, offsets: tuple[int, ...], columns: int) -> np.ndarray:
    return 2 * _exponents(numbers, offsets, columns)


def _up_to(most: int) -> Encoder:
    """Higher exponents are shown as 0."""

    def encode(numbers: np.ndarray, offsets: tuple[int, ...], columns: int) -> np.ndarray:
        grids = _exponents(numbers, offsets, columns)
        return np.where(grids > most, 0, grids)

    return encode


def _without_last(numbers: np.ndarray, offsets: tuple[int, ...], columns: int) -> np.ndarray:
    grids = _exponents(numbers, offsets, columns)
    grids[:, :, -1] = 0
    return grids


def _last_row_of_large_numbers(numbers: np.ndarray, offsets: tuple[int, ...], columns: int) -> np.ndarray:
    """Wrong from 2^32 on, in one row."""
    grids = _exponents(numbers, offsets, columns)
    grids[numbers >= 2**32, -1] = 0
    return grids


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[Encoder], RunConfig]:
    """The configuration of a run with a representation of a user's own."""
    registry: Registry[representations.Representation] = representations._representations
    monkeypatch.setattr(registry, "_found", dict(registry.items()))

    def register(encode: Encoder) -> RunConfig:
        register_representation("mine", "", ColumnContent.VALUATIONS)(encode)
        return RunConfig(modulus=3, primes=24, offsets=(-2, 0, 1, 5), representation="mine")

    return register


@pytest.mark.parametrize(
    "encode", [_doubled, _up_to(6), _up_to(24), _without_last, _last_row_of_large_numbers]
)
def test_a_representation_that_shows_something_else_is_refused(
    registered: Callable[[Encoder], RunConfig], encode: Encoder
) -> None:
    with pytest.raises(InputError, match="not what it declares"):
        columns_of(registered(encode))


def test_a_representation_that_shows_what_it_declares_is_tested_with_few_grids(
    registered: Callable[[Encoder], RunConfig],
) -> None:
    met: list[int] = []

    def counted(numbers: np.ndarray, offsets: tuple[int, ...], columns: int) -> np.ndarray:
        met.extend(numbers.tolist())
        return _exponents(numbers, offsets, columns)

    config = registered(counted)
    assert len(columns_of(config)) == config.primes
    assert 500 < len(met) < 5_000
    assert {2**39 - 5, 3**25 + 2} <= set(met)
    met.clear()
    columns_of(replace(config, offsets=tuple(range(100))))
    assert 3_000 < len(met) < 5_000
