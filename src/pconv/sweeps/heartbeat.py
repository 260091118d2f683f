"""The name under which a process claims runs, and the heartbeat that keeps its claims alive."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from pconv.store.schema import StoreError
from pconv.store.sqlite import Store
from pconv.store.summary import CLAIM_TIMEOUT

_EVERY = CLAIM_TIMEOUT / 6
log = logging.getLogger(__name__)


@contextmanager
def working(path: Path) -> Iterator[str]:
    """A name to claim runs under. Its claims are kept alive in the `with` block and released at its end.

    Parameters
    ----------
    path
        The store, which is opened again and again: an absolute path, as the process may change its directory.
    """
    owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    stop = Event()
    thread = Thread(target=_send_heartbeats, args=(path, owner, stop), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield owner
    finally:
        stop.set()
        thread.join()


def _send_heartbeats(path: Path, owner: str, stop: Event) -> None:
    """Runs in its own thread, because one step of a large network may take longer than a claim lasts."""
    store = _opened(path)
    while not stop.wait(_EVERY):
        store = store or _opened(path)
        if store:
            with _warned("the heartbeat failed"):
                store.heartbeat(owner)
    if store := store or _opened(path):
        with store, _warned("the claims could not be released, and lapse"):
            store.release(owner)


def _opened(path: Path) -> Store | None:
    """A connection to the store; None if it cannot be opened now."""
    opened: Store | None = None
    with _warned("the heartbeat failed"):
        opened = Store.open(path)
    return opened


@contextmanager
def _warned(what: str) -> Iterator[None]:
    """Logs an error and goes on: the next attempt may succeed, and if none does, the claims lapse."""
    try:
        yield
    except (StoreError, OSError) as error:
        log.warning("%s: %s", what, error)
