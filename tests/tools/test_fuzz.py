"""The fuzzer finds what is planted: crashes, hangs, dead processes, lost and unfinished files."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import sqlite3
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import pconv.theory
from tools.fuzz import pool, worker
from tools.fuzz.command_lines import commands
from tools.fuzz.in_process import Budget, Ended
from tools.fuzz.kinds import KINDS, Kind
from tools.fuzz.sandbox import Sandbox, files_below
from tools.fuzz.worker import Case, Outcome, run_case

Plant = Callable[[Callable[..., object]], Outcome]
CASE = Case(0, "planted", 0)


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """With one input file and a store that nothing reads."""
    (tmp_path / "template/files").mkdir(parents=True)
    (tmp_path / "template/files/input.txt").write_text("before")
    with sqlite3.connect(tmp_path / "template/files/pconv.db") as db:
        db.execute("CREATE TABLE results (run_id TEXT)")
        db.execute("INSERT INTO results VALUES ('fb3713e1')")
    db.close()
    (tmp_path / "place").mkdir()
    found = Sandbox(tmp_path / "template", tmp_path / "place")
    monkeypatch.chdir(found.files)
    monkeypatch.setattr(tempfile, "tempdir", str(found.temporary))
    return found


@pytest.fixture
def plant(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Run `pconv design -m 7` as a case, with something else in place of its work."""
    monkeypatch.setitem(KINDS, "planted", Kind("planted", 0, lambda *_: ["design", "-m", "7"]))

    def planted(work: Callable[..., object]) -> Outcome:
        monkeypatch.setattr(pconv.theory, "design_window", work)
        return run_case(CASE, sandbox)

    return planted


def words(outcome: Outcome) -> list[str]:
    return [finding.what for finding in outcome.findings]


def test_a_sound_command_has_no_finding(plant: Plant) -> None:
    outcome = plant(pconv.theory.design_window)
    assert (outcome.status, outcome.findings, outcome.ended.code) == ("accepted", (), 0)


def test_a_crash_is_found_with_its_place(plant: Plant) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    (what,) = words(plant(crash))
    assert what.startswith("exit code 70: ZeroDivisionError at pconv/cli/commands/design.py:")


def test_an_exception_that_leaves_the_program_is_found(plant: Plant) -> None:
    def leave(*_: object) -> None:
        raise GeneratorExit  # no Exception: nothing handles it

    (what,) = words(plant(leave))
    assert what.startswith("uncaught GeneratorExit")


def test_a_command_that_takes_long_is_interrupted_and_found(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(worker, "TIME", Budget(processor=0.02, clock=60))
    gc.disable()  # an interrupt inside a callback of the collector, such as hypothesis has, is lost
    try:
        outcome = plant(spin)
    finally:
        gc.enable()
    assert (outcome.status, outcome.ended.code, words(outcome)) == ("long", 130, ["design takes long"])


@pytest.mark.parametrize(
    ("work", "what"),
    [
        (lambda: Path("input.txt").write_text("after"), "design has changed a file that is no output"),
        (lambda: Path("input.txt").unlink(), "design has removed a file that is no output"),
        (lambda: Path("more.txt").touch(), "design has added a file that is no output"),
        (lambda: Path(".more.txt.abcd1234").touch(), "an unfinished file is left"),
        (lambda: Path(tempfile.gettempdir(), "x").touch(), "a temporary file is left"),
        (lambda: print("\x1b[2J"), "control characters on stdout"),
        (lambda: os.write(2, b"Traceback (most recent call last):\n"), "a traceback on stderr"),
    ],
)
def test_what_a_command_must_not_do_is_found(plant: Plant, work: Callable[[], object], what: str) -> None:
    sound = pconv.theory.design_window
    assert what in words(plant(lambda *given: (work(), sound(*given))[1]))


def test_a_lost_run_is_found(plant: Plant) -> None:
    sound = pconv.theory.design_window

    def lose(*given: object) -> object:
        with sqlite3.connect("pconv.db") as db:
            db.execute("DELETE FROM results")
        db.close()
        return sound(*given)  # type: ignore[arg-type]

    assert "design has lost runs of the store" in words(plant(lose))


def test_the_next_case_finds_all_files_as_they_were(plant: Plant, sandbox: Sandbox) -> None:
    before = files_below(sandbox.files)

    def remove_all(*_: object) -> None:
        for name in {*os.listdir()} - {"folder"}:
            os.remove(name)

    plant(remove_all)
    assert list(files_below(sandbox.files)) == ["folder"]
    sandbox.restore()
    assert files_below(sandbox.files) == before


@pytest.fixture
def forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Workers are forks of this process, which has loaded all modules, and need no template."""
    monkeypatch.setattr(pool, "_processes", multiprocessing.get_context("fork"))
    monkeypatch.setattr(pool, "_make_template", lambda scratch: None)
    return tmp_path


def _answer(connection: Connection, *_: object) -> None:
    """A worker that dies of case 1, hangs in case 2 and does others."""
    connection.send("ready")
    while (case := connection.recv()) is not None:
        if case.number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if case.number == 2:
            signal.pause()
        connection.send(run_nothing(case))


def run_nothing(case: Case) -> Outcome:
    return Outcome("accepted", (), (), Ended(0, "", ""), 0.0)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_dies_or_hangs_is_found_and_replaced(
    forked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "work", _answer)
    monkeypatch.setattr(pool, "HUNG", 0.05)
    cases = [Case(0, "stores", number) for number in range(4)]
    found = {case.number: words(outcome) for case, outcome in pool.run_cases(cases, 1, forked)}
    assert found == {0: [], 1: ["the process died (SIGKILL)"], 2: ["the command hangs"], 3: []}
    assert str(cases[1]) == "python -m tools.fuzz --seed 0 --only stores 1"


def test_the_grammar_is_that_of_the_program() -> None:
    names = {command.name for command in commands()}
    assert {"theory", "train", "sweep", "figure losses", "gc"} <= names
    train = next(command for command in commands() if command.name == "train")
    types = {parameter.name: parameter.type for parameter in train.parameters}
    assert (types["modulus"], types["save"], types["no_census"], types["level"]) == (int, Path, bool, float)


def test_a_case_is_determined_by_its_name() -> None:
    prepare = KINDS["arguments"].prepare
    cases = [Case(0, "arguments", number) for number in range(200)]
    lines, again = ([prepare(random.Random(str(case)), Path()) for case in cases] for _ in range(2))
    assert lines == again
    assert len({line[0] for line in lines if line}) > 15, "most commands"
    assert not any(".." in word or word.startswith("/") for line in lines for word in line)
