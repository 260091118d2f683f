"""A worker process: runs cases one after another, within a budget of memory and time for each."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import socket
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import typer

from tools.fuzz.in_process import Budget, Ended, run_pconv
from tools.fuzz.invariants import REFUSED, Finding, Observed, findings
from tools.fuzz.kinds import KINDS
from tools.fuzz.sandbox import Sandbox, files_below
from tools.fuzz.template import GRID, RUN, SIZES, WEIGHTS, build_template

MEMORY = 10**9
"""Bytes that a case may allocate in addition to what the program with its libraries has."""
TIME = Budget(processor=5.0, clock=60.0)
"""Seconds after which a case is interrupted."""
_LARGEST_FILE = 10**8

_WARM_UP = (
    ("theory", "-m7"),
    ("classify", WEIGHTS, "7"),
    ("train", *SIZES, "--seed=9"),
    ("evaluate", WEIGHTS),
    ("report",),
    ("reproduce", "headline", "--from", "results"),
    ("figure", "losses", RUN, "-o", "x.svg"),
    ("sweep", GRID, "--dry-run"),
)
"""Commands that load what commands load, so that no case is charged for it."""


class Case(NamedTuple):
    """The name of a case, which determines it."""

    seed: int
    kind: str
    number: int

    def __str__(self) -> str:
        return f"python -m tools.fuzz --seed {self.seed} --only {self.kind} {self.number}"


class Outcome(NamedTuple):
    """How a case ended: refused, accepted or long, and what is wrong with it.

    `seconds` are those of the clock, `processor` those of the processor. `tired` is true where the process
    has kept so much memory that another should go on.
    """

    status: str
    findings: tuple[Finding, ...]
    arguments: tuple[str, ...]
    ended: Ended
    seconds: float
    processor: float = 0.0
    tired: bool = False


def make_template(directory: Path) -> None:
    """The body of the process that makes the template."""
    _prepare_program()
    build_template(directory)


def work(connection: Connection, template: Path, place: Path) -> None:
    """The body of a worker process: runs the cases that it receives, until it receives None.

    Parameters
    ----------
    connection
        Receives a `Case` and sends its `Outcome`, after a first message that it is ready.
    template
        The valid files.
    place
        An empty directory.
    """
    os.setsid()  # so that it can be killed with the processes that it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which kills its workers
    _prepare_program()
    sandbox = Sandbox(template, place)
    os.chdir(sandbox.files)
    os.environ.update(TMPDIR=str(sandbox.temporary), HOME=str(place), TORCHINDUCTOR_CACHE_DIR=str(place))
    tempfile.tempdir = str(sandbox.temporary)
    for arguments in _WARM_UP:
        run_pconv(arguments)
    used = _allocated()
    _limit_memory(used + MEMORY)
    connection.send("ready")
    while (case := connection.recv()) is not None:
        outcome = run_case(case, sandbox)
        connection.send(outcome._replace(tired=_allocated() > used + MEMORY // 2))


def run_case(case: Case, sandbox: Sandbox) -> Outcome:
    """Runs one case in the sandbox, which is the current directory."""
    sandbox.restore()
    rng = random.Random(str(case))
    kind = KINDS[case.kind]
    arguments = kind.prepare(rng, sandbox.checkpoint)
    before = files_below(sandbox.files)
    started, used = time.monotonic(), time.process_time()
    ended = run_pconv(arguments, TIME)
    seconds, processor = time.monotonic() - started, time.process_time() - used
    observed = Observed(arguments, ended, before, sandbox.contents(), files_below(sandbox.temporary))
    found = findings(observed)
    if ended.interrupted and observed.command not in kind.may_be_long:
        found.append(Finding(f"{observed.command} takes long", f"{seconds:.1f} s"))
    status = "long" if ended.interrupted else "refused" if ended.code == REFUSED else "accepted"
    return Outcome(status, tuple(found), tuple(arguments), ended, seconds, processor)


def _prepare_program() -> None:
    """Make the program cheaper to run again and again, without a network, and with no more memory than the
    budget."""
    from pconv.cli.program import app
    from pconv.cli.views import run_plan
    from pconv.engines import memory
    from pconv.store import sqlite

    build, command = typer.main.get_command, typer.main.get_command(app)
    available = memory._PROGRAM + MEMORY // 2
    patches: tuple[tuple[Any, str, Any], ...] = (
        (typer.main, "get_command", lambda of: command if of is app else build(of)),
        (memory, "available_memory", lambda: available),
        (run_plan, "available_memory", lambda: available),
        (sqlite, "WATCHED", 0.0),  # seconds of waiting for other processes, of which there are none
        (socket, "getaddrinfo", _no_network),
        (socket.socket, "connect", _no_network),
        (socket.socket, "connect_ex", _no_network),
    )
    for owner, name, function in patches:
        setattr(owner, name, function)


def _no_network(*_: object, **__: object) -> None:
    """A random address may be somebody's."""
    raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))


def _allocated() -> int:
    """The bytes that count against the limit of memory: private pages that can be written to."""
    with open("/proc/self/status") as status:
        (size,) = (int(line.split()[1]) for line in status if line.startswith("VmData:"))
    return size * 1024


def _limit_memory(size: int) -> None:
    """Not the address space, of which torch reserves much more than it uses."""
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
