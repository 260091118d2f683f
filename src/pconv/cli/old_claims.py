"""Claims without a recent heartbeat: whether their workers are dead is known after some seconds."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from pconv._text import pluralize
from pconv.cli.standard_streams import print_note

if TYPE_CHECKING:
    from pconv.store.sqlite import Store


def watch_old_claims(store: Store, run_ids: Collection[str] | None = None) -> None:
    """Wait until claims that look old have lapsed, or their workers have sent a heartbeat.

    Parameters
    ----------
    store
        The open store.
    run_ids
        The runs whose claims matter. All if not given.
    """
    from pconv.store.sqlite import WATCHED

    if old := store.watch_claims(run_ids):
        print_note(f"watching {pluralize(old, 'claim')} without a recent heartbeat for {WATCHED:.0f} s")
        time.sleep(WATCHED)
