"""Labels for the rows and columns of a study's table, in the paper's letters."""

from __future__ import annotations

from collections.abc import Callable

from pconv.config import RunConfig

Label = Callable[[RunConfig], str]


def successors(config: RunConfig) -> str:
    """The successors of n in the window, or the offsets of another window.

    >>> successors(RunConfig(modulus=7)), successors(RunConfig(modulus=7, offsets=(-1, 0, 2)))
    ('B=8', 'offsets -1,0,2')
    """
    if config.successors is None:
        return "offsets " + ",".join(map(str, config.offsets))
    return f"B={config.successors}"


def modulus(config: RunConfig) -> str:
    return f"m={config.modulus}"


def kernel(config: RunConfig) -> str:
    return "k=" + ",".join(map(str, config.kernel))


def channels(config: RunConfig) -> str:
    return "C=" + ",".join(map(str, config.channels))


def epochs(config: RunConfig) -> str:
    return f"t={config.epochs}"


def batches(config: RunConfig) -> str:
    return f"r={config.batches} s={config.batch_size}"


def both(first: Label, second: Label) -> Label:
    """Two labels, one after the other.

    >>> both(modulus, kernel)(RunConfig(modulus=7))
    'm=7 k=7'
    """
    return lambda config: f"{first(config)} {second(config)}"
