"""Verdicts on tasks other than the residue."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.domain import Domain, split, unseen
from pconv.data.tasks import task_named
from pconv.engines.census import confusion_matrix
from pconv.errors import InputError
from pconv.evaluate.assessment import Holds
from pconv.evaluate.comparison import compare
from pconv.evaluate.judge import judge
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.evaluate.verdict import Status
from pconv.result import Census, Evaluation, RunResult
from pconv.theory import predict
from pconv.theory.labels import for_task
from pconv.theory.readers import Readers, TaskProblem
from pconv.window import successor_window
from tests.evaluate.fake_networks import omniscient, result_of

SIZE = 20_000


def answered(
    task: str, modulus: int, rows: int, answers: IntArray, numbers: IntArray, loss: float | None = None
) -> RunResult:
    """A run of the task with these answers to these test numbers; with a loss they are its census."""
    config = RunConfig(modulus=modulus, offsets=successor_window(rows - 1), task=task)
    given = task_named(task)
    labels = given.labels(numbers, modulus)
    table = confusion_matrix(labels, answers, given.classes(modulus))
    test = Evaluation.from_lists(table.tolist())
    census = None if loss is None else Census("unseen", 1, loss, test, None, ())
    plain = result_of(omniscient(2), 2, training_loss=0.69)
    return replace(plain, config=config, validation=test, test=test, disjoint_test=None, census=census)


@pytest.fixture
def numbers() -> IntArray:
    members = Domain().members
    return members[np.random.default_rng(3).integers(0, len(members), SIZE)]


@pytest.fixture(scope="module")
def unseen_numbers() -> IntArray:
    config = RunConfig(modulus=2)
    return unseen(config, split(config))


def best_reader(task: str, modulus: int, rows: int, numbers: IntArray) -> tuple[IntArray, float]:
    """Sees the group of residues and names its most frequent label; the least loss, H(label | group)."""
    groups = predict(modulus, range(rows)).labels[numbers % modulus]
    labels = task_named(task).labels(numbers, modulus)
    joint = confusion_matrix(groups, labels, modulus)  # more than enough groups and labels
    shares = joint / np.maximum(1, joint.sum(axis=1, keepdims=True))
    loss = -(joint[joint > 0] * np.log(shares[joint > 0])).sum() / len(numbers)
    return joint.argmax(axis=1)[groups], float(loss)


CASES = [(11, 9), (13, 3), (16, 3), (23, 9)]


@pytest.mark.parametrize("task", ["quadratic", "divisibility"])
@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_the_best_reader_is_confirmed(task: str, modulus: int, rows: int, unseen_numbers: IntArray) -> None:
    answers, loss = best_reader(task, modulus, rows, unseen_numbers)
    verdict = judge(answered(task, modulus, rows, answers, unseen_numbers, loss))
    assert verdict.status is Status.CONFIRMED
    assert verdict.assessment.complete
    groups = verdict.assessment.nothing_beyond.groups
    assert groups == (), "inside a merged group an answer may depend on the residues' group"


@pytest.mark.parametrize("task", ["quadratic", "divisibility"])
@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_a_sample_of_the_best_reader_is_undecided(
    task: str, modulus: int, rows: int, numbers: IntArray
) -> None:
    answers, _ = best_reader(task, modulus, rows, numbers)
    verdict = judge(answered(task, modulus, rows, answers, numbers))
    assert verdict.status is Status.UNDECIDED
    assert verdict.assessment.loss.holds is Holds.OPEN
    assert Holds.NO not in verdict.assessment.parts.values()


def test_ceiling_and_floor_are_those_of_the_domain(unseen_numbers: IntArray) -> None:
    """Labels do not tell how many residues there are, so they are not counted on the census's numbers."""
    answers, loss = best_reader("quadratic", 11, 9, unseen_numbers)
    found = judge(answered("quadratic", 11, 9, answers, unseen_numbers, loss)).assessment
    prediction = for_task(predict(11, range(9)), task_named("quadratic"))
    assert found.ceiling == prediction.exact_ceiling(Domain())
    assert found.loss.floor == prediction.exact_loss_floor(Domain())
    assert found.ceiling == pytest.approx(found.accuracy, abs=1e-3)
    assert found.loss.floor == pytest.approx(loss, abs=1e-3)


def on_limit(result: RunResult, limit: int) -> RunResult:
    return replace(result, config=replace(result.config, limit=limit))


def test_few_numbers_that_happen_to_be_easy_refute_nothing() -> None:
    """Two rows modulo 11 leave residues of both labels together, and 400 numbers are easier or harder."""
    members = Domain(9_000).members
    groups = predict(11, range(2)).labels[members % 11]
    labels = task_named("quadratic").labels(members, 11)
    joint = confusion_matrix(groups, labels, 11)
    losses = -np.log(joint[groups, labels] / joint[groups].sum(axis=1))
    answers = joint.argmax(axis=1)[groups]
    easier, words = 0, []
    for seed in range(200):
        asked = np.random.default_rng(seed).choice(len(members), 400, replace=False)
        loss = float(losses[asked].mean())
        found = judge(on_limit(answered("quadratic", 11, 2, answers[asked], members[asked], loss), 9_000))
        easier += found.assessment.accuracy > found.assessment.ceiling + 0.01
        words.append(found.status)
    assert easier > 50, "compared exactly, these would refute"
    assert words.count(Status.REFUTED) <= 4, "1% of 200, for the accuracy and for the loss"
    assert words.count(Status.UNDECIDED) >= 196


