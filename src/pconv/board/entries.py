"""The networks that methods are scored on: the weights files of a directory, each with a seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.weights import Model
from pconv.probes.attribution import MOST_CELLS


@dataclass(frozen=True)
class Entry:
    """A network on the board.

    Parameters
    ----------
    name
        The name of its file, without the ending.
    model
        The network.
    seed
        The seed of its windows and of its random twin; that of the run for a trained network.
    """

    name: str
    model: Model
    seed: int

    @property
    def kind(self) -> str:
        """ "compiled" or "trained"."""
        return "compiled" if self.model.compiled else "trained"

    @property
    def setting(self) -> tuple[str, RunConfig]:
        """What all entries that differ in their seed alone have in common."""
        return self.kind, replace(self.model.config, seed=0)


def read_entries(directory: Path, seeds: int) -> list[Entry]:
    """The networks of a directory: a trained one once, a compiled one for each seed below `seeds`."""
    paths = sorted(directory.glob("*.safetensors")) if directory.is_dir() else []
    if not paths:
        raise InputError(
            "networks", directory, "has no weights: files .safetensors of train --save or compile"
        )
    return [entry for path in paths for entry in entries_of(path, seeds)]


def entries_of(path: Path, seeds: int) -> Iterator[Entry]:
    """The entries of a weights file."""
    model = Model.load(path)
    _check(path, model.config)
    for seed in range(seeds) if model.compiled else (model.config.seed,):
        yield Entry(path.stem, model, seed)


def _check(path: Path, config: RunConfig) -> None:
    """Raise an `InputError` for a network whose truth is not known."""
    for name in ("task", "representation"):
        given, wanted = getattr(config, name), getattr(RunConfig, name)
        if given != wanted:
            raise InputError("networks", path, f"its {name} is {given}, and the board is made for {wanted}")
    if config.rows * config.primes > MOST_CELLS:
        raise InputError(
            "networks", path, f"has more than {MOST_CELLS:,} cells, too many to change them one by one"
        )
