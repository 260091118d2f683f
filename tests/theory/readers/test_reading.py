"""Readers against brute force on small domains, and their order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.config import RunConfig
from pconv.data.tasks import task_named, tasks
from pconv.errors import InputError
from pconv.theory.readers import READERS, Readers, TaskProblem, explain_label, why_label
from tests.theory.readers.brute_force import LABELS, bayes, domain_matches, grid, local, same_partition

FIXED = {"primality": 2, "mobius": 3, "squarefree": 2, "liouville": 2}


@st.composite
def configs(draw: st.DrawFn, representations: tuple[str, ...] = ("exponents",)) -> RunConfig:
    task = draw(st.sampled_from(sorted(LABELS)))
    others = draw(st.sets(st.integers(-3, 12), max_size=3))
    return RunConfig(
        modulus=FIXED.get(task) or draw(st.integers(2, 12)),
        offsets=tuple({0, *others}),
        primes=draw(st.integers(1, 8)),
        limit=draw(st.integers(60, 500)),
        smooth=draw(st.sampled_from([0, 12])),
        representation=draw(st.sampled_from(representations)),
        architecture="mlp",
        task=task,
    )


@given(config=configs())
@settings(derandomize=True, deadline=None, max_examples=40)
def test_local_and_any_are_those_of_brute_force(config: RunConfig) -> None:
    assert domain_matches(config)
    readers = Readers(TaskProblem.of(config))
    numbers = readers.problem.numbers.tolist()
    labels = [LABELS[config.task](n, config.modulus) for n in numbers]
    assert readers.problem.labels.tolist() == labels
    for name, evidence in (("local", local), ("any", grid)):
        expected = [evidence(n, config) for n in numbers]
        assert same_partition(readers.evidence(name).tolist(), expected)
        reading = readers.reading(name)
        assert (reading.accuracy, reading.loss_floor) == pytest.approx(bayes(expected, labels))
        assert reading.evidence_classes == len(set(expected))


@given(config=configs(("exponents", "capped", "residues", "binary")))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_each_reader_sees_all_that_the_one_before_sees(config: RunConfig) -> None:
    """So on the domain their accuracies increase and their losses decrease, whatever the task."""
    readers = Readers(TaskProblem.of(config))
    numbers = readers.problem.numbers.tolist()
    assert same_partition(readers.evidence("any").tolist(), [grid(n, config) for n in numbers])
    for coarse, fine in (("local", "size"), ("size", "any")):
        pairs = set(zip(readers.evidence(fine).tolist(), readers.evidence(coarse).tolist(), strict=True))
        assert len(pairs) == len({seen for seen, _ in pairs}), f"{coarse} sees what {fine} does not"
    found = list(readers.readings().values())
    for less, more in pairwise(found):
        assert less.accuracy <= more.accuracy + 1e-12
        assert less.loss_floor is None or less.loss_floor >= (more.loss_floor or 0) - 1e-12


def test_the_best_of_all_readers_modulo_16() -> None:
    config = RunConfig(modulus=16, offsets=(0, 1, 2), primes=8, kernel=(3,))
    assert round(Readers(TaskProblem.of(config)).reading("any").accuracy, 4) == 0.718


def test_sizes_reveal_hidden_powers() -> None:
    """Capped exponents modulo 4 on the whole domain; plain exponents hide no power, and sizes tell little."""
    capped = Readers(TaskProblem.of(RunConfig(modulus=4, representation="capped")))
    assert round(capped.reading("local").accuracy, 4) == 0.5164
    assert round(capped.reading("size").accuracy, 4) == 0.5945
    plain = Readers(TaskProblem.of(RunConfig(modulus=11, limit=50_000)))
    assert plain.reading("size").accuracy - plain.reading("local").accuracy < 0.01


def test_identical_grids_of_a_representation_of_ones_own() -> None:
    """Grids of other representations are hashed; here the hash finds what residues are known to show."""
    shown = TaskProblem.of(RunConfig(modulus=5, primes=3, limit=300, representation="residues"))
    unknown = TaskProblem(
        shown.task,
        5,
        shown.offsets,
        3,
        type(shown.representation)("mine", "residues, undeclared", shown.representation.encode),
        shown.domain,
    )
    readers = Readers(unknown)
    assert same_partition(readers.evidence("any").tolist(), Readers(shown).evidence("any").tolist())
    assert readers.reading("local").evidence_classes == 1
    assert readers.reading("size").accuracy == readers.reading("local").accuracy


def test_digits_show_powers_of_two_and_n_itself() -> None:
    eight = Readers(TaskProblem.of(RunConfig(modulus=8, representation="binary", limit=2_000)))
    assert [eight.reading(name).accuracy for name in READERS] == [1.0] * 4
    seven = Readers(TaskProblem.of(RunConfig(modulus=7, representation="binary", limit=2_000)))
    density = seven.reading("limit").density
    assert density is not None
    assert density.accuracy == pytest.approx(1 / 7)
    assert seven.reading("any").accuracy == 1.0
    few = Readers(TaskProblem.of(RunConfig(modulus=7, representation="binary", limit=2_000, primes=4)))
    assert few.reading("any").evidence_classes == 16


def test_a_window_without_n_says_so() -> None:
    readers = Readers(TaskProblem.of(RunConfig(modulus=3, task="mobius", limit=500, offsets=(1, 2))))
    with pytest.raises(InputError, match="offsets 1,2: must contain 0: the task mobius is about the row n"):
        readers.reading("local")
    for number in (600, 300):  # outside the domain and in it
        with pytest.raises(InputError, match="must contain 0"):
            explain_label(readers, number)
    assert why_label(readers.problem, 12) == (
        "The task mobius is about the row n itself, which the window does not contain."
    )
    with pytest.raises(InputError, match="reader all: must be one of: limit, local, size, any"):
        readers.evidence("all")


def test_every_task_that_ships_has_labels_with_names() -> None:
    for name, task in tasks().items():
        if task.splitting:
            assert task.modulus is not None
            names = task.label_names(task.modulus)
            assert len(names) == task.classes(task.modulus), name
            numbers = np.arange(1, 3_000)
            expected = [LABELS[name](n, task.modulus) for n in numbers.tolist()]
            assert task.labels(numbers, task.modulus).tolist() == expected
    assert task_named("least-factor").label_names(4) == ("2", "3", "5", "later or none")
    assert task_named("divisors").label_names(3) == ("1", "2", "3 or more")
