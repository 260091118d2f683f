"""What all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

# Tests run side by side, one for each core: threads of torch would only wait for each other. Set before torch
# is imported, and inherited by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from pconv.store.sqlite import Store

# A shell starts jobs in the background with Ctrl-C ignored, and children inherit that: programs that a test
# interrupts would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pconv.db"


@pytest.fixture
def store(path: Path) -> Store:
    return Store.open(path)
