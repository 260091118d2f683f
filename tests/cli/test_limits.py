"""Work without bounds is refused before it begins, with one line that names the bound."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pconv.engines import memory
from tests.cli.conftest import Run

TINY = ("train", "-m", 3, "-B", 3, "-N", 8, "-k", 3, "-r", 10, "-s", 16, "-t", 2, "--limit", 13_000)


def test_a_run_that_does_not_fit_into_memory_is_refused(pconv: Run) -> None:
    done = pconv("train", "-m", 1024, "-B", 200, "-N", 82_025, "-t", 1)
    assert done.returncode == 2
    assert "GB of memory" not in done.stdout
    assert done.stderr.startswith("pconv: the run needs about ")
    assert done.stderr.count("\n") == 1


def test_a_stored_run_needs_no_memory(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    small = (*TINY, "--test-size", 50)
    assert pconv(*small).returncode in (0, 1)
    monkeypatch.setattr(memory, "available_memory", lambda: 1)
    assert pconv(*small).returncode in (0, 1)
    assert pconv(*small, "--seed", 1).returncode == 2


def test_a_dry_run_shows_time_and_memory_and_trains_nothing(pconv: Run, tmp_path: Path) -> None:
    done = pconv("train", "-m", 1024, "-B", 200, "-N", 82_025, "--dry-run")
    assert done.returncode == 0
    assert "memory: about " in done.stdout
    document = json.loads(pconv(*TINY, "--dry-run", "--json").stdout)
    assert document["status"] == "wanted"
    assert document["memory"]["total"] == sum(
        size for name, size in document["memory"].items() if name != "total"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_sweeps_dry_run_shows_the_memory_of_each_cell(pconv: Run, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text("[grid]\nmodulus = [7, 11]\nprimes = 5000\n")
    cells = json.loads(pconv("sweep", "grid.toml", "--dry-run", "--json").stdout)["cells"]
    assert all(cell["memory"] > 1e9 for cell in cells)
    assert pconv("sweep", "grid.toml", "--dry-run").stdout.count(" GB ") == 2


@pytest.mark.parametrize("command", [("sweep", "grid.toml"), ("reproduce", "headline")])
def test_a_sweep_with_a_run_that_does_not_fit_into_memory_is_refused(
    pconv: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    (tmp_path / "grid.toml").write_text("[grid]\nmodulus = [7, 11]\n")
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000_000)
    done = pconv(*command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.match(r"pconv: run [0-9a-f]{16} \(-m \d+ .*\) needs about 0\.\d GB .* 0\.1 GB are", done.stderr)
    assert json.loads(pconv("runs", "--json").stdout) == []


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("reproduce", "--seeds", 10**8), "--seeds 100000000"),
        (("figure", "confusion", "-m", 4096, "-o", "x.png"), "--modulus 4096"),
        (("figure", "window", "-m", 7, "-B", 4095, "-o", "x.png"), "--successors 4095"),
        (("train", "-m", 3, "-r", 100_000), "--batches 100000"),
        (("train", "-m", 3, "--test-size", 10**8), "--test-size 100000000"),
        (("train", "-m", 3, "--device", "hpu"), "--device hpu"),
    ],
)
def test_bounds_are_named(pconv: Run, arguments: tuple[object, ...], names: str) -> None:
    done = pconv(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"pconv: {names}")
    assert done.stderr.count("\n") == 1


GRIDS = {
    "cells": "[grid]\nmodulus = 7\n"
    + "".join(
        f"{k} = [{','.join(map(str, range(1, 1001)))}]\n" for k in ("seed", "epochs", "batches", "batch_size")
    ),
    "digits": f"[grid]\nmodulus = {'7' * 5000}\n",
    "deep": f"[grid]\nmodulus = {'[' * 5000}{']' * 5000}\n",
    "long": f"[grid]\nmodulus = 7\n{'k' * 100_000} = 1\n",
    "escape": '[grid]\nmodulus = 7\n"\\u001b[2J" = 1\n',
}


@pytest.mark.parametrize("grid", list(GRIDS))
def test_a_hostile_grid_is_refused_in_one_line(pconv: Run, tmp_path: Path, grid: str) -> None:
    (tmp_path / "grid.toml").write_text(GRIDS[grid])
    done = pconv("sweep", "grid.toml", "--dry-run")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 1_000
    assert "\x1b" not in done.stderr
