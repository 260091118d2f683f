"""What can be said of a run before it is begun."""

from __future__ import annotations

from pconv.arithmetic.examples import class_count
from pconv.arithmetic.representations import representation_named
from pconv.config import RunConfig
from pconv.learn.architectures import architecture_named


def check_names(config: RunConfig) -> None:
    """Whether there are the architecture, representation and task that a run asks for."""
    architecture_named(config.architecture)
    representation_named(config.representation)
    class_count(config)
