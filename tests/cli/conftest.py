"""The command line, in this process or in one of its own.

`pconv` runs a command in this process, where all that is slow to load is loaded already. Use it unless the
process itself is what is tested. `pconv_process` starts `python -m pconv` as a user does, which takes a
second or more. Use it where a process of its own matters: imports, signals, terminals, standard streams,
several processes on one store. `test_cli.py` and the pages of the documentation run every command once in a
process that has loaded the libraries and nothing of pconv (`fork_server`), so other tests need not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
import torch

from pconv.board.registry import METHODS
from pconv.cli import main
from pconv.cli.views import progress
from pconv.data.representations import _representations
from pconv.engines.sparse.compilation import compile_all
from pconv.models.registry import _architectures
from pconv.registry import Registry
from pconv.studies.catalog import STUDIES
from pconv.theory.registry import _theories

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """After a change of the training loops, no test is the one that waits for them and sees it logged."""
    compile_all()


@contextmanager
def _state_restored() -> Iterator[None]:
    """Undoes what a command changes in its process, so that the next one starts as the first did."""
    directory, threads = Path.cwd(), torch.get_num_threads()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    on_unraisable = sys.unraisablehook
    with patch.dict(os.environ), warnings.catch_warnings():
        try:
            yield
        finally:
            os.chdir(directory)
            torch.set_num_threads(threads)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            sys.unraisablehook = on_unraisable


@pytest.fixture
def pconv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `pconv ARGUMENT...` in an empty directory and in this process.

    An exception that the program does not handle is raised here. Output includes that of worker processes.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")  # the width without a terminal
    monkeypatch.setattr(progress, "STATUS_AFTER", 3600.0)  # no line because a test's machine is busy

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = ["pconv", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", command)
        capfd.readouterr()
        code: object = None
        with _state_restored():
            try:
                main()
            except SystemExit as end:
                code = end.code
            except KeyboardInterrupt:  # would end the whole test session
                pytest.fail("an interrupt was not handled")
        captured = capfd.readouterr()
        assert isinstance(code, int)
        return subprocess.CompletedProcess(command, code, captured.out, captured.err)

    return run


def run_process(directory: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `pconv ARGUMENT...` in a directory and in a process of its own."""
    command = [sys.executable, "-m", "pconv", *map(str, arguments)]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def pconv_process(tmp_path: Path) -> Run:
    """Run `pconv ARGUMENT...` in an empty directory and in a process of its own."""
    return lambda *arguments: run_process(tmp_path, *arguments)


class Trained(NamedTuple):
    """A directory with a store of one run, which its tests copy, and what `pconv train` printed."""

    directory: Path
    document: Any

    @property
    def run_id(self) -> str:
        return str(self.document["run_id"])


_SIZES = ("-m11", "-N8", "-k3", "-r20", "-s32", "-t4", "--test-size=200", "--limit=13000")
TRAIN = ("train", *_SIZES, "--no-early-stop", "--no-census", "--snapshots=4,2", "--json")
"""The command of the run that tests share."""


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """One run without a census, its snapshots of the epochs 2 and 4, and its weights in `w.safetensors`."""
    directory = tmp_path_factory.mktemp("trained")
    done = run_process(directory, *TRAIN, "--save=w.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    return Trained(directory, json.loads(done.stdout))


_REGISTRIES: dict[str, Registry[Any]] = {
    registry.group: registry for registry in (_theories, _representations, _architectures, STUDIES, METHODS)
}


@contextmanager
def installed(site: Path, module: str, code: str, entries: dict[str, str]) -> Iterator[None]:
    """Within the block, a package with entry points is installed for this process and those that it starts.

    Parameters
    ----------
    site
        A new directory for it.
    module
        The name of its one module.
    code
        The text of the module.
    entries
        For each entry point group the attribute of the module that it names.
    """
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / f"{module}.py").write_text(code)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    lines = (f"[{group}]\n{name} = {module}:{name}\n" for group, name in entries.items())
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patched:
        for group in entries:
            registry = _REGISTRIES[group]
            patched.setattr(registry, "_found", dict(registry.items()))
            patched.setattr(registry, "_complete", False)  # entry points are read again
        patched.syspath_prepend(site)
        try:
            yield
        finally:
            sys.modules.pop(module, None)
