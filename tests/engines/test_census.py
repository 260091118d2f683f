"""The census against the plain network, asked one number at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
import torch

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain, split, unseen
from pconv.engines import census as census_module
from pconv.engines.census import evaluate_model, take_census
from pconv.engines.registry import make_engine
from pconv.errors import InputError
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import Model, save_weights
from pconv.result import Census
from pconv.training.trainer import Training

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
CONFIG = RunConfig(
    modulus=5,
    offsets=(-1, 0, 1, 2),
    primes=8,
    kernel=(3,),
    batches=20,
    batch_size=32,
    epochs=3,
    test_size=100,
    limit=13_000,
    early_stop=False,
)
TIE = 1e-4
"""Logits closer than this may be told apart differently by different roundings."""


def trained(config: RunConfig) -> Training:
    training = Training(config, threads=1)
    while not training.done:
        training.run_epoch()
    return training


@pytest.fixture(scope="module")
def training() -> Training:
    return trained(CONFIG)


@pytest.fixture(scope="module")
def census(training: Training) -> Census:
    found = training.result().census
    assert found is not None
    return found


def valuation(n: int, p: int) -> int:
    count = 0
    while n % p == 0:
        n, count = n // p, count + 1
    return count


def exponents_of(n: int) -> list[list[float]]:
    return [[float(valuation(n + o, p)) for p in PRIMES] for o in CONFIG.offsets]


def digits_of(n: int) -> list[list[float]]:
    return [[float((n + o) >> i & 1) for i in range(CONFIG.primes)] for o in CONFIG.offsets]


class Plain:
    """Each number by itself through PyTorch's network: its answer, its loss, whether it is nearly a tie."""

    def __init__(self, weights: dict[str, torch.Tensor], config: RunConfig) -> None:
        network = PrimeConvNet.of(config)
        network.load_state_dict(weights)
        network.eval()
        shown = exponents_of if config.representation == "exponents" else digits_of
        self.answers: dict[int, int] = {}
        self.losses: dict[int, float] = {}
        self.ties: set[int] = set()
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        with torch.no_grad():
            for n in Domain.of(config).members.tolist():
                logits = network(torch.tensor([shown(n)]))[0].double().tolist()
                first, second = sorted(logits)[-1:-3:-1]
                self.answers[n] = logits.index(first)
                self.losses[n] = log(sum(np.exp(x - first) for x in logits)) + first - logits[n % 5]
                if first - second < TIE:
                    self.ties.add(n)
        torch.set_num_threads(before)

    def confusion(self, numbers: list[int]) -> list[list[int]]:
        cells = Counter((n % 5, self.answers[n]) for n in numbers)
        return [[cells[i, j] for j in range(5)] for i in range(5)]


@pytest.fixture(scope="module")
def plain(training: Training) -> Plain:
    assert training.chosen is not None
    return Plain(training.chosen.weights, CONFIG)


def same_counts(found: object, expected: object, ties: int) -> bool:
    """Equal, but for numbers between two answers: each may stand in another cell."""
    return int(np.abs(np.array(found) - np.array(expected)).sum()) <= 2 * ties


def check(census: Census, plain: Plain, numbers: list[int], config: RunConfig = CONFIG) -> None:
    ties = len(plain.ties & set(numbers))
    assert ties < 10
    assert census.size == len(numbers)
    assert same_counts(census.answers.confusion, plain.confusion(numbers), ties)
    assert census.loss == pytest.approx(np.mean([plain.losses[n] for n in numbers]), rel=1e-5)

    seen = set(split(config).training.ravel().tolist())
    shown = {n + o for n in seen for o in config.offsets}
    far = [n for n in numbers if not any(n + o in shown for o in config.offsets)]
    assert 0 < len(far) < len(numbers)
    assert census.far is not None
    assert same_counts(census.far.confusion, plain.confusion(far), ties)

    for stratum, table in enumerate(census.neighbours):
        before, after = bool(stratum & 1), bool(stratum & 2)
        there = [n for n in numbers if (n - 1 in seen) == before and (n + 1 in seen) == after]
        expected = [
            (sum(n % 5 == c for n in there), sum(n % 5 == c == plain.answers[n] for n in there))
            for c in range(5)
        ]
        assert same_counts(table, expected, ties)
    assert len(census.neighbours) == 4
    assert sum(count for table in census.neighbours for count, _ in table) == len(numbers)


def test_it_is_what_the_plain_network_says_to_each_number(census: Census, plain: Plain) -> None:
    numbers = split(CONFIG)
    used = {*numbers.training.ravel().tolist(), *numbers.selection.tolist()}
    left = [n for n in Domain.of(CONFIG).members.tolist() if n not in used]
    assert len(left) == 12_998 - 640 - 10_000, "1 has no window"
    check(census, plain, left)
    assert census.numbers == "unseen"


def test_all_numbers_of_the_domain(training: Training, plain: Plain) -> None:
    assert training.chosen is not None
    engine = make_engine(CONFIG, threads=1)
    engine.load_weights(training.chosen.weights)
    census = take_census(CONFIG, engine, training.chosen.epoch, "all")
    check(census, plain, Domain.of(CONFIG).members.tolist())
    assert census.numbers == "all"
    with pytest.raises(InputError, match="numbers 'seen': must be one of: unseen, all"):
        take_census(CONFIG, engine, 1, "seen")


