"""What every theory promises, whoever wrote it; and how a user adds one."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from types import ModuleType

import numpy as np
import pytest

from pconv.errors import InputError, PconvError
from pconv.theory import (
    Listed,
    Partition,
    Problem,
    Theory,
    predict,
    register_theory,
    theories,
    theory_named,
)
from pconv.theory import registry as theory_registry
from pconv.theory.laws import solved_by_totients
from pconv.theory.observations import observation_1
from pconv.window import successor_window
from tests.theory.partitions import refines

PROBLEMS = [
    *(Problem(modulus, successor_window(count)) for modulus in range(2, 130) for count in (0, 1, 2, 5, 8)),
    *(Problem(modulus, window) for modulus in (7, 12, 16, 22, 45) for window in ([-3, 0, 4], [5], [1, 2, 3])),
    Problem(22, range(9), primes=2),
    Problem(16, range(9), cap=2),
    Problem(16, range(9), primes=set()),
]


@pytest.fixture(params=list(theories()))
def candidate(request: pytest.FixtureRequest) -> Theory:
    return theory_named(request.param)


@pytest.fixture
def clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test adds is forgotten after it, and installed packages are asked again."""
    monkeypatch.setattr(theory_registry._theories, "_found", dict(theories()))
    monkeypatch.setattr(theory_registry._theories, "_complete", False)


def test_a_prediction_partitions_all_classes(candidate: Theory) -> None:
    for problem in PROBLEMS:
        prediction = candidate.predict(problem)
        if prediction is None:
            continue
        assert prediction.theory == candidate.name
        listed = sorted(c for group in prediction.groups for c in group)
        assert listed == list(range(problem.modulus))
        assert [group[0] for group in prediction.groups] == sorted(group[0] for group in prediction.groups)
        assert prediction.distinguishable == len(prediction.groups)
        assert (
            prediction.solved == (prediction.distinguishable == problem.modulus) == (prediction.ceiling == 1)
        )
        assert prediction.solved == (prediction.loss_floor == 0)
        for part in prediction.parts:
            assert part.sizes() == Counter(np.bincount(part.labels())[np.unique(part.labels())].tolist())


def test_huge_moduli_cost_nothing_until_groups_are_asked_for(candidate: Theory) -> None:
    prediction = candidate.predict(Problem(2**62, range(9)))
    assert prediction is not None
    assert 0 < prediction.ceiling <= 1
    assert 0 <= prediction.loss_floor < 62 * np.log(2)
    with pytest.raises(InputError, match="modulus"):
        _ = prediction.groups


def test_the_same_question_gets_the_same_answer(candidate: Theory) -> None:
    for problem in PROBLEMS[::17]:
        first, second = candidate.predict(problem), candidate.predict(problem)
        assert (first and first.groups) == (second and second.groups)


def test_signature_and_grid_always_apply_and_the_paper_only_to_its_own_windows() -> None:
    paper = theory_named("paper")
    for problem in PROBLEMS:
        assert theory_named("signature").predict(problem) is not None
        assert (theory_named("grid").predict(problem) is None) == (problem.primes == frozenset())
    assert paper.predict(Problem(16, range(1, 4))) is None
    assert paper.predict(Problem(22, range(9), primes=4)) is None
    assert paper.predict(Problem(22, range(9), primes=5)) is not None
    assert paper.predict(Problem(16, range(9), cap=3)) is None


@pytest.mark.parametrize("count", range(0, 27))
def test_signature_refines_the_paper_and_agrees_on_what_is_solved(count: int) -> None:
    for modulus in range(2, 200):
        problem = Problem(modulus, successor_window(count))
        ours, theirs = predict(modulus, problem.offsets), theory_named("paper").predict(problem)
        assert theirs is not None
        assert refines(ours.labels, theirs.labels)
        assert ours.solved == theirs.solved == solved_by_totients(modulus, count + 1)
        alone = {group[0] for group in theirs.groups if len(group) == 1}
        assert observation_1(modulus, count) <= alone


@pytest.mark.parametrize("count", [8, 16, 24])
def test_solved_exactly_where_the_paper_says_so(count: int) -> None:
    unsolved = {
        8: {11, 13, 17, 19, 22, 23, 25, 26, 27, 29},
        16: {19, 23, 25, 27, 29},
        24: {29},
    }
    for modulus in range(2, 31):
        problem = Problem(modulus, successor_window(count))
        for name in ("signature", "paper"):
            prediction = theory_named(name).predict(problem)
            assert prediction is not None
            assert prediction.solved == (modulus not in unsolved[count]), (name, modulus)


def test_the_papers_pattern_of_sixteen_through_three_rows() -> None:
    prediction = theory_named("paper").predict(Problem(16, range(3)))
    assert prediction is not None
    assert prediction.groups == ((0,), (1, 5, 9, 13), (2, 6, 10), (3, 7, 11), (4, 8, 12), (14,), (15,))
    assert float(prediction.ceiling) == 0.4375


def test_unsolved_components_of_the_paper_combine_as_a_product() -> None:
    prediction = theory_named("paper").predict(Problem(11 * 13, range(9)))
    assert prediction is not None
    assert prediction.distinguishable == 10 * 10
    alike = {c for c in range(143) if c % 11 in (1, 2) and c % 13 in (1, 2, 3, 4)}
    assert set(prediction.group_of(1)) == alike


@pytest.mark.usefixtures("clean_registry")
def test_a_user_adds_a_theory_in_a_few_lines() -> None:
    @register_theory("parity", claim="only the parity of n is ever seen")
    def parity(problem: Problem) -> Sequence[Partition]:
        return [Listed(np.arange(problem.modulus) % 2)]

    assert list(theories()) == ["signature", "paper", "grid", "parity"]
    prediction = theory_named("parity").predict(Problem(6, range(3)))
    assert prediction is not None
    assert prediction.groups == ((0, 2, 4), (1, 3, 5))
    with pytest.raises(InputError, match="registered already"):
        register_theory("parity", claim="again")(parity.partition)


@pytest.mark.usefixtures("clean_registry")
def test_an_installed_package_adds_a_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("some_package")
    package.blind = Theory("blind", "nothing is seen", lambda q: [Listed([0] * q.modulus)])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_package", package)
    found = [EntryPoint("blind", "some_package:blind", "pconv.theories")]
    monkeypatch.setattr("pconv.registry.entry_points", lambda group: found)
    assert "blind" in theories()


@pytest.mark.usefixtures("clean_registry")
@pytest.mark.parametrize("value", ["json:dumps", "no_such_package:theory"])
def test_a_broken_package_is_named_in_one_line(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pconv.registry.entry_points", lambda group: [EntryPoint("odd", value, group)])
    with pytest.raises(PconvError, match="the theory odd"):
        len(theories())


def test_an_unknown_theory_is_an_input_error() -> None:
    with pytest.raises(InputError, match="must be one of: signature, paper, grid"):
        theory_named("astrology")


@pytest.mark.parametrize("moduli", [[5], [], [2, 2, 3]])
def test_a_theory_must_speak_of_all_classes(moduli: list[int]) -> None:
    partial = Theory(
        "partial", "leaves classes out", lambda q: [Listed(range(modulus)) for modulus in moduli]
    )
    with pytest.raises(InputError, match="partial: its partitions need coprime moduli whose product is 12"):
        partial.predict(Problem(12, range(3)))
