"""The exact search against a slow one, and against the theory where a network is the theory's own."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from torch import nn

from pconv._arrays import IntArray
from pconv.board.cases import Case
from pconv.board.truth import Answers, Mask, find_truth
from pconv.board.windows import highest_exponents, is_column
from pconv.config import RunConfig
from pconv.data.examples import encode
from pconv.data.primes import first_primes
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.target import ProbeTarget, logits_of, randomised
from tests.board.conftest import compiled


def is_window(grid: Grids, offsets: tuple[int, ...]) -> bool:
    primes = first_primes(grid.shape[1]).tolist()
    return all(
        is_column(p, offsets, tuple(map(int, column))) for p, column in zip(primes, grid.T, strict=True)
    )


def plain_search(
    config: RunConfig, answers: Answers, grid: Grids, labels: IntArray
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The deciding and the irrelevant cells, one question at a time."""
    before = int(answers(grid[None])[0])
    deciding, irrelevant = set(), set()
    for row, column in product(range(grid.shape[0]), range(grid.shape[1])):
        possible_leaves = changes = False
        for exponent in range(highest_exponents(config)[column] + 1):
            changed = grid.copy()
            changed[row, column] = exponent
            after = int(answers(changed[None])[0])
            changes |= after != before
            possible_leaves |= is_window(changed, config.offsets) and labels[after] != labels[before]
        if possible_leaves:
            deciding.add((row, column))
        if not changes:
            irrelevant.add((row, column))
    return deciding, irrelevant


def answers_of(network: nn.Module, reader: SignatureReader) -> Answers:
    return ProbeTarget(reader, logits_of(network), np.arange(0)).answers


def cells(mask: Mask) -> set[tuple[int, int]]:
    return {(int(row), int(column)) for row, column in np.argwhere(mask)}


@pytest.mark.parametrize("random", [False, True])
def test_the_search_is_that_of_every_change(random: bool) -> None:
    model = compiled(4, 2)
    network = randomised(model.network, 3) if random else model.network
    reader = SignatureReader(4, (0, 1), 4)
    answers = answers_of(network, reader)
    grids = encode(model.config, [1, 8, 15, 27, 34, 96]).dense()
    truth = find_truth(model.config, answers, grids, reader)
    for i, grid in enumerate(grids):
        wanted = plain_search(model.config, answers, grid, reader.labels)
        assert (cells(truth.deciding[i]), cells(truth.irrelevant[i])) == wanted
    assert truth.answers.tolist() == answers(grids).tolist()


@pytest.mark.parametrize(("modulus", "rows"), [(5, 3), (8, 2), (6, 2), (25, 2)])
def test_of_a_network_that_reads_the_signature_it_is_the_theorys(modulus: int, rows: int) -> None:
    model = compiled(modulus, rows)
    reader = SignatureReader(modulus, model.config.offsets, 4)
    grids = encode(model.config, range(1, 60)).dense()
    truth = find_truth(model.config, answers_of(model.network, reader), grids, reader)
    np.testing.assert_array_equal(truth.deciding, truth.theory)
    assert truth.deciding.any()
    assert not (truth.deciding & truth.irrelevant).any()


def test_evidence_by_absence() -> None:
    """No multiple of 5 in three rows: each of the three zeros decides. One multiple: it alone does."""
    model = compiled(5, 3)
    reader = SignatureReader(5, (0, 1, 2), 4)
    grids = encode(model.config, [11, 13]).dense()
    truth = find_truth(model.config, answers_of(model.network, reader), grids, reader)
    assert cells(truth.deciding[0]) == {(0, 2), (1, 2), (2, 2)}
    assert cells(truth.deciding[1]) == {(2, 2)}
    left_out = cells(~truth.deciding[1] & ~truth.irrelevant[1])
    assert left_out == {(1, 2)}, "a second multiple there changes the answer, and no integer has two"


def test_it_is_about_the_network_and_not_about_the_theory() -> None:
    """A network that answers by the exponent of 3 in the first row, which says nothing modulo 5."""
    config = RunConfig(modulus=5, offsets=(0, 1), primes=4, limit=100)
    reader = SignatureReader(5, config.offsets, 4)

    def by_three(grids: Grids) -> IntArray:
        return np.where(grids[:, 0, 1] > 0, 0, 4)

    truth = find_truth(config, by_three, encode(config, [9, 10, 11]).dense(), reader)
    assert [cells(mask) for mask in truth.deciding] == [
        {(0, 1)},
        {(0, 1)},
        set(),  # 12 is a multiple of 3, so 11 cannot be one
    ]
    assert not (truth.deciding & truth.theory).any()


def test_an_answer_that_changes_within_its_group_decides_nothing() -> None:
    """Modulo 5 the classes 1, 2 and 3 look alike in two rows; the answer switches between 1 and 2."""
    config = RunConfig(modulus=5, offsets=(0, 1), primes=4, limit=100)
    reader = SignatureReader(5, config.offsets, 4)
    truth = find_truth(
        config, lambda grids: np.where(grids[:, 0, 1] > 0, 1, 2), encode(config, [10]).dense(), reader
    )
    assert not truth.deciding.any()
    assert cells(~truth.irrelevant[0]) == {(0, 1)}, "left out"


def test_the_windows_of_a_case_have_cells_of_both_kinds(case: Case) -> None:
    assert case.truth.deciding.any(axis=(1, 2)).all()
    assert case.truth.irrelevant.any(axis=(1, 2)).all()
    assert len(case.grids) == len(case.numbers) == len(case.truth.answers) == 8
    document = case.to_dict()
    assert (document["right_group"], document["theory_found"], document["beyond_theory"]) == (1, 1, 0)
    assert 0 < document["absent"] < 1
