"""What holds for every command: it runs, quick help, no torch without need, one line for bad input."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from pconv import __version__
from pconv.cli.program import app
from tests.cli.conftest import Run, Trained
from tests.docs.markdown import blocks, commands
from tests.docs.test_code_blocks import PAGES, ROOT
from tests.forked import ForkServer

PROCESSES = {
    "verify": ("RUN", ": bit-identical"),
    "show": ("RUN", "after epoch 2: test accuracy"),
    "reproduce": ("losses --max-hours 1e-9", "losses"),
    "discover": (f"--formula gcd(n+o,m) --from {ROOT}/results/paper", "gcd(n+o, m)"),
    "results": ("--from pconv.db", "results.md: 1 run\n"),
}
"""Arguments for the commands that no page of the documentation runs, and a part of what they print."""


@pytest.mark.parametrize("command", PROCESSES)
def test_a_command_as_a_user_runs_it(
    fork_server: ForkServer, trained: Trained, tmp_path: Path, command: str
) -> None:
    """It imports all that it needs, and nothing but its answer is printed."""
    shutil.copytree(trained.directory, tmp_path, dirs_exist_ok=True)
    arguments, shown = PROCESSES[command]
    line = arguments.replace("RUN", trained.run_id).split()
    done = fork_server.run(["-m", "pconv", command, *line], tmp_path)
    assert done.returncode == 0
    # On a busy machine lines of progress may be due.
    assert all(line.startswith("pconv: ") for line in done.stderr.splitlines())
    assert shown in done.stdout


def test_every_command_is_run_in_a_process_of_its_own() -> None:
    """Here or by a page: the tests of the documentation run its code blocks."""
    code = [block for page in PAGES for block in blocks(ROOT / page, page) if block.not_run is None]
    lines = [
        command.line for block in code if block.language == "console" for command in commands(block.text)
    ]
    documented = {line.split()[1] for line in lines if line.startswith("pconv ")}
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert known - documented == set(PROCESSES)


def test_version_and_help(pconv_process: Run) -> None:
    assert pconv_process("--version").stdout == f"pconv {__version__}\n"
    help = pconv_process("--help")
    assert help.returncode == 0
    assert "train" in help.stdout
    assert pconv_process().stdout == help.stdout


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
    variables = {"_PCONV_COMPLETE": "complete_bash", "COMP_WORDS": "pconv th", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "pconv"]
    done = subprocess.run(
        command, env={**os.environ, **variables}, cwd=tmp_path, capture_output=True, text=True, check=True
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
    ("train -m 11 --save nowhere/w.safetensors", "--save nowhere/w.safetensors: cannot be written"),
    ("train -m 11 --save w.txt", "--save w.txt: must end in .safetensors"),
    ("compile -m 11 -o results.jsonl", "--output results.jsonl: must end in .safetensors"),
    ("train -m 11 --theory astrology", "--theory astrology"),
    ("train -m 11 --offsets 0,2,4 --theory paper", "--theory paper"),
    ("train -m 11 --tolerance 2", "--tolerance 2"),
    ("train -m 11 --level 0", "--level 0"),
    ("train -m 11 --colour red", "--colour"),
    ("certify nowhere", "nowhere"),
    ("classify nowhere 3", "nowhere"),
    ("classify nowhere abc", "'abc'"),
    ("probe nowhere", "nowhere"),
    ("probe nowhere --probe nonsense", "interventions, causal, layers, attribution, extrapolation"),
    ("probe nowhere --figure maps.txt", "--figure maps.txt"),
    ("probe nowhere --tolerance 2", "--tolerance 2"),
    ("paint", "There are: theory, explain"),
]


def test_a_process_ends_with_exit_code_2(pconv_process: Run) -> None:
    done = pconv_process("train", "-m1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("pconv: --modulus 1: ")


@pytest.mark.parametrize(("line", "named"), BAD)
def test_bad_input_gets_one_line_and_exit_code_2(pconv: Run, line: str, named: str) -> None:
    done = pconv(*line.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("pconv: ")
    assert done.stderr.count("\n") == 1
    assert named in done.stderr
