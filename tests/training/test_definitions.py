"""A name that has come to mean another task is noticed; built-in names leave records as they were."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.data.tasks import Task, tasks
from pconv.errors import InputError
from pconv.result import Epoch
from pconv.store.sqlite import Store
from pconv.sweeps.job import ComputedRun, FailedRun, Job, compute, new_training
from pconv.sweeps.run import train
from pconv.training.checkpoint import save_checkpoint
from pconv.training.definitions import BUILT_IN, check_definitions, digests
from pconv.training.options import RunOptions
from tests.fakes import tiny
from tests.sweeps.test_runner import scripted

MINE = replace(tiny(), task="mine", modulus=6)
Define = Callable[[int], None]


@pytest.fixture
def define(monkeypatch: pytest.MonkeyPatch) -> Define:
    """Registers the task "mine" in the place of an earlier one: whether n modulo m is at least a bound."""

    def register(bound: int) -> None:
        task = Task("mine", "my own", lambda m: 2, lambda residues, m: residues >= bound, of_residue=True)
        monkeypatch.setitem(tasks()._found, "mine", task)

    return register


LISTED = """
import json
from pconv.data.representations import representations
from pconv.data.tasks import tasks
from pconv.models.registry import architectures
kinds = {"task": tasks(), "representation": representations(), "architecture": architectures()}
print(json.dumps({kind: list(found._found) for kind, found in kinds.items()}))
"""


def test_the_built_in_names_are_those_of_the_package() -> None:
    listed = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, check=True, text=True).stdout
    assert {kind: frozenset(names) for kind, names in json.loads(listed).items()} == BUILT_IN


def test_built_in_parts_have_no_digest(define: Define) -> None:
    assert digests(tiny()) == {}
    define(3)
    assert list(digests(MINE)) == ["task"]
    assert digests(MINE) == digests(replace(MINE, seed=5))
    assert digests(replace(MINE, task="not-here")) == {}, "a stored run can be shown without its task"


def never(epoch: Epoch) -> None:
    raise AssertionError("nothing is trained")


def test_the_result_of_another_task_of_that_name_is_refused(store: Store, define: Define) -> None:
    define(3)
    first = train(MINE, store=store)
    assert train(MINE, store=store, on_epoch=never) == first
    define(2)
    for wanted in (lambda: train(MINE, store=store), lambda: scripted(store, None)[0].run([MINE])):
        with pytest.raises(InputError, match=rf"^task mine: is not the one that run {MINE.run_id} in the"):
            wanted()
    define(3)
    assert train(MINE, store=store, on_epoch=never) == first
    check_definitions(MINE, {"pconv": "0.1"})  # an older record has none


def test_the_checkpoint_of_another_task_is_refused_and_kept(tmp_path: Path, define: Define) -> None:
    define(3)
    checkpoint = tmp_path / "checkpoint"
    training = new_training(MINE, RunOptions(threads=1))
    training.run_epoch()
    save_checkpoint(checkpoint, training)
    before = checkpoint.read_bytes()
    define(2)
    failed = compute(Job(MINE, RunOptions(threads=1), checkpoint))
    assert isinstance(failed, FailedRun)
    assert "task mine: is not the one" in failed.reason
    assert checkpoint.read_bytes() == before
    define(3)
    assert isinstance(compute(Job(MINE, RunOptions(threads=1), checkpoint)), ComputedRun)
