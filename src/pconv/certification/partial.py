"""The partial file of a certificate: an interrupted computation is continued where it was."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from pconv._atomic import atomic_write
from pconv.certification.tally import Tally

SAVED_EVERY = 10.0
"""Seconds between two writes of the file."""


class PartialFile:
    """Next to the output; it is deleted when the certificate is written.

    Parameters
    ----------
    output
        The certificate; None: nothing is kept.
    task
        All that determines the result. A file of another task is ignored and replaced.
    """

    def __init__(self, output: Path | None, task: dict[str, Any]) -> None:
        self._path = output and output.with_name(f"{output.name}.partial")
        self._key = hashlib.sha256(json.dumps(task, sort_keys=True).encode()).hexdigest()
        self._written = time.monotonic()

    def read(self) -> tuple[int, Tally]:
        """How much is done, and what was counted; nothing if there is no file for this task."""
        if self._path is None or not self._path.is_file():
            return 0, Tally()
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
            if document["key"] != self._key:
                return 0, Tally()
            return int(document["done"]), Tally.from_dict(document["tally"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return 0, Tally()  # damaged: the work begins again

    def write(self, done: int, tally: Tally, *, now: bool = False) -> None:
        """Write the state, if it is due.

        Parameters
        ----------
        done
            How much is done.
        tally
            What was counted.
        now
            Write it in any case.
        """
        if self._path is None or not (now or time.monotonic() - self._written >= SAVED_EVERY):
            return
        document = {"key": self._key, "done": done, "tally": tally.to_dict()}
        with atomic_write(self._path, "output") as draft:
            Path(draft).write_text(json.dumps(document), encoding="utf-8")
        self._written = time.monotonic()

    def remove(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)
