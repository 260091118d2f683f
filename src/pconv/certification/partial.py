"""The partial file of a certificate: an interrupted computation is continued where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pconv import __version__
from pconv._atomic import atomic_write, check_output
from pconv.certification.document import document_checksum
from pconv.certification.tally import Tally
from pconv.errors import InputError

SAVED_EVERY = 10.0
"""Seconds between two writes of the file."""


class State(NamedTuple):
    """How far a stage of the computation is: so many grids of all are counted."""

    stage: str
    total: int
    done: int
    tally: Tally


class PartialFile:
    """Next to the output; it is deleted when the certificate is written.

    Parameters
    ----------
    output
        The certificate; None: nothing is kept.
    task
        All that determines the result: options by name, the network and its configuration. An `InputError` if
        there is a file of another task: its work is not to be lost.
    """

    def __init__(self, output: Path | None, task: Mapping[str, Any]) -> None:
        self._path = output and output.with_name(f"{output.name}.partial")
        self._task = json.loads(json.dumps({**task, "pconv": __version__}))
        self._written = time.monotonic()
        self._state = self._read()

    def _read(self) -> State | None:
        if self._path is None:
            return None
        check_output(self._path)
        if not self._path.exists():
            return None
        try:
            stored, state = _parsed(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            return None  # damaged: the work begins again
        if stored.get("pconv") != __version__:
            return None
        if stored != self._task:
            begun = f"{self._path.name} is of an interrupted computation {_difference(stored, self._task)}"
            raise InputError(
                "output", self._path.with_suffix(""), f"{begun}: continue that, or delete the file"
            )
        return state

    def begin(self, stage: str, total: int) -> State:
        """The state that an interrupted computation left of a stage; its beginning if there is none."""
        if self._state is not None and (self._state.stage, self._state.total) == (stage, total):
            return self._state
        return State(stage, total, 0, Tally())

    def total(self, stage: str) -> int | None:
        """The number of grids of a stage, if the interrupted computation had reached it."""
        return self._state.total if self._state is not None and self._state.stage == stage else None

    def write(self, state: State, *, now: bool = False) -> None:
        """Write the state, if it is due, or now; not if nothing is done yet."""
        due = now or time.monotonic() - self._written >= SAVED_EVERY
        if self._path is None or not (due and state.done):
            return
        document = {"task": self._task, **state._asdict(), "tally": state.tally.to_dict()}
        document["checksum"] = document_checksum(document)
        with atomic_write(self._path, "output") as draft:
            Path(draft).write_text(json.dumps(document), encoding="utf-8")
        self._written = time.monotonic()

    def remove(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _parsed(text: str) -> tuple[dict[str, Any], State]:
    """The task and the state in a partial file."""
    document = json.loads(text)
    if document["checksum"] != document_checksum(document):
        raise ValueError("the checksum does not match")
    total, done = document["total"], document["done"]
    if not (type(total) is type(done) is int and 0 <= done <= total):
        raise ValueError(f"{done} of {total} grids are no state of a computation")
    return dict(document["task"]), State(
        str(document["stage"]), total, done, Tally.from_dict(document["tally"])
    )


def _difference(stored: Mapping[str, Any], task: Mapping[str, Any]) -> str:
    """What the other computation is of, in words."""
    if any(stored.get(name) != task[name] for name in ("network", "config")):
        return "about another network"
    other = {name: stored.get(name) for name in task if stored.get(name) != task[name]}
    options = (f"no --{name}" if value is None else f"--{name} {value}" for name, value in other.items())
    return f"with {', '.join(options)}"
