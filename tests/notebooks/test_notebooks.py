"""Every notebook runs from top to bottom, and what is stored is what it showed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def test_all_seven_are_there() -> None:
    assert len(NAMES) == 7


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_its_claims_hold(name: str, tmp_path: Path) -> None:
    """Cells assert what the text says; one that fails fails the run, and so does a file left behind."""
    command = [sys.executable, str(NOTEBOOKS / "run.py"), "--into", str(tmp_path), str(NOTEBOOKS / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    ran, stored = cells(tmp_path / name), cells(NOTEBOOKS / name)
    assert [cell["source"] for cell in ran] == [cell["source"] for cell in stored]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_was_run_in_order_and_shows_nothing_odd(name: str) -> None:
    code = [cell for cell in cells(NOTEBOOKS / name) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    shown = [output for cell in code for output in cell["outputs"]]
    assert any(
        "image/png" in output.get("data", {}) or "text/html" in output.get("data", {}) for output in shown
    )
    for output in shown:
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr"  # a warning tells of the machine it was run on
    assert (NOTEBOOKS / name).stat().st_size <= 300_000
