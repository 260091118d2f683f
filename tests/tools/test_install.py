"""Set-up says how far it is, and fails as pip does."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools/install.py"


def test_how_far_pip_is() -> None:
    progress = runpy.run_path(str(SCRIPT))["progress"]
    lines = ["Collecting anyio==4.9", "  Downloading anyio.whl (1 kB)", "Collecting torch==2.13.0"]
    assert progress([]) == "collected 0 packages"
    assert progress(lines) == "collected 2 packages, now torch==2.13.0"
    assert progress([*lines, "Installing collected packages: anyio, torch"]) == "installing 2 packages"


def test_a_failure_is_shown_with_pips_last_lines(tmp_path: Path) -> None:
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip/__init__.py").touch()
    fake = "import sys\nprint('Collecting', *sys.argv[1:])\nprint('ERROR: no network')\nsys.exit(3)\n"
    (tmp_path / "pip/__main__.py").write_text(fake)
    done = subprocess.run(
        [sys.executable, SCRIPT, "-r", "some.lock"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout.endswith("-r some.lock\nERROR: no network\n")
