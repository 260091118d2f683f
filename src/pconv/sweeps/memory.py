"""The memory that the simultaneous runs of a sweep on this machine may take together."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.engines import memory
from pconv.engines.memory import MemoryEstimate, gigabytes
from pconv.engines.registry import AUTO, chosen_engine
from pconv.errors import PconvError
from pconv.sweeps.job import keeps_weights
from pconv.training.options import RunOptions

log = logging.getLogger(__name__)


def run_memory(config: RunConfig, options: RunOptions | None = None) -> MemoryEstimate | None:
    """The estimated memory of a run of a sweep on the CPU; None where it is not known.

    Parameters
    ----------
    config
        The run.
    options
        Whether it ends with a census, and what is kept of it.
    """
    options = options or RunOptions()
    snapshots = sum(epoch <= config.epochs for epoch in options.snapshots)
    shape = replace(config, seed=0, epochs=1)  # runs that differ in these need the same
    return _of_shape(shape, options.census, options.keep_weights, snapshots)


@cache
def _of_shape(config: RunConfig, census: bool, keep_weights: bool, snapshots: int) -> MemoryEstimate | None:
    import torch

    try:
        engine = chosen_engine(config, AUTO, torch.device("cpu"))
        kept = snapshots if keeps_weights(config, RunOptions(keep_weights=keep_weights)) else 0
        return memory.estimated_memory(config, engine, census, kept)
    except PconvError:  # a run that cannot be computed: its worker reports why
        return None


@dataclass
class MemoryBudget:
    """Which runs may be computed at the same time.

    Parameters
    ----------
    available
        The bytes for all runs; None: unknown, and nothing is refused.
    options
        Whether runs end with a census, and what is kept of them.
    options_of
        The options of some runs by their ids, in place of `options`.
    """

    available: int | None
    options: RunOptions = field(default_factory=RunOptions)
    options_of: Mapping[str, RunOptions] = field(default_factory=dict)
    _warned: bool = field(default=False, init=False)

    @classmethod
    def here(cls, options: RunOptions, options_of: Mapping[str, RunOptions]) -> MemoryBudget:
        """What this machine has left now, for runs with these options."""
        return cls(memory.available_memory(), options, options_of)

    def check(self, configs: Iterable[RunConfig]) -> None:
        """Raise an error that names the first run that needs more than there is, even alone."""
        for config in configs:
            needed = self._needed(config)
            if needed is not None and self.available is not None and needed.total > self.available:
                raise PconvError(
                    f"run {config.run_id} ({as_flags(config)}) needs about {needed} of memory, and "
                    f"{gigabytes(self.available)} GB are available; no run was started"
                )

    def fits(self, config: RunConfig, running: Iterable[RunConfig]) -> bool:
        """Whether a run can be added to those that are running."""
        if self.available is None:
            return True
        estimates = [self._needed(each) for each in (config, *running)]
        together = sum(estimate.total for estimate in estimates if estimate)
        if together > self.available and not self._warned:
            self._warned = True
            log.warning(
                "fewer runs at a time: %d of them need about %s GB of memory, and %s GB are available",
                *(len(estimates), gigabytes(together), gigabytes(self.available)),
            )
        return together <= self.available

    def _needed(self, config: RunConfig) -> MemoryEstimate | None:
        return run_memory(config, self.options_of.get(config.run_id, self.options))
