"""The loops are compiled before a run, all of them, and the log says so."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from numba import njit

from pconv.engines.sparse import compilation
from tests.forked import ForkServer

COMPILED_LATER = """
import importlib, pkgutil
from numba.core.dispatcher import Dispatcher
from pconv import RunConfig, train
from pconv.engines.sparse import kernels, plan
from pconv.engines.sparse.compilation import compile_loops

names = [f"{kernels.__name__}.{module.name}" for module in pkgutil.iter_modules(kernels.__path__)]
modules = [plan, *map(importlib.import_module, names)]

def compiled():
    loops = [value for module in modules for value in vars(module).values() if isinstance(value, Dispatcher)]
    return {(loop.py_func.__qualname__, str(signature)) for loop in loops for signature in loop.signatures}

small = {"batches": 2, "batch_size": 32, "epochs": 1, "test_size": 100, "limit": 20_000}
for fields in (
    {"primes": 40},
    {"primes": 40, "representation": "residues"},
    {"primes": 300, "weight_decay": 0.1},
    {"primes": 60, "channels": (2, 3), "kernel": 3},
):
    config = RunConfig.from_dict({"modulus": 11, **small, **fields})
    compile_loops(config)
    before = compiled()
    assert before
    for threads in (1, 2):
        train(config, threads=threads, census=False)
    assert compiled() == before, (fields, compiled() - before)
"""


def test_a_run_compiles_nothing_more(fork_server: ForkServer, tmp_path: Path) -> None:
    """In a process of its own: what other tests have called is compiled already."""
    done = fork_server.run(["-c", COMPILED_LATER], tmp_path)
    assert done.returncode == 0, done.stderr


def test_compiling_is_logged_and_loading_is_not(caplog: pytest.LogCaptureFixture) -> None:
    increment: Any = njit(lambda x: x + 1)
    with caplog.at_level(logging.INFO):
        with compilation._compilation_logged():
            increment(1)
        first, second = (record.message for record in caplog.records)
        assert first.startswith("compiling the training loops")
        assert second.startswith("compiled in ")
        with compilation._compilation_logged():
            increment(1)
        assert len(caplog.records) == 2
