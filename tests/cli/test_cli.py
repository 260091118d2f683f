"""What holds for every command: quick help, no torch without need, one line for bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pconv import __version__
from tests.cli.conftest import Run


def test_version_and_help(pconv: Run) -> None:
    assert pconv("--version").stdout == f"pconv {__version__}\n"
    asked = pconv("--help")
    assert asked.returncode == 0
    assert "train" in asked.stdout
    assert pconv().stdout == asked.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["train", "--help"], ["probe", "--help"]])
def test_asking_for_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys, pconv, pconv.cli\n"
        f"sys.argv[1:] = {arguments!r}\n"
        "try:\n    pconv.cli.main()\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'numpy', 'numba', 'scipy', 'sympy', 'sklearn', 'matplotlib'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("loaded: []\n")


def test_the_shell_can_complete_commands(tmp_path: Path) -> None:
    """As bash asks for it, with what `pconv --show-completion` tells it to ask."""
    asked = {"_PCONV_COMPLETE": "complete_bash", "COMP_WORDS": "pconv th", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "pconv"]
    done = subprocess.run(
        command, env={**os.environ, **asked}, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["theory"]


BAD = [
    ("train", "--modulus"),
    ("train -m 1", "--modulus 1"),
    ("train -m 0", "--modulus 0"),
    ("train -m abc", "'abc'"),
    ("train -m 11 -k 4", "--kernel 4"),
    ("train -m 11 -k 1", "--kernel 1"),
    ("train -m 11 -k x", "--kernel 'x'"),
    ("train -m 11 -k 7,3", "--kernel 7,3"),
    ("train -m 11 -B 0", "--successors 0"),
    ("train -m 11 -B -2", "--successors -2"),
    ("train -m 11 -B 2 -C 2,2", "--successors 2"),
    ("train -m 11 -N 1", "--primes 1"),
    ("train -m 11 -B 8 --offsets 0:8", "--offsets 0:8"),
    ("train -m 11 --offsets 1,1", "--offsets 1,1"),
    ("train -m 11 --offsets 3:3", "--offsets 3:3"),
    ("train -m 11 -r 4000", "784,347"),
    ("train -m 11 --preset slow", "--preset 'slow'"),
    ("train -m 11 --learning-rate 0", "--learning-rate 0.0"),
    ("train -m 11 --weight-decay nan", "--weight-decay nan"),
    ("train -m 11 --device abacus", "--device abacus"),
    ("train -m 11 --engine steam", "--engine 'steam'"),
    ("bench --size huge", "--size 'huge'"),
    ("train -m 11 --save nowhere/w", "--save nowhere/w"),
    ("train -m 11 --theory astrology", "--theory astrology"),
    ("train -m 11 --offsets 0,2,4 --theory paper", "--theory paper"),
    ("train -m 11 --tolerance 2", "--tolerance 2"),
    ("train -m 11 --level 0", "--level 0"),
    ("train -m 11 --colour red", "--colour"),
    ("classify nowhere 3", "nowhere"),
    ("classify nowhere abc", "'abc'"),
    ("probe nowhere", "nowhere"),
    ("probe nowhere --probe nonsense", "interventions, causal, layers, attribution, extrapolation"),
    ("probe nowhere --figure maps.txt", "--figure maps.txt"),
    ("probe nowhere --tolerance 2", "--tolerance 2"),
    ("paint", "There are: theory, explain"),
]


@pytest.mark.parametrize(("line", "named"), BAD)
def test_bad_input_gets_one_line_and_exit_code_2(pconv: Run, line: str, named: str) -> None:
    done = pconv(*line.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("pconv: ")
    assert done.stderr.count("\n") == 1
    assert named in done.stderr
