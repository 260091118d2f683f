"""What all tests share."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

# Tests run side by side, one for each core: threads of torch would only wait for each other. Set before torch
# is imported, and inherited by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from pconv.evaluate import comparison, predict_run
from pconv.store.sqlite import Store
from pconv.sweeps import process_pool
from pconv.theory.partition import Partition
from pconv.theory.problem import Problem
from pconv.theory.registry import Theory, theories
from tests.forked import ForkServer

# A shell starts jobs in the background with Ctrl-C ignored, and children inherit that: programs that a test
# interrupts would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pconv.db"


@pytest.fixture(scope="session", autouse=True)
def _quick_workers() -> Iterator[None]:
    """Workers of sweeps in this process start with the libraries loaded, and not with an import of torch.

    `tests/sweeps/test_process_pool.py` and sweeps in processes of their own start them as users do.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "numba"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(process_pool, "_spawn", context)
        yield


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Starts programs in processes that have loaded the libraries."""
    with ForkServer() as server:
        yield server


@pytest.fixture
def broken_theory(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a registered theory that raises an exception."""

    def divide(problem: Problem) -> Sequence[Partition]:
        raise ZeroDivisionError("division by zero")

    with_it = {**theories(), "broken": Theory("broken", "it always fails", divide)}
    monkeypatch.setattr(comparison, "theories", lambda: with_it)
    monkeypatch.setattr(predict_run, "theory_named", with_it.__getitem__)
    return "broken"


@pytest.fixture
def store(path: Path) -> Store:
    return Store.open(path)
