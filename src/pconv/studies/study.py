"""What a study is: a question, the runs that answer it, and how they are laid out, shown and kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from pconv.config import PRESETS, RunConfig, preset_fields
from pconv.errors import InputError
from pconv.studies.cell import StudyCell
from pconv.studies.views import ACCURACY, View

ALL = "all"
"""The name that selects every study of the paper."""
OTHER = "other"
"""The name of the file with runs that no study has."""
MAX_SEEDS = 1_000
"""The most runs of a cell."""
PROBES = "-probe"
"""Added to a study's name for the file with its tests past the domain."""

Build = Callable[[str], Iterable[StudyCell]]


@dataclass(frozen=True)
class Study:
    """A table of runs that answers a question, at one preset and under one or more seeds.

    Parameters
    ----------
    name
        The NAME in `pconv reproduce NAME` and of the exported file: lower-case words joined by dashes.
    question
        What the runs answer, in one line.
    build
        The function from a preset ("quick" or "paper") to the cells under seed 0. Rows and columns of the
        table come in the order of the cells.
    view
        How the runs at one place of the table are shown.
    early_stop
        Whether runs may end before their last epoch. Times and loss curves need every epoch.
    snapshots
        Epochs whose answers to the test numbers are recorded, in runs with at least that many epochs. A
        stored run without them is trained again.
    keeps_weights
        Whether weights stay in the store whatever their size.
    extrapolates
        Whether the networks are tested on numbers past the domain, which needs their weights.
    exports_curves
        Whether `pconv export` writes the loss along the training, not only of each epoch.
    in_document
        Whether the document of `pconv results` has the study's table.
    table
        The table of the paper that the study reproduces, if any.
    preset, seeds
        Which cells: the preset, and the seeds 0 to seeds - 1. `at` changes them.

    Examples
    --------
    >>> def two_moduli(preset):
    ...     for m in (2, 3):
    ...         yield StudyCell(f"m={m}", "B=8", RunConfig(modulus=m, primes=preset_fields(preset)["primes"]))
    >>> study = Study("two-moduli", "Are 2 and 3 learned?", two_moduli)
    >>> [config.modulus for config in study.at(seeds=2).configs()]
    [2, 2, 3, 3]
    """

    name: str
    question: str
    build: Build
    view: View = ACCURACY
    early_stop: bool = True
    snapshots: tuple[int, ...] = ()
    keeps_weights: bool = False
    extrapolates: bool = False
    exports_curves: bool = False
    in_document: bool = True
    table: str | None = None
    preset: str = "quick"
    seeds: int = 1

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise InputError("study", self.name, "must be lower-case words joined by dashes")
        if self.name in (ALL, OTHER) or self.name.endswith(PROBES):
            raise InputError("study", self.name, f"must not be {ALL} or {OTHER}, or end in {PROBES}")
        if self.extrapolates and not self.keeps_weights:
            raise InputError("study", self.name, "must keep its weights if it extrapolates")
        preset_fields(self.preset)
        if not 1 <= self.seeds <= MAX_SEEDS:
            raise InputError("seeds", self.seeds, f"must be from 1 to {MAX_SEEDS}")

    def at(self, preset: str = "quick", seeds: int = 1) -> Study:
        """The study at another preset, or under several seeds."""
        return replace(self, preset=preset, seeds=seeds)

    @cached_property
    def cells(self) -> tuple[StudyCell, ...]:
        """The cells of the table, one for each seed."""
        return tuple(
            replace(cell, config=self._config(cell.config, seed))
            for cell in self.build(self.preset)
            for seed in range(self.seeds)
        )

    def _config(self, config: RunConfig, seed: int) -> RunConfig:
        return replace(config, seed=seed, early_stop=config.early_stop and self.early_stop)

    def configs(self) -> list[RunConfig]:
        """The runs of the study, each once."""
        return list(dict.fromkeys(cell.config for cell in self.cells))

    def has(self, config: RunConfig) -> bool:
        """Whether a run belongs to the study, at any preset and under any seed."""
        return replace(config, seed=0) in self._every_preset

    @cached_property
    def _every_preset(self) -> frozenset[RunConfig]:
        return frozenset(config for preset in PRESETS for config in self.at(preset).configs())

    def snapshots_of(self, config: RunConfig) -> tuple[int, ...]:
        """The epochs of a run whose answers are recorded."""
        return self.snapshots if config.epochs >= max(self.snapshots, default=0) else ()
