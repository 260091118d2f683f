"""`make chaos`: attacks sweeps of tiny networks and checks that nothing is lost, stored twice or left over.

    python -m tools.chaos                              # all scenarios, 1,000 kills
    python -m tools.chaos --kills 50 --seed 3          # fewer kills, other moments
    python -m tools.chaos --only clocks                # one scenario

First a sweep without any disturbance computes the reference. Then every scenario runs sweeps on stores of
its own, as a user does, and disturbs them. Afterwards each sweep must complete, and the store must have
exactly the runs of the reference, bit by bit. The seed determines what is done; the operating system
determines what a process is doing at that moment. Five scenarios run at once.

It needs Linux with `unshare` and `mount`, as root or with user namespaces: small and read-only file systems
are mounted in a namespace of its own, where nobody else sees them. The exit code is 1 if anything was
violated.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from random import Random
from typing import NoReturn

from tools.chaos import disks, kills, together
from tools.chaos.invariants import Fingerprint, files_except, fingerprints
from tools.chaos.trial import ROOT, Trial

Scenario = Callable[[Trial], None]
_INSIDE = "PCONV_CHAOS_NAMESPACE"
_SHARED_MEMORY = Path("/dev/shm")
_AT_ONCE = 5
_REPORT_EVERY = 20.0  # seconds


def scenarios(kill_count: int) -> dict[str, Scenario]:
    """All scenarios by their names, those that take longest first."""
    parents, terminated, dask = kill_count * 2 // 10, kill_count // 10, kill_count * 3 // 10
    return {
        "local workers": partial(kills.kill_workers, kills=kill_count - parents - terminated - dask),
        "sweeps": partial(kills.kill_sweeps, kills=parents),
        "terminated sweeps": partial(kills.kill_sweeps, kills=terminated, number=signal.SIGTERM),
        "dask workers": partial(kills.kill_dask_workers, kills=dask),
        "stopped": together.stop_processes,
        "clocks": together.jump_clocks,
        "readers and gc": together.read_and_collect,
        "truncated database": disks.truncate_database,
        "truncated log": disks.truncate_log,
        "full disk": disks.fill_disk,
        "read-only": disks.make_read_only,
    }


def main() -> int:
    """Runs the scenarios that the command line names; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description="Attacks on sweeps.")
    parser.add_argument("--kills", type=int, default=1000, help="processes to kill (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random moments and victims (default: 0)")
    parser.add_argument("--only", metavar="SCENARIO", help=f"one of: {', '.join(scenarios(0))}")
    given = parser.parse_args()
    chosen = scenarios(given.kills)
    if given.only:
        if given.only not in chosen:
            parser.error(f"--only {given.only}: must be one of {', '.join(chosen)}")
        chosen = {given.only: chosen[given.only]}
    if _INSIDE not in os.environ:
        _enter_namespace(parser)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", _SHARED_MEMORY], check=True)
    directory = Path(tempfile.mkdtemp(prefix="pconv-chaos-"))
    started = time.monotonic()
    trials = _run_all(chosen, directory, given.seed)
    found = sum(len(trial.violations) for trial in trials)
    _print_table(trials)
    minutes = (time.monotonic() - started) / 60
    events, cells = (sum(getattr(trial, name) for trial in trials) for name in ("events", "cells"))
    print(
        f"seed {given.seed}: {events} events, {cells} cells compared bit by bit, {found} violations, "
        f"{minutes:.0f} minutes"
    )
    if found:
        print(f"the files are in {directory}")
    else:
        shutil.rmtree(directory)
    return 1 if found else 0


def _enter_namespace(parser: argparse.ArgumentParser) -> NoReturn:
    """Replaces this process by the same program with file systems of its own, which vanish with it."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    enter = ["unshare", "--mount", *user]
    if not shutil.which("unshare") or subprocess.run([*enter, "true"], check=False).returncode:
        parser.error("needs Linux with `unshare`, as root or with user namespaces")
    os.chdir(ROOT)
    command = [*enter, sys.executable, "-m", "tools.chaos", *sys.argv[1:]]
    os.execvpe("unshare", command, {**os.environ, _INSIDE: "1"})


def _run_all(chosen: Mapping[str, Scenario], directory: Path, seed: int) -> list[Trial]:
    first = Trial("reference", directory / "reference", {}, Random(seed))
    reference = _reference(first)
    trials = [
        Trial(name, directory / name.replace(" ", "-"), reference, Random(f"{seed} {name}"))
        for name in chosen
    ]
    try:
        pool = ThreadPoolExecutor(_AT_ONCE)
        _report_until_done({pool.submit(_attempt, trial, chosen[trial.name]): trial for trial in trials})
    except KeyboardInterrupt:
        for trial in trials:
            trial.kill_all()
        os._exit(130)  # the threads of the scenarios would go on
    trials[-1].violations += [f"shared memory: {line}" for line in files_except(_SHARED_MEMORY)]
    return trials


def _reference(trial: Trial) -> dict[str, Fingerprint]:
    """The results of all cells, computed without a disturbance."""
    _log(f"the reference: {kills.CELLS} cells without a disturbance")
    store = trial.new_store()
    trial.end(trial.sweep(trial.grid(kills.CELLS), store))
    if trial.violations:
        raise SystemExit(f"the sweep without a disturbance fails: {trial.violations}")
    return fingerprints(store)


def _attempt(trial: Trial, scenario: Scenario) -> None:
    try:
        scenario(trial)
        trial.check_nothing_left()
    except Exception as error:
        trial.blame(f"the scenario itself failed: {error!r}")
        trial.kill_all()


def _report_until_done(futures: Mapping[Future[None], Trial]) -> None:
    """Logs how far the scenarios are, and violations as soon as they are found."""
    left, shown = set(futures), dict.fromkeys((trial.name for trial in futures.values()), 0)
    while left:
        done, left = wait(left, timeout=_REPORT_EVERY, return_when="FIRST_COMPLETED")
        for trial in futures.values():
            for line in trial.violations[shown[trial.name] :]:
                _log(f"{trial.name}: {line}")
                shown[trial.name] += 1
        for future in done:
            future.result()
            _log(f"{_state(futures[future])}; done")
        _log("; ".join(_state(futures[future]) for future in left if future.running()))


def _state(trial: Trial) -> str:
    return f"{trial.name}: {trial.events} events, {len(trial.violations)} violations"


def _log(line: str) -> None:
    if line:
        print(time.strftime("%H:%M:%S"), line, file=sys.stderr, flush=True)


def _print_table(trials: list[Trial]) -> None:
    print(f"{'scenario':20} {'events':>7} {'cells':>7} {'violations':>11}")
    for trial in trials:
        print(f"{trial.name:20} {trial.events:7} {trial.cells:7} {len(trial.violations):11}")
    for trial in trials:
        for line in trial.violations:
            print(f"{trial.name}: {line}")


if __name__ == "__main__":
    sys.exit(main())
