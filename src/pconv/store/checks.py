"""Checks of a configuration before its run starts, and of a result before it is stored."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.data.examples import class_count
from pconv.data.representations import representation_named
from pconv.errors import InputError
from pconv.models.registry import architecture_named
from pconv.result import RunResult


def check_names(config: RunConfig) -> None:
    """Raise an `InputError` for an architecture, representation or task that does not exist."""
    architecture_named(config.architecture)
    representation_named(config.representation)
    class_count(config)


def check_classes(result: RunResult) -> None:
    """Raise an `InputError` if the confusion matrices have not the classes of the configuration."""
    classes, there = class_count(result.config), len(result.test.confusion)
    if there != classes:
        raise InputError("result", result.run_id, f"has {there} classes, and its configuration {classes}")
