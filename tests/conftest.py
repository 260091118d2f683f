"""What all tests share."""

from __future__ import annotations

import signal
from pathlib import Path

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
