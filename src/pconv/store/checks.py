"""What can be said of a run before it is begun."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.data.examples import class_count
from pconv.data.representations import representation_named
from pconv.models.registry import architecture_named


def check_names(config: RunConfig) -> None:
    """Whether there are the architecture, representation and task that a run asks for."""
    architecture_named(config.architecture)
    representation_named(config.representation)
    class_count(config)
