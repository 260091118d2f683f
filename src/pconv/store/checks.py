"""Checks of a configuration before its run starts."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.data.examples import class_count
from pconv.data.representations import representation_named
from pconv.models.registry import architecture_named


def check_names(config: RunConfig) -> None:
    """Raise an `InputError` for an architecture, representation or task that does not exist."""
    architecture_named(config.architecture)
    representation_named(config.representation)
    class_count(config)
