"""What the tasks, representations and architectures of a user are, as digests in a run's record.

A run's id has only their names. With a digest it is noticed when a name has come to mean something else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import numpy as np

from pconv.config import RunConfig
from pconv.data.representations import representation_named, representations
from pconv.data.tasks import task_named, tasks
from pconv.errors import InputError
from pconv.models.registry import architectures, weight_shapes

BUILT_IN: Mapping[str, frozenset[str]] = {
    "task": frozenset(
        (
            "residue",
            "divisibility",
            "quadratic",
            "omega",
            "primality",
            "omega-distinct",
            "mobius",
            "squarefree",
            "liouville",
            "smoothness",
            "least-factor",
            "divisors",
        )
    ),
    "representation": frozenset(("exponents", "capped", "binary", "residues", "capped-2", "capped-3")),
    "architecture": frozenset(("pconv", "pconv-nobias", "mlp", "transformer")),
}
"""The names that mean the same in every installation: runs with them have no digests."""
_LABELS = 1_000
_GRIDS = range(1_000, 1_008)


class Redefined(InputError):
    """A name that means something else than when a run was computed."""


def digests(config: RunConfig) -> dict[str, str]:
    """A digest of each part of a run that is not built in, by its kind."""
    registered: dict[str, Mapping[str, object]] = {
        "task": tasks(),
        "representation": representations(),
        "architecture": architectures(),
    }
    return {
        kind: hashlib.sha256(_CONTENT[kind](config)).hexdigest()[:16]
        for kind, names in registered.items()
        if (name := getattr(config, kind)) not in BUILT_IN[kind] and name in names
    }


def check_definitions(config: RunConfig, recorded: Mapping[str, str]) -> None:
    """Raise `Redefined` where a record has another digest; one without digests is accepted.

    Parameters
    ----------
    config
        The run.
    recorded
        The versions in the record of a run with the same id.
    """
    for kind, digest in digests(config).items():
        if recorded.get(kind, digest) != digest:
            changed = f"is not the one that run {config.run_id} in the store was computed with"
            raise Redefined(
                kind, getattr(config, kind), f"{changed}; give it another name or use another store"
            )


def _task(config: RunConfig) -> bytes:
    """The labels of some numbers, among them all residues."""
    numbers = np.arange(1, max(_LABELS, config.modulus) + 1)
    return task_named(config.task).labels(numbers, config.modulus).tobytes()


def _representation(config: RunConfig) -> bytes:
    numbers = np.array(_GRIDS) - min(0, config.offsets[0])
    grid = representation_named(config.representation).grid(numbers, config.offsets, config.primes)
    return grid.dense().tobytes()


def _architecture(config: RunConfig) -> bytes:
    """The shapes of the weights: what is computed with them cannot be compared without training."""
    return repr(weight_shapes(config)).encode()


_CONTENT: Mapping[str, Callable[[RunConfig], bytes]] = {
    "task": _task,
    "representation": _representation,
    "architecture": _architecture,
}
