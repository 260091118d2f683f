"""A stored run is not shown as the result of another task of the same name."""

from __future__ import annotations

import pytest

from pconv.data.tasks import Task, tasks
from tests.cli.conftest import Run


def test_it_is_one_line(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def define(bound: int) -> None:
        task = Task("mine", "my own", lambda m: 2, lambda residues, m: residues >= bound, of_residue=True)
        monkeypatch.setitem(tasks()._found, "mine", task)

    sizes = ("-m6", "-N8", "-k3", "-r10", "-s16", "-t1", "--test-size=50", "--limit=13000")
    command = ("train", "--task=mine", *sizes, "--json")
    define(3)
    assert pconv(*command).returncode in (0, 1)
    define(2)
    done = pconv(*command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "--task mine: is not the one that run" in done.stderr
    assert "give it another name or use another store" in done.stderr
