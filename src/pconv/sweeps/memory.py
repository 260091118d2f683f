"""The memory that the simultaneous runs of a sweep on this machine may take together."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.engines import memory
from pconv.engines.memory import MemoryEstimate, gigabytes
from pconv.engines.registry import AUTO, chosen_engine
from pconv.errors import PconvError

log = logging.getLogger(__name__)


def run_memory(config: RunConfig, census: bool = True) -> MemoryEstimate | None:
    """The estimated memory of a run on the CPU; None where it is not known."""
    return _of_shape(replace(config, seed=0, epochs=1), census)  # runs that differ in these need the same


@cache
def _of_shape(config: RunConfig, census: bool) -> MemoryEstimate | None:
    import torch

    try:
        return memory.estimated_memory(config, chosen_engine(config, AUTO, torch.device("cpu")), census)
    except PconvError:  # a run that cannot be computed: its worker reports why
        return None


@dataclass
class MemoryBudget:
    """Which runs may be computed at the same time.

    Parameters
    ----------
    available
        The bytes for all runs; None: unknown, and nothing is refused.
    census
        Whether the runs end with a census.
    """

    available: int | None
    census: bool = True
    _warned: bool = field(default=False, init=False)

    @classmethod
    def here(cls, census: bool) -> MemoryBudget:
        """What this machine has left now."""
        return cls(memory.available_memory(), census)

    def check(self, configs: Iterable[RunConfig]) -> None:
        """Raise an error that names the first run that needs more than there is, even alone."""
        for config in configs:
            needed = run_memory(config, self.census)
            if needed is not None and self.available is not None and needed.total > self.available:
                raise PconvError(
                    f"run {config.run_id} ({as_flags(config)}) needs about {needed} of memory, and "
                    f"{gigabytes(self.available)} GB are available; no run was started"
                )

    def fits(self, config: RunConfig, running: Iterable[RunConfig]) -> bool:
        """Whether a run can be added to those that are running."""
        if self.available is None:
            return True
        estimates = [run_memory(each, self.census) for each in (config, *running)]
        together = sum(estimate.total for estimate in estimates if estimate)
        if together > self.available and not self._warned:
            self._warned = True
            log.warning(
                "fewer runs at a time: %d of them need about %s GB of memory, and %s GB are available",
                *(len(estimates), gigabytes(together), gigabytes(self.available)),
            )
        return together <= self.available
