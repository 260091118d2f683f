"""What the examples in docstrings share."""

from __future__ import annotations

from typing import Any

import pytest

from pconv.data import representations, tasks
from pconv.models import registry as architectures
from pconv.probes import registry as probes
from pconv.registry import Registry
from pconv.theory import registry as theories

REGISTRIES: list[Registry[Any]] = [
    representations._representations,
    tasks._tasks,
    theories._theories,
    architectures._architectures,
    probes.PROBES,
]


@pytest.fixture(autouse=True)
def _registrations_end_with_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    probes.probes()  # imports the modules of the built-in probes, which are to stay
    for registry in REGISTRIES:
        monkeypatch.setattr(registry, "_found", dict(registry))