def test_a_representation_without_zeros_to_skip() -> None:
    config = replace(CONFIG, representation="binary")
    run = trained(config)
    assert run.chosen is not None
    census = run.result().census
    assert census is not None
    check(census, Plain(run.chosen.weights, config), unseen(config, split(config)).tolist(), config)


def test_other_labels_are_counted_as_labels() -> None:
    config = replace(CONFIG, task="divisibility", epochs=1)
    run = trained(config)
    census = run.result().census
    assert census is not None
    multiples = (unseen(config, split(config)) % 5 == 0).sum()
    assert [sum(row) for row in census.answers.confusion] == [census.size - multiples, multiples]
    assert [len(table) for table in census.neighbours] == [2] * 4


@pytest.mark.parametrize("representation", ["exponents", "binary"])
@pytest.mark.parametrize(("chunk", "cells"), [(1, 1), (300, 32 * 77), (2**30, 2**30)])
def test_how_it_is_cut_up_does_not_matter(
    representation: str, chunk: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(CONFIG, representation=representation, batch_size=16)
    engine = make_engine(config, threads=1)
    whole = take_census(config, engine, 1)
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(census_module, "CENSUS_CHUNK", chunk)
    monkeypatch.setattr(census_module, "CELLS_AT_ONCE", cells)
    again = take_census(config, engine, 1, on_progress=lambda done, of: calls.append((done, of)))
    assert again.loss == pytest.approx(whole.loss, rel=1e-6)
    assert again == replace(whole, loss=again.loss)
    if representation == "exponents":
        assert again.loss == whole.loss, "to the bit"
    assert calls[-1] == (whole.size, whole.size)
    assert calls == sorted(set(calls))
    assert (len(calls) > 1) == (chunk < 2**30)


def test_a_network_from_a_file_gives_the_census_of_its_run(
    training: Training, census: Census, tmp_path: Path
) -> None:
    assert training.chosen is not None
    path = tmp_path / "w.safetensors"
    save_weights(path, training.chosen.weights, CONFIG, training.chosen.epoch)
    model = Model.load(path)
    assert evaluate_model(model) == census
    assert evaluate_model(replace(model, epoch=None), epoch=7) == replace(census, epoch=7)


def test_far_numbers_of_a_window_with_gaps() -> None:
    """Every tenth number is trained on: within the span of a window there is always one of them."""
    config = replace(CONFIG, offsets=(0, 30, 60), batches=40, epochs=1)
    run = trained(config)
    numbers = split(config)
    shown = {n + o for n in numbers.training.ravel().tolist() for o in config.offsets}
    left = unseen(config, numbers).tolist()
    far = [n for n in left if not any(n + o in shown for o in config.offsets)]
    census = run.result().census
    assert census is not None
    assert census.far is not None
    assert [sum(row) for row in census.far.confusion] == [sum(n % 5 == c for n in far) for c in range(5)]
    assert len(far) > census.size / 4


def test_without_far_numbers_there_is_no_far_matrix() -> None:
    """Every third number is trained on, and a window reaches 23 numbers either way."""
    config = replace(CONFIG, offsets=tuple(range(24)), batches=300, batch_size=16, epochs=1, limit=15_400)
    census = trained(config).result().census
    assert census is not None
    assert census.size == 15_399 - 4_800 - 10_000
    assert census.far is None
    assert sum(count for table in census.neighbours for count, _ in table) == census.size


def test_a_census_as_json(census: Census) -> None:
    assert Census.from_dict(census.to_dict()) == census
    assert Census.from_dict(replace(census, far=None).to_dict()) == replace(census, far=None)


def members(config: RunConfig) -> set[int]:
    return set(Domain.of(config).members.tolist())


def listed(numbers: IntArray) -> list[int]:
    found: list[int] = numbers.ravel().tolist()
    assert len(set(found)) == len(found)
    return found


@pytest.mark.parametrize("limit", [2_000, 13_000, 1_000_000])
@pytest.mark.parametrize("offsets", [(0, 1, 2), (-5, 0)])
def test_every_number_has_one_role(limit: int, offsets: tuple[int, ...]) -> None:
    """Trained on, selected on, or unseen; the validation numbers are among the selection sample, the test
    numbers are among the unseen ones."""
    config = replace(
        CONFIG, limit=limit, offsets=offsets, test_size=200, smooth=60 if limit == 2_000 else 5_000
    )
    numbers = split(config)
    training, selection = listed(numbers.training), listed(numbers.selection)
    left = listed(unseen(config, numbers))
    assert sorted([*training, *selection, *left]) == sorted(members(config))
    assert selection[:512] == numbers.validation.tolist()
    assert set(listed(numbers.test)) <= set(left)
    assert left == sorted(left)
    assert len(selection) == min(10_000, len(members(config)) - 640 - 200)


def test_a_domain_that_is_used_up_leaves_the_test_numbers() -> None:
    config = replace(CONFIG, limit=1_254, smooth=0, offsets=(0, 1))
    numbers = split(config)
    assert len(numbers.selection) == 512 + 1
    assert unseen(config, numbers).tolist() == sorted(numbers.test.tolist())
