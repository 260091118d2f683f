"""What tests of engines share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pconv.engines.threads import torch_threads


@pytest.fixture
def one_torch_thread() -> Iterator[None]:
    """These sizes are too small for more, and PyTorch's threads would spin against each other."""
    with torch_threads(1):
        yield
