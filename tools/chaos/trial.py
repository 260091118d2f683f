"""One scenario while it runs: its directory, its commands, what it counts and what it finds wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pconv.store.sqlite import Store
from pconv.sweeps.grid import read_spec
from tools.chaos import processes
from tools.chaos.command import CLOCK
from tools.chaos.invariants import Fingerprint, files_except, new_store, violations
from tools.chaos.processes import cpu_seconds, workers_of

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0
"""Seconds after which a command that is left alone counts as hanging."""
_GRID = """[grid]
modulus = [3, 5]
successors = 3
kernel = 3
primes = 8
batches = 10
batch_size = 16
epochs = 6
no_early_stop = true
test_size = 50
limit = 13000
seed = {seeds}
"""
_WARNINGS = re.compile(
    r"(pconv: )?"
    r"(run \w+ goes on without a checkpoint: |the checkpoint \S+ is not used, |the heartbeat failed: "
    r"|the weights \S+ cannot be kept: |the claims could not be released, )"
)
"""What a command may write to stderr beside the line that says why it stops."""
_PROGRESS = re.compile(
    r"pconv: (\d+ of \d+ cells done, |\d+ runs? to be computed, |compiling |watching \d+ claims? "
    r"|run \w+ failed: )"
)
"""The lines of a command that goes on."""


def write_grid(path: Path, cells: int) -> Path:
    """A file for `pconv sweep` with an even number of cells; a smaller grid is a part of a larger one."""
    path.write_text(_GRID.format(seeds=list(range(cells // 2))))
    return path


@dataclass
class Command:
    """A command of pconv that was started."""

    arguments: tuple[str, ...]
    process: subprocess.Popen[bytes]
    output: Path
    errors: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def workers(self) -> list[int]:
        """The ids of a sweep's worker processes."""
        return workers_of(self.pid)

    def processes(self) -> list[int]:
        """The ids of a sweep and its workers."""
        return [self.pid, *self.workers()]


