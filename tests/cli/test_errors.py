"""Whatever happens, a command ends with one line and a documented exit code."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import pconv.theory
from pconv.cli import main
from pconv.cli.standard_streams import prepare_streams
from pconv.errors import InputError, PconvError
from pconv.store.sqlite import Store
from tests.cli.conftest import Run

Broken = Callable[[Exception], None]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Broken:
    """Make `pconv design` raise an exception; logs go to the test's directory."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def replace(error: Exception) -> None:
        def raises(*_: object) -> None:
            raise error

        monkeypatch.setattr(pconv.theory, "design_window", raises)

    return replace


def test_an_unexpected_exception_is_one_line_and_a_log(pconv: Run, broken: Broken, tmp_path: Path) -> None:
    broken(RuntimeError("one\ntwo \x1b[2J"))
    done = pconv("design", "-m", 7)
    assert done.returncode == 70
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "RuntimeError: one two \\x1b[2J" in done.stderr
    (log,) = tmp_path.glob("pconv-error-*.log")
    assert str(log) in done.stderr
    assert "Traceback" in log.read_text("utf-8")
    assert "['design', '-m', '7']" in log.read_text("utf-8")


@pytest.mark.parametrize("arguments", [("--debug", "design", "-m", 7), ("design", "-m", 7, "--debug")])
def test_debug_prints_the_traceback(pconv: Run, broken: Broken, arguments: tuple[object, ...]) -> None:
    broken(ZeroDivisionError("by zero"))
    done = pconv(*arguments)
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "in raises" in done.stderr


def test_without_a_place_for_the_log_the_line_says_so(
    pconv: Run, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(RuntimeError("no"))
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", "/not/there")
        done = pconv("design", "-m", 7)
    assert done.returncode == 70
    assert "no log could be written" in done.stderr


@pytest.mark.parametrize("details", ["", "Unable to allocate 205. MiB"])
def test_too_little_memory_is_no_unexpected_error(pconv: Run, broken: Broken, details: str) -> None:
    broken(MemoryError(*filter(None, [details])))
    done = pconv("design", "-m", 7)
    in_brackets = f" ({details})" if details else ""
    assert (done.returncode, done.stderr) == (2, f"pconv: there is not enough memory{in_brackets}\n")


def test_an_error_of_the_system_is_one_line_that_names_the_file(pconv: Run, broken: Broken) -> None:
    broken(PermissionError(13, "Permission denied", "closed/pconv.db"))
    done = pconv("design", "-m", 7)
    assert (done.returncode, done.stderr) == (2, "pconv: closed/pconv.db: Permission denied\n")


@pytest.mark.parametrize(
    "arguments",
    [("classify", "a" * 300, 7), ("runs", "--store", "a" * 300), ("sweep", "a" * 300), ("show", "a" * 300)],
)
def test_a_name_that_is_too_long_is_invalid_input(pconv: Run, arguments: tuple[object, ...]) -> None:
    done = pconv(*arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("theory", "-m", "9" * 5_000),
        ("theory", "-m", 7, "--offsets", "9" * 5_000),
        ("classify", "ab@" + "9" * 200, 7),
        ("classify", "w.safetensors", "9" * 5_000),
        ("design", "-m", 7, "9" * 5_000),
    ],
)
def test_thousands_of_digits_are_a_short_message(pconv: Run, arguments: tuple[object, ...]) -> None:
    done = pconv(*arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 1_100


def test_what_is_allowed_is_shown_behind_a_long_value() -> None:
    assert str(InputError("kernel", "0" * 5_000, "must be odd")).endswith("0...: must be odd")


@pytest.mark.parametrize(
    "arguments",
    [
        ("figure", "scatter", "--preset", "large", "-o", "x.svg"),
        ("figure", "losses", "--preset", "large", "-o", "x.svg"),
        ("figure", "architecture", "--preset", "large", "-o", "x.svg"),
    ],
)
def test_an_unknown_preset_is_invalid_input(pconv: Run, store: Store, arguments: tuple[object, ...]) -> None:
    done = pconv(*arguments)
    assert done.returncode == 2
    assert "must be one of: quick, paper" in done.stderr


@pytest.mark.parametrize("arguments", [("theory", "-m", 7), ("theory", "-m", 7, "--json"), ("--help",)])
def test_a_full_standard_output_is_invalid_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[object, ...]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pconv", *map(str, arguments)])
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: SIM117
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", full)
            with pytest.raises(SystemExit) as ended:
                main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("No space left on device\n")


def test_a_closed_pipe_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "argv", ["pconv", "theory", "-m", "7"])
    with os.fdopen(writer, "w") as pipe, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", pipe)
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 0


def test_a_closed_standard_output_is_invalid_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        patched.setattr(sys, "stderr", io.StringIO())
        with pytest.raises(PconvError, match="standard output is closed"):
            prepare_streams()


def test_the_help_has_the_exit_codes_and_flags_take_no_value(pconv: Run) -> None:
    shown = " ".join(pconv("--help").stdout.split())
    for code in ("0 success", "1 the tested theory is refuted", "2 invalid input", "70 an unexpected error"):
        assert code in re.sub(r"[│ ]+", " ", shown)
    assert "--debug" in shown
    for command in ("train", "sweep", "bench", "theory"):
        lines = pconv(command, "--help").stdout.splitlines()
        assert not [line for line in lines if "bool" in line and "--help" not in line]  # that one is typer's


UNSEARCHABLE = [
    ("train", "-m3", "-B3", "-N8", "-k3", "--store", "closed/pconv.db"),
    ("train", "-m3", "-B3", "-N8", "-k3", "--save", "closed/w.safetensors"),
    ("classify", "closed/w.safetensors", "5"),
    ("runs", "--store", "closed/pconv.db"),
    ("sweep", "closed/grid.toml"),
    ("results", "--from", "closed/results"),
    ("report", "--from", "closed/results"),
    ("report", "-o", "closed/report.html"),
    ("figure", "window", "-m7", "-o", "closed/window.svg"),
]


@pytest.mark.parametrize("arguments", UNSEARCHABLE, ids=lambda arguments: " ".join(arguments[::2]))
def test_an_unsearchable_directory_is_one_line(
    pconv: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """The system refuses even to say whether a file is there. Root may search everything, so that the
    refusal is simulated."""

    def refusing(function: Callable[..., object]) -> Callable[..., object]:
        def call(path: object = ".", *more: object, **settings: object) -> object:
            if isinstance(path, str | Path) and "closed" in Path(path).parts:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return function(path, *more, **settings)

        return call

    for module, name in (
        (os, "stat"),
        (os, "lstat"),
        (os, "open"),
        (os, "mkdir"),
        (os, "scandir"),
        (io, "open"),
    ):
        monkeypatch.setattr(module, name, refusing(getattr(module, name)))
    done = pconv(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "closed" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == []
