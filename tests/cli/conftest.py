"""The command line, run as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pconv.cli import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def pconv(tmp_path: Path) -> Run:
    """Run `pconv ARGUMENT...` in an empty directory."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pconv", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The same in this process, where all that is slow to load is loaded already."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = ["pconv", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", command)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return subprocess.CompletedProcess(command, code, captured.out, captured.err)

    return run