@dataclass
class Trial:
    """A scenario that runs.

    Parameters
    ----------
    name
        Of the scenario.
    directory
        A new directory for all of its files; its path is the mark of its processes.
    reference
        The undisturbed results, by run id.
    random
        Decides the moments and the victims.
    """

    name: str
    directory: Path
    reference: Mapping[str, Fingerprint]
    random: Random
    events: int = 0
    cells: int = 0  # finished and compared with the reference
    violations: list[str] = field(default_factory=list)
    _stores: int = 0
    _commands: int = 0

    def __post_init__(self) -> None:
        for name in ("tmp", "output"):
            (self.directory / name).mkdir(parents=True)

    @property
    def mark(self) -> str:
        return str(self.directory)

    def grid(self, cells: int) -> Path:
        return write_grid(self.directory / f"grid{cells}.toml", cells)

    def new_store(self, directory: Path | None = None) -> Path:
        """An empty store in a directory of its own."""
        self._stores += 1
        path = (directory or self.directory) / f"store{self._stores}" / "pconv.db"
        new_store(path)
        return path

    def pause(self, least: float, most: float) -> None:
        """Sleeps for random seconds."""
        time.sleep(self._between(least, most))

    def let_work(
        self, command: Command, pids: Callable[[], list[int]], *moments: tuple[float, float]
    ) -> None:
        """Waits until processes have used random seconds of CPU time, or the command has ended.

        In CPU time the moments are spread over a process's life in the same way on a busy machine.

        Parameters
        ----------
        command
            A sweep.
        pids
            The processes whose time counts; those that are new since the last call count, too.
        moments
            Ranges of seconds, one of which is chosen.
        """
        left = self._between(*self.random.choice(moments))
        seen = {pid: cpu_seconds(pid) for pid in pids()}
        while left > 0 and command.is_running:
            time.sleep(max(0.02, left / 4))
            now = {pid: cpu_seconds(pid) for pid in pids()}
            left -= sum(max(0.0, used - seen.get(pid, 0.0)) for pid, used in now.items())
            seen = now

    def _between(self, least: float, most: float) -> float:
        """Random seconds, of every order of magnitude with the same probability."""
        return float(least * (most / least) ** self.random.random())

    def blame(self, what: str) -> None:
        """Records a violation."""
        self.violations.append(what)

    def environment(self, clock: Path | None = None) -> dict[str, str]:
        """That of the scenario's processes."""
        paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        added = {processes.MARK: self.mark, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        added |= {"TMPDIR": str(self.directory / "tmp"), "OMP_NUM_THREADS": "1"}
        return {**os.environ, **added, **({CLOCK: str(clock)} if clock else {})}

    def start(self, *arguments: object, clock: Path | None = None) -> Command:
        """Starts `pconv ARGUMENT...`, if asked with the clock that the file shows."""
        self._commands += 1
        output, errors = (self.directory / "output" / f"{self._commands}.{end}" for end in ("out", "err"))
        given = tuple(map(str, arguments))
        with output.open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "tools.chaos.command", *given],
                cwd=self.directory,
                env=self.environment(clock),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        return Command(given, process, output, errors)

    def sweep(
        self, grid: Path, store: Path, *options: object, jobs: int = 2, clock: Path | None = None
    ) -> Command:
        """Starts a sweep that restarts the runs of dead workers as often as it takes."""
        jobs_option = () if "--scheduler" in options else ("--jobs", jobs)
        always = ("--retries", 10**6, "--json", "--store", store)
        return self.start("sweep", grid, *jobs_option, *always, *options, clock=clock)

    def end(self, command: Command, allowed: Collection[int] = (0,)) -> tuple[int, str]:
        """Waits for a command and checks how it ends; its exit code and its output."""
        what = " ".join(("pconv", *command.arguments))
        try:
            code = command.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.blame(f"hangs: {what}")
            self.kill_all()
            code = command.process.wait()
        errors = command.errors.read_text(errors="replace")
        if code not in allowed:
            self.blame(f"exit code {code}: {what}: {errors[-300:]!r}")
        self.violations += [f"{line}: {what}" for line in wrong_errors(code, errors)]
        return code, command.output.read_text(errors="replace")

    def run(self, *arguments: object, allowed: Collection[int] = (0,)) -> tuple[int, str]:
        """Runs a command to its end."""
        return self.end(self.start(*arguments), allowed)

    def ended_by(self, number: signal.Signals, command: Command) -> None:
        """Waits for a command that was sent a signal: it died of it, handled it, or was done before."""
        self.end(command, (-number, 128 + number, 0))

    def complete(self, grid: Path, store: Path) -> None:
        """The sweep is run to its end without a disturbance, then `gc`; checks the store.

        Results that were stored without weights, for want of space, get them now.
        """
        self.end(self.sweep(grid, store, "--keep-weights"))
        self.check(grid, store)

    def check(self, grid: Path, store: Path) -> None:
        """Checks a store whose sweep has ended."""
        self.run("gc", "--store", store)
        wanted = {config.run_id: self.reference[config.run_id] for config in read_spec(grid)}
        self.violations += [f"{store.parent.name}: {line}" for line in violations(store, wanted)]
        self.cells += len(finished(store) & wanted.keys())

    def check_no_process(self) -> None:
        """All commands have ended or were killed: no process may be left."""
        for process in processes.left_over(self.mark):
            self.blame(f"process left over: {process.command!r}")
        self.kill_all()

    def check_nothing_left(self) -> None:
        """Processes and temporary files, after the last command."""
        self.check_no_process()
        temporary = self.directory / "tmp"
        locks_of_dask = list((temporary / "dask-scratch-space").rglob("*"))  # a killed scheduler leaves them
        self.violations += [f"tmp: {line}" for line in files_except(temporary, locks_of_dask)]

    def kill_all(self) -> None:
        """Ends every process of the scenario."""
        for process in processes.marked(self.mark):
            processes.send(process.pid)


def finished(store: Path) -> set[str]:
    """The ids of the finished runs."""
    with Store.read(store) as opened:
        return set(opened.run_ids())


def computed(report: str) -> int:
    """How many runs a sweep computed, by what `pconv sweep --json` printed."""
    document: dict[str, Any] = json.loads(report)
    return int(document["computed"])


def wrong_errors(code: int, errors: str) -> list[str]:
    """What a command should not have written to stderr: one line where it stops, else warnings at most."""
    lines = errors.splitlines()
    if "Traceback" in errors:
        return [f"traceback: {lines[-1]}"]
    others = [line for line in lines if not _PROGRESS.match(line) and not _WARNINGS.match(line)]
    reasons = [line for line in others if line.startswith("pconv: ")]
    found = [f"unexpected line {line!r}" for line in others if line not in reasons]
    if code > 0 and len(reasons) != 1:
        found.append(f"{len(reasons)} lines for exit code {code}: {reasons}")
    return found
