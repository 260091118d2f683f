"""The closed loop, with simulated networks in place of trained ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.discover.evaluation import ClassFrames, Evaluator, WindowCase
from pconv.discover.hypotheses import Hypotheses
from pconv.discover.laboratory import MODULI, WINDOWS, Laboratory, experiment_cases, small_run
from pconv.discover.laws import PROBE, distinct_laws
from pconv.discover.observation import Observation, SetAside, observe
from pconv.discover.parser import parse
from pconv.discover.partitions import partition_of
from pconv.discover.simulation import simulated
from pconv.result import RunResult
from pconv.store.sqlite import Store
from tests.discover import plain

CASES = [WindowCase(m, window) for m in (4, 5, 9, 12) for window in ((0, 1), (0, 2), (-1, 0, 2))]


def networks(law: str) -> Callable[[RunConfig], RunResult]:
    """Trains a network that reads a law perfectly."""
    formula = parse(law)
    return lambda config: simulated(config, plain.groups(formula, config.modulus, config.offsets))


def laboratory(path: Path, train: Callable[[RunConfig], RunResult], size: int = 5) -> Laboratory:
    return Laboratory(path / "runs.db", train, Hypotheses(CASES, size))


@pytest.mark.parametrize(("law", "size"), [("gcd(n+o, m)", 5), ("n % p", 3)])
def test_the_true_law_is_left(law: str, size: int, tmp_path: Path) -> None:
    lab = laboratory(tmp_path, networks(law), size)
    entries = list(lab.run(12, 1e9))
    assert [str(formula) for formula in lab.hypotheses.simplest(2)] == [law]
    assert [entry.left for entry in entries] == sorted((entry.left for entry in entries), reverse=True)
    assert entries[0].answers > 1
    assert entries[0].gain > 0
    assert lab.proven
    tested = [entry for entry in entries if entry.answers == 1]
    assert all(entry.gain == 0 for entry in tested)


def test_where_no_formula_is_true_none_is_left(tmp_path: Path) -> None:
    """Networks that mix classes at random, differently in every experiment."""
    odd = {4: [0, 1, 1, 0], 5: [0, 1, 0, 0, 1], 9: [0, 1, 1, 2, 0, 0, 2, 1, 2]}
    odd[12] = [0, 1, 1, 0, 2, 2, 2, 1, 0, 0, 1, 2]
    lab = laboratory(tmp_path, lambda config: simulated(config, odd[config.modulus]), 4)
    list(lab.run(12, 1e9))
    assert lab.hypotheses.left == 0
    assert not lab.proven


def test_where_labels_merge_classes_an_experiment_tells_an_accuracy() -> None:
    """Two hypotheses give one answer if their partitions differ and their accuracies do not."""
    cases = [WindowCase(7, (0, 1)), WindowCase(2, (0, 1))]
    partitions, accuracies = Hypotheses(cases, 4), Hypotheses(cases, 4, task="divisibility")
    assert len(accuracies.answers(0)) == 3, "class 0 is known, mixed with one class, or with more"
    assert 0 < accuracies.gain(0) < partitions.gain(0)
    assert accuracies.gain(1) == partitions.gain(1), "modulo 2 nothing is merged"
    seen = observe(simulated(RunConfig(modulus=7, offsets=(0, 1), task="divisibility"), [0, 1]))
    assert isinstance(seen, Observation)
    assert accuracies.test_bits(0) == seen.bits
    accuracies.eliminate(seen)
    assert accuracies.left > 1
    assert accuracies.gain(0) == 0


def test_a_run_that_has_not_learned_is_repeated_longer(tmp_path: Path) -> None:
    def slow(config: RunConfig) -> RunResult:
        if config.epochs < 8:
            return simulated(config, [0] * config.modulus)
        return networks("n % p")(config)

    lab = laboratory(tmp_path, slow, 3)
    entries = list(lab.run(12, 1e9))
    assert isinstance(entries[0].seen, SetAside)
    assert (entries[0].fallen, entries[1].config.epochs) == ((), 8)
    assert isinstance(entries[1].seen, Observation)
    assert str(lab.hypotheses.simplest(1)[0]) == "n % p"


def test_the_hypotheses_are_all_laws_that_differ_in_an_experiment() -> None:
    """Those of a search that compares formulas on the experiments themselves, which is slow."""
    cases = experiment_cases()
    frames = ClassFrames(cases)
    evaluator = Evaluator(frames)
    exact = {partition_of(law, evaluator).tobytes() for law in distinct_laws(4, (*PROBE, *cases))}
    hypotheses = Hypotheses(cases, 4)
    assert hypotheses.left == len(exact)
    assert "sum_o(o % n)" in map(str, hypotheses.formulas)


def test_stored_experiments_come_first_and_count(tmp_path: Path) -> None:
    train = networks("gcd(n+o, m)")
    config = small_run(CASES[4])
    with Store.open(tmp_path / "runs.db") as store:
        store.claim(config, "me")
        store.finish(train(config), None, {}, "me")
    lab = laboratory(tmp_path, train, 3)
    assert [entry.config for entry in lab.run(1, 1e9)] == [config]
    assert list(laboratory(tmp_path, train, 3).run(5, 0.0)) == []


def test_experiments_are_small_and_their_primes_are_columns() -> None:
    assert len(experiment_cases()) == len(MODULI) * len(WINDOWS)
    config = small_run(experiment_cases()[-1], representation="capped", seed=3)
    assert (config.primes, config.representation, config.seed) == (8, "capped", 3)
    assert (
        small_run(experiment_cases()[-1], architecture="mlp").label() == "m=16, offsets -1,0,2, N=8, t=2, mlp"
    )
    assert max(MODULI) <= 19  # the eighth prime