def test_one_number_decides_nothing() -> None:
    one = np.array([3_989])
    result = on_limit(answered("primality", 2, 9, np.ones(1, dtype=np.int64), one, 0.01), 4_000)
    for reader in ("signature", "size", "any"):
        found = judge(result, reader)
        assert (found.status, found.assessment.loss.holds) == (Status.UNDECIDED, Holds.OPEN)


def test_of_the_whole_domain_nothing_is_estimated() -> None:
    members = Domain(9_000).members
    for numbers, exact in ((members, True), (members[:-1], False)):
        answers, loss = best_reader("quadratic", 11, 2, numbers)
        found = judge(on_limit(answered("quadratic", 11, 2, answers, numbers, loss), 9_000)).assessment
        assert (found.attained.low == found.accuracy == found.attained.high) == exact
        assert (found.loss.low == loss == found.loss.high) == exact
        assert found.attained.high - found.attained.low < 0.001
        assert (found.attained.holds, found.loss.holds) == (Holds.YES, Holds.YES)


def test_a_census_of_the_default_domain_is_as_good_as_exact(unseen_numbers: IntArray) -> None:
    answers, loss = best_reader("quadratic", 11, 9, unseen_numbers)
    found = judge(answered("quadratic", 11, 9, answers, unseen_numbers, loss)).assessment
    assert found.attained.high - found.attained.low < 0.001
    assert found.loss.low is not None
    assert found.loss.high is not None
    assert found.loss.high - found.loss.low < 0.003


@pytest.mark.parametrize("census", [True, False])
@pytest.mark.parametrize(("modulus", "rows"), [(11, 9), (13, 3), (23, 9)])
def test_knowing_the_residue_refutes(
    modulus: int, rows: int, numbers: IntArray, unseen_numbers: IntArray, census: bool
) -> None:
    given = unseen_numbers if census else numbers
    truth = task_named("quadratic").labels(given, modulus)
    _, loss = best_reader("quadratic", modulus, rows, given)
    verdict = judge(answered("quadratic", modulus, rows, truth, given, loss if census else None))
    assert verdict.status is Status.REFUTED
    beyond = verdict.assessment.nothing_beyond
    assert beyond.holds is Holds.NO
    assert beyond.known == pytest.approx(1 - verdict.assessment.ceiling)
    assert f"between {beyond.low:.2%} and {beyond.high:.2%} of the answers are known" in verdict.sentence


@pytest.mark.parametrize("census", [True, False])
def test_always_the_larger_class_is_underfitted(
    numbers: IntArray, unseen_numbers: IntArray, census: bool
) -> None:
    given = unseen_numbers if census else numbers
    answers = np.ones(len(given), dtype=np.int64)
    verdict = judge(answered("quadratic", 11, 9, answers, given, 0.69 if census else None))
    assert verdict.status is Status.UNDERFITTED


def test_every_theory_applies_to_labels(unseen_numbers: IntArray) -> None:
    answers, loss = best_reader("quadratic", 11, 9, unseen_numbers)
    words = compare(answered("quadratic", 11, 9, answers, unseen_numbers, loss)).words
    assert words == {"signature": "confirmed", "paper": "confirmed", "grid": "underfitted"}


def test_readers_take_the_place_of_theories_for_prime_factors(numbers: IntArray) -> None:
    result = on_small_domain(answered("omega", 2, 9, np.zeros(SIZE, dtype=np.int64), numbers))
    reason = "The theory 'grid' does not apply to the task omega."
    assert predict_run(result.config, "grid") == NotApplicable("grid", reason)
    assert compare(result).words == dict.fromkeys(("signature", "size", "any"), "underfitted")
    with pytest.raises(InputError, match="does not apply to the task omega"):
        judge(result, "grid")


def on_small_domain(result: RunResult) -> RunResult:
    return replace(result, config=replace(result.config, limit=100_000))


@pytest.mark.parametrize("reader", ["local", "size", "any"])
def test_a_network_that_answers_as_a_reader_confirms_it(reader: str) -> None:
    """The best answers for the evidence of a reader; the readers that see less are refuted by it."""
    nothing = np.zeros(1, dtype=np.int64)
    config = on_small_domain(answered("omega", 2, 9, nothing, nothing + 1)).config
    readers = Readers(TaskProblem.of(config))
    evidence, labels = readers.evidence(reader), readers.problem.labels
    odd = np.bincount(evidence, labels) / np.bincount(evidence)
    truth = np.where(labels == 1, odd[evidence], 1 - odd[evidence])
    answers = (odd > 0.5).astype(np.int64)[evidence]
    loss = float(-np.log(truth).mean())
    result = on_small_domain(answered("omega", 2, 9, answers, readers.problem.numbers, loss))
    assert judge(result, reader).status is Status.CONFIRMED
    if reader != "local":
        assert judge(result).status is Status.REFUTED
    assert not isinstance(predict_run(RunConfig(modulus=2)), NotApplicable)
