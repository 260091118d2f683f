"""`pconv theory --task`, `pconv explain --task` and `--task-file` as a user asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pconv.data.tasks import tasks
from tests.cli.conftest import Run

SMALL = ("--limit=5000", "-N4")


def test_theory_of_every_kind_of_task(pconv: Run) -> None:
    document = json.loads(pconv("theory", "--task=mobius", *SMALL, "--json").stdout)
    assert (document["modulus"], document["labels"], document["columns"]) == (3, ["-1", "0", "+1"], 4)
    readers = document["readers"]
    accuracies = [readers[name]["accuracy"] for name in ("limit", "local", "size", "any")]
    assert accuracies == sorted(accuracies)
    assert readers["limit"]["density"]["kind"] == "exact"
    assert all(each["low"] <= each["accuracy"] <= each["high"] for each in readers.values())

    residue = json.loads(pconv("theory", "--task=residue", "-m16", "-B2", *SMALL, "--json").stdout)
    assert residue["ceiling_fraction"] == "5/8"
    assert residue["readers"]["local"]["accuracy"] == pytest.approx(residue["exact_ceiling"])
    assert residue["readers"]["local"]["loss_floor"] == pytest.approx(residue["exact_loss_floor"])
    binary = json.loads(
        pconv("theory", "--task=residue", "-m12", "--representation=binary", *SMALL, "--json").stdout
    )
    assert binary["readers"]["limit"]["density"]["accuracy"] == pytest.approx(1 / 3)
    assert "readers" not in json.loads(pconv("theory", "-m16", "--json").stdout)

    text = " ".join(pconv("theory", "--task=squarefree", *SMALL).stdout.split())
    assert "Readers of n..n+8 in 4 columns (exponents), on the 4,999 numbers of the domain" in text
    assert "any: sees the whole grid" in text
    assert "Among all integers the accuracy of the limit reader is" in text


def test_a_task_without_a_modulus_is_trained_with_its_own(pconv: Run) -> None:
    assert "(-m 3 -B 8 -k 7 -N 32 --task mobius)" in pconv("train", "--task=mobius", "--dry-run").stdout


def test_explain_a_label(pconv: Run) -> None:
    document = json.loads(pconv("explain", "--task=mobius", "-n", 123456, *SMALL, "--json").stdout)
    assert document["sentences"][:2] == [
        "Row n shows 2^6 * 3 = 192; prime factors beyond 7 are not shown.",
        "So the label is determined: 0.",
    ]
    assert "not among the 4,999 numbers" in document["sentences"][-1]
    open_label = pconv("explain", "--task=mobius", "-n", 2310, *SMALL).stdout
    assert "The label is not determined; what is not shown decides." in open_label
    assert "In truth it is -1." in open_label
    assert [line.split()[0] for line in open_label.splitlines()[-4:]] == ["limit", "local", "size", "any"]
    residue = pconv("explain", "--task=quadratic", "-m11", "-n", 22, *SMALL, "-N5").stdout
    assert "row n is a multiple of 11: n is 0 modulo 11" in residue


FILE = """
from pconv.data.tasks import register_task


print("the file runs")


@register_task("last-digit", "the last digit of n, halved", classes=5, of_residue=False)
def last_digit(numbers, modulus):
    return numbers % 10 // 2
"""


@pytest.fixture
def _forgotten() -> Iterator[None]:
    """The task of a file is gone after a command, as in a process of its own."""
    before = dict(tasks()._found)
    yield
    tasks()._found.clear()
    tasks()._found.update(before)


@pytest.mark.usefixtures("_forgotten")
def test_a_task_from_a_file(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    done = pconv("theory", "--task-file=mine.py", "-m10", *SMALL, "--json")
    assert "the file runs" in done.stderr
    document = json.loads(done.stdout)
    assert document["task"] == "last-digit"
    assert document["readers"]["limit"]["density"]["kind"] == "interval"
    tiny = ("-B3", "-N8", "-k3", "-r20", "-s64", "-t1", "--test-size=500", "--limit=20000")
    del tasks()._found["last-digit"]
    trained = pconv("train", "-m10", *tiny, "--task-file=mine.py", "--json")
    assert json.loads(trained.stdout)["config"]["task"] == "last-digit"


SPLITTING = """
import numpy as np
from pconv.data.splitting import Splitting
from pconv.data.tasks import register_splitting_task

COUNT = Splitting(3, lambda p, e: np.minimum(e, 2), lambda a, b: np.minimum(a + b, 2), lambda state: state)
register_splitting_task"""


@pytest.mark.usefixtures("_forgotten")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("theory",), "--modulus (missing): the task residue needs one"),
        (("train",), "--modulus (missing): the task residue needs one"),
        (("theory", "--task=mobius", "-m5"), "--modulus 5: must be 3 for the task mobius"),
        (("theory", "--task=mobius", "--offsets=1,2"), "--offsets 1,2: must contain 0: the task mobius"),
        (("theory", "-m7", "--representation=binary"), "--representation binary: the signature theory"),
        (("theory", "--task-file=gone.py"), "--task-file gone.py: cannot be read (No such file"),
        (("theory", "--task-file=empty.py"), "--task-file empty.py: registers no task"),
        (("theory", "--task-file=wrong.py"), "--task-file wrong.py: it raised ZeroDivisionError"),
        (("theory", "--task-file=ends.py"), "--task-file ends.py: it raised SystemExit: 5"),
        (("theory", "--task-file=text.txt"), "--task-file text.txt: must be a Python file"),
        (("theory", "--task-file=labels.py"), "--task two: gives the label 2, must be from 0 to 1"),
        (("theory", "--task-file=names.py"), "--task three: has 2 names of labels for 3 classes"),
        (("explain", "--task-file=names.py", "-n7"), "--task three: has 2 names of labels for 3 classes"),
        (("explain", "--task=mobius", "--offsets=1,2", "-n9999"), "--offsets 1,2: must contain 0: the task"),
        (("explain", "--task=omega"), "--task omega: explains the label of one number: give -n"),
        (("explain", "--task=omega", "-n0"), "--number 0: it and all of n..n+8 must be from 1 to"),
        (("explain", "--task=omega", f"-n{2**63}"), f"--number {2**63}: it and all of n..n+8 must be"),
    ],
)
def test_what_is_refused(pconv: Run, tmp_path: Path, arguments: tuple[str, ...], line: str) -> None:
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "wrong.py").write_text("1 / 0")
    (tmp_path / "ends.py").write_text("raise SystemExit(5)")
    (tmp_path / "text.txt").write_text("")
    (tmp_path / "labels.py").write_text(f'{SPLITTING}("two", "", lambda m: COUNT, 2, 2)')
    (tmp_path / "names.py").write_text(f'{SPLITTING}("three", "", lambda m: COUNT, 3, 2, ("a", "b"))')
    done = pconv(*arguments, "--limit=5000")
    assert done.returncode == 2
    assert done.stderr.startswith(f"pconv: {line}")
    assert done.stderr.count("\n") == 1
