"""Checks that the tests notice errors: makes one small error at a time and runs the tests that must fail.

    python tools/mutations.py             # all mutations
    python tools/mutations.py 3 17        # these numbers alone

The list is in `mutations.toml`. The errors are made in temporary copies of the repository. First the tests of
the list are run without an error, and must pass. Then each mutation prints a line: whether it was killed (a
test failed) or SURVIVED, the seconds, and the first test that failed. The exit code is 1 if a mutation
survives, or if its text is not in its file exactly once: then the code has changed, and the mutation has to
change with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "pyproject.toml")
PASSED, FAILED = 0, 1  # exit codes of pytest; others mean that the tests did not run


class Mutation(NamedTuple):
    """An error that somebody could make, and the tests that must notice it."""

    error: str
    file: str  # below src/pconv
    before: str
    after: str
    tests: list[str]


def main(numbers: Sequence[str]) -> int:
    """Runs the mutations of these numbers, by default all, and returns the exit code."""
    listed = tomllib.loads((ROOT / "tools/mutations.toml").read_text(encoding="utf-8"))["mutation"]
    mutations = {number: Mutation(**entry) for number, entry in enumerate(listed, start=1)}
    chosen = {int(number): mutations[int(number)] for number in numbers} or mutations
    with tempfile.TemporaryDirectory(prefix="pconv-mutations-") as directory:
        sound = Path(directory) / "sound"
        _copy(ROOT, sound)
        tests = sorted({test for mutation in chosen.values() for test in mutation.tests})
        passed, output = _pytest(sound, tests)  # also fills the caches of compiled functions
        if passed != PASSED:
            print(output, "The tests fail without a mutation.", sep="\n")
            return 1
        killed = sum(_is_killed(number, mutation, sound) for number, mutation in chosen.items())
    print(f"{killed} of {len(chosen)} mutations killed")
    return 0 if killed == len(chosen) else 1


def _is_killed(number: int, mutation: Mutation, sound: Path) -> bool:
    """Makes the error in a fresh copy, runs its tests and prints the line."""
    started = time.monotonic()
    copy = sound.with_name(str(number))
    _copy(sound, copy)
    file = copy / "src/pconv" / mutation.file
    text = file.read_text(encoding="utf-8")
    if text.count(mutation.before) == 1:
        file.write_text(text.replace(mutation.before, mutation.after), encoding="utf-8")
        if "numba" in text:  # it does not notice that a compiled function of another file contains this one
            shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)
        code, output = _pytest(copy, mutation.tests)
        outcome = {FAILED: "killed", PASSED: "SURVIVED"}.get(code, "SURVIVED (the tests did not run)")
        first = re.search(r"^(?:FAILED|ERROR) (\S+)", output, flags=re.MULTILINE)
        test = first[1] if first else ""
    else:
        outcome, test = "NOT FOUND exactly once", mutation.before
    shutil.rmtree(copy)
    seconds = time.monotonic() - started
    print(f"{number:3} {outcome} {seconds:4.0f} s  {mutation.file}: {mutation.error}  {test}", flush=True)
    return outcome == "killed"


def _copy(source: Path, target: Path) -> None:
    """Copies what the tests need; times stay, so that caches of compiled functions remain valid."""
    for name in COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        else:
            shutil.copy2(source / name, target / name)


def _pytest(directory: Path, tests: Sequence[str]) -> tuple[int, str]:
    """The exit code and the output of the tests, up to the first that fails."""
    command = [sys.executable, "-m", "pytest", "-x", "-rfE", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(directory / "src")}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
