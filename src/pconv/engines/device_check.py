"""Whether a device trains like the CPU: the same few steps of the dense engine on both are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.examples import encode, labels_of
from pconv.data.grid import PrimeGrid
from pconv.engines.base import Engine
from pconv.engines.dense import DenseEngine
from pconv.engines.registry import usable_device
from pconv.engines.threads import torch_threads
from pconv.models.registry import network_of

STEPS = 5
BOUNDS: Mapping[str, float] = {"loss": 1e-5, "logits": 1e-3, "weights": 1e-2}
"""The largest differences that single precision explains. Kernels of the CPU that sum in another order differ
by up to 1e-7, 7e-4 and 3e-3 (where a sum that is zero to rounding falls on the other side of LeakyReLU's
kink); convolutions in TF32, with 10 bits in place of 23, by at least 1e-5, 2e-2 and 8e-2."""

_CONFIG = RunConfig(modulus=11, seed=1, batches=STEPS + 1)
Batch = tuple[PrimeGrid, NDArray[np.int64]]
Build = Callable[[RunConfig, torch.device], Engine]


@dataclass(frozen=True)
class Check:
    """One quantity: its largest relative difference from the CPU's, and the bound that rounding explains."""

    name: str
    difference: float
    bound: float

    @property
    def agrees(self) -> bool:
        return self.difference <= self.bound  # False for nan

    def to_dict(self) -> dict[str, Any]:
        """For JSON: a difference that is not finite is None."""
        difference = self.difference if isfinite(self.difference) else None
        return {"name": self.name, "difference": difference, "bound": self.bound, "agrees": self.agrees}


@dataclass(frozen=True)
class DeviceCheck:
    """The result of comparing a device with the CPU."""

    device: str
    steps: int
    checks: tuple[Check, ...]

    @property
    def agrees(self) -> bool:
        return all(check.agrees for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        checks = [check.to_dict() for check in self.checks]
        return {"device": self.device, "steps": self.steps, "agrees": self.agrees, "checks": checks}


class _Trained(NamedTuple):
    """The loss of each of some steps, and the logits of another batch and the weights after them."""

    losses: NDArray[np.float64]
    logits: NDArray[np.float64]
    weights: dict[str, Tensor]


def default_device() -> str:
    """This machine's accelerator, or the CPU where there is none."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return str(accelerator or "cpu")


def check_device(device: str, build: Build = DenseEngine) -> DeviceCheck:
    """Train on the device and on the CPU from the same weights, and compare losses, logits and weights.

    Parameters
    ----------
    device : str
        The name of a torch device. One that does not work here is an `InputError`.
    build : callable, default=DenseEngine
        From a configuration and the device to the engine that is compared with the dense one on the CPU.

    Returns
    -------
    DeviceCheck
        The largest relative difference of each quantity, with its bound.
    """
    found = usable_device(device)
    with torch_threads(1):  # with more, the order of sums could change from one run to the next
        batches = [(encode(_CONFIG, n), labels_of(_CONFIG, n)) for n in split(_CONFIG).training]
        expected = _trained(DenseEngine(_CONFIG), batches)
        differences = _differences(_trained(build(_CONFIG, found), batches), expected)
    checks = tuple(Check(name, differences[name], bound) for name, bound in BOUNDS.items())
    full_name = str(torch.empty(0, device=found).device)  # cuda is cuda:0, or the one that is current
    return DeviceCheck(full_name, STEPS, checks)


def _trained(engine: Engine, batches: Sequence[Batch]) -> _Trained:
    losses = [engine.step(grid, labels) for grid, labels in batches[:STEPS]]
    logits = engine.logits(batches[STEPS][0])
    return _Trained(np.array(losses), logits.astype(np.float64), engine.weights())


def _differences(found: _Trained, expected: _Trained) -> dict[str, float]:
    """The differences relative to each loss, to the largest logit, and to how far the steps moved a parameter
    (its norm, since Adam moves a single weight just as far for a gradient that is rounding alone)."""
    start = network_of(_CONFIG).state_dict()
    weights = [
        (found.weights[name] - right).double().norm() / (right - start[name]).double().norm()
        for name, right in expected.weights.items()
    ]
    logits = np.abs(found.logits - expected.logits).max() / np.abs(expected.logits).max()
    return {
        "loss": float(np.abs(found.losses / expected.losses - 1).max()),
        "logits": float(logits),
        "weights": float(torch.stack(weights).max()),
    }
