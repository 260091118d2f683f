"""Who works on a run, and the sign of life that keeps the run theirs."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from pconv.store.schema import StoreError
from pconv.store.sqlite import CLAIM_TIMEOUT, Store

_EVERY = CLAIM_TIMEOUT / 6
log = logging.getLogger(__name__)


@contextmanager
def working(path: Path) -> Iterator[str]:
    """A name to claim runs under; while it lasts its claims live, afterwards they are free."""
    owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    stop = Event()
    thread = Thread(target=_beat, args=(path, owner, stop), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield owner
    finally:
        stop.set()
        thread.join()


def _beat(path: Path, owner: str, stop: Event) -> None:
    """A thread of its own, because a step of a large network may take longer than a claim lasts."""
    with suppress(StoreError), Store.open(path) as store:
        while not stop.wait(_EVERY):
            try:
                store.heartbeat(owner)
            except StoreError as error:  # the next one may pass; if none does, the claims lapse
                log.warning("no sign of life could be given: %s", error)
        store.release(owner)
