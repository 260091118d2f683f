"""What an engine is: a way of computing a run.

All engines do the same mathematics and differ in rounding alone. One step is a forward pass, the gradient of
the mean cross-entropy, and one step of Adam with decoupled weight decay on every weight, as in
torch.optim.AdamW."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pconv.config import RunConfig

if TYPE_CHECKING:
    import torch  # engines are listed without loading torch or numba
    from torch import Tensor

    from pconv.data.grid import PrimeGrid

BETAS = (0.9, 0.999)
EPSILON = 1e-8
"""Adam's constants: PyTorch's defaults, since the paper names none. The rates are in a run's
configuration."""


class Engine(Protocol):
    """The contract of every engine; tests/engines/test_engines.py checks it."""

    @property
    def name(self) -> str:
        """The engine's name in a run's record."""

    @property
    def revision(self) -> int:
        """A number that is increased whenever the engine's rounding changes; part of a run's record."""

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        """Train on one batch; the loss is the one before the step."""

    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        """The network's output, (windows, classes); changes nothing."""

    def weights(self) -> dict[str, Tensor]:
        """A copy of the weights under PyTorch's names, on the CPU."""

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Replace the weights; the optimizer's state stays as it is."""

    def state_items(self) -> Iterator[tuple[str, Tensor]]:
        """A copy of all that the next step depends on: the weights, Adam's moments of each as `mean.NAME` and
        `square.NAME`, and the number of steps done as `step`. One at a time, to save memory."""

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Continue from a state of `state_items`: bit for bit if the same engine made it, else up to
        rounding."""


@runtime_checkable
class Profiled(Protocol):
    """What an engine may offer in addition, for `pconv bench` to show."""

    @property
    def bytes(self) -> int:
        """The size of the arrays that are kept between steps."""

    @property
    def step_seconds(self) -> Mapping[str, float]:
        """How long each part of the last step took."""


def _accepts(config: RunConfig) -> str | None:
    return None


def _never(config: RunConfig) -> bool:
    return False


@dataclass(frozen=True)
class EngineSpec:
    """The declaration of an engine: its name, what it can run, and how to build it.

    Parameters
    ----------
    name
        The value of `--engine`, and the built engine's `name`.
    description
        One line.
    build
        From (config, device, threads) to the engine.
    cpu_only
        Whether it runs on no other device than the CPU.
    refuses
        Why it cannot compute a run, as the end of an error message; None where it can.
    preferred
        Whether `auto` takes it for a run, if no engine that was registered before it is preferred.
    copies
        How many arrays of the size of all weights it keeps, for estimates of memory: by default weights,
        gradient and Adam's two moments.
    skips_zeros
        Whether its memory for feature maps is that of the columns that a window touches, not of all columns.
    """

    name: str
    description: str
    build: Callable[[RunConfig, torch.device, int], Engine]
    cpu_only: bool = False
    refuses: Callable[[RunConfig], str | None] = _accepts
    preferred: Callable[[RunConfig], bool] = _never
    copies: int = 4
    skips_zeros: bool = False

    def objection(self, config: RunConfig, device: torch.device) -> str | None:
        """Why it cannot compute this run on this device; None where it can."""
        if self.cpu_only and device.type != "cpu":
            return f"runs on the CPU alone, not on {device}"
        return self.refuses(config)
