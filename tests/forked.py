"""Programs in processes of their own that start with the libraries loaded.

Most of the time of a short command goes to the import of torch, scipy and other libraries. A server process
imports them once and forks for every program. It never imports pconv: what a program needs of pconv it has to
import itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

ROOT = Path(__file__).parents[1]
LIBRARIES = (
    "torch",
    "torch.export",
    "safetensors.torch",
    "numba",
    "scipy.optimize",
    "scipy.stats",
    "sympy",
    "sklearn.base",
    "matplotlib.pyplot",
    "jinja2",
    "rich.progress",
    "typer",
)
_TIMEOUT = 300
_LARGEST = 1 << 17
"""Bytes of a request: nearly all of it is the environment."""


class Program:
    """A program that was started."""

    def __init__(self, requests: socket.socket, pid: int) -> None:
        self._requests = requests
        self.pid = pid

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code, once the program has ended; to be called once, the process id is free then."""
        self._requests.send(json.dumps({"wait": self.pid}).encode())
        return int(self._requests.recv(_LARGEST))


class ForkServer:
    """Starts programs. Ends with the `with` block."""

    def __init__(self) -> None:
        self._requests, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests.settimeout(_TIMEOUT)
        with other_end:
            command = [sys.executable, "-m", "tests.forked", str(other_end.fileno())]
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[other_end.fileno()])

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()
        self._process.wait()

    def start(
        self,
        command: Sequence[str],
        directory: Path,
        environment: Mapping[str, str] = os.environ,
        streams: tuple[int, int, int] | None = None,
    ) -> Program:
        """Starts a program.

        Parameters
        ----------
        command
            What would follow `python`: `-m MODULE ARGUMENT...` or `-c CODE ARGUMENT...`.
        directory
            Where it runs.
        environment
            All its environment variables; it is too late for those that a library reads at its import.
        streams
            The file descriptors of its standard input, output and error; by default nothing is read or kept.
        """
        request = {"command": [*command], "directory": str(directory), "environment": dict(environment)}
        with open(os.devnull, "r+") as nothing:
            streams = streams or (nothing.fileno(),) * 3
            socket.send_fds(self._requests, [json.dumps(request).encode()], streams)
            return Program(self._requests, int(self._requests.recv(_LARGEST)))

    def run(
        self, command: Sequence[str], directory: Path, environment: Mapping[str, str] = os.environ
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end.

        Parameters
        ----------
        command, directory, environment
            As in `start`.
        """
        with (
            open(os.devnull) as stdin,
            TemporaryFile("w+", encoding="utf-8") as stdout,
            TemporaryFile("w+", encoding="utf-8") as stderr,
        ):
            streams = stdin.fileno(), stdout.fileno(), stderr.fileno()
            code = self.start(command, directory, environment, streams).wait()
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess([*command], code, stdout.read(), stderr.read())


def _serve(requests: socket.socket) -> None:
    fork = multiprocessing.get_context("fork")
    programs: dict[int, ForkProcess] = {}
    while True:
        message, streams, _, _ = socket.recv_fds(requests, _LARGEST, 3)
        if not message:
            return
        request: dict[str, Any] = json.loads(message)
        if "wait" in request:
            program = programs.pop(request["wait"])
            program.join()
            answer = program.exitcode
        else:
            program = fork.Process(target=_run, kwargs={**request, "streams": streams})
            program.start()
            answer = program.pid
            assert answer is not None
            programs[answer] = program
        for stream in streams:
            os.close(stream)
        requests.send(str(answer).encode())


def _run(command: list[str], directory: str, environment: dict[str, str], streams: list[int]) -> None:
    """The main function of a forked process."""
    for descriptor, stream in enumerate(streams):
        os.dup2(stream, descriptor)
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (multiprocessing has replaced it by an empty one)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:1] = [directory, *environment.get("PYTHONPATH", "").split(os.pathsep)]
    kind, program, *arguments = command
    sys.argv = [program if kind == "-m" else kind, *arguments]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(program, {"__name__": "__main__"})


def main() -> None:
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()  # the collector of a forked process would write to, and so copy, all that is loaded here
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        _serve(requests)


if __name__ == "__main__":
    main()
