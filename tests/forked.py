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
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from multiprocessing.context import ForkProcess
from pathlib import Path
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


class ForkServer:
    """Starts programs by their module's name. Ends with the `with` block."""

    def __init__(self) -> None:
        self._socket, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_TIMEOUT)
        with other_end:
            command = [sys.executable, "-m", "tests.forked", str(other_end.fileno())]
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[other_end.fileno()])

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait()

    def start(
        self,
        arguments: Sequence[str],
        directory: Path,
        environment: Mapping[str, str],
        streams: tuple[int, int, int],
    ) -> int:
        """Starts `python -m ARGUMENT...` and returns its process id.

        Parameters
        ----------
        arguments
            The name of a module, and its arguments.
        directory
            Where it runs.
        environment
            All environment variables of the program. Those that libraries read at import have no effect.
        streams
            The file descriptors of its standard input, output and error.
        """
        request = {"arguments": [*arguments], "directory": str(directory), "environment": dict(environment)}
        socket.send_fds(self._socket, [json.dumps(request).encode()], streams)
        return int(self._socket.recv(_LARGEST))

    def wait(self, pid: int) -> int:
        """The exit code of a program that was started, when it has ended."""
        self._socket.send(json.dumps({"wait": pid}).encode())
        return int(self._socket.recv(_LARGEST))

    def run(
        self, arguments: Sequence[str], directory: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Runs `python -m ARGUMENT...` to its end; the parameters are those of `start`."""
        with ExitStack() as files:
            stdin = files.enter_context(open(os.devnull))
            stdout, stderr = (
                files.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(2)
            )
            streams = stdin.fileno(), stdout.fileno(), stderr.fileno()
            code = self.wait(self.start(arguments, directory, environment, streams))
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess([*arguments], code, stdout.read(), stderr.read())


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


def _run(arguments: list[str], directory: str, environment: dict[str, str], streams: list[int]) -> None:
    """The main function of a forked process."""
    for descriptor, stream in enumerate(streams):
        os.dup2(stream, descriptor)
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (multiprocessing has replaced it by an empty one)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = arguments
    sys.path[:1] = [directory, *environment.get("PYTHONPATH", "").split(os.pathsep)]
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def main() -> None:
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()  # the collector of a forked process would write to, and so copy, all that is loaded here
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        _serve(requests)


if __name__ == "__main__":
    main()
