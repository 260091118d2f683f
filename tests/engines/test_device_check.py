"""A device is held against the CPU, and what it does wrong is noticed."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.engines.dense import DenseEngine
from pconv.engines.device_check import STEPS, Check, check_device
from pconv.engines.sparse.compact import CompactEngine
from pconv.errors import InputError


class OneWeightOff(DenseEngine):
    """As a device with a fault in its memory would train."""

    def weights(self) -> dict[str, Tensor]:
        found = super().weights()
        found["linear.fc2.weight"][3, 5] += 0.1
        return found


class NoNumbers(DenseEngine):
    """As a device would that overflows."""

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        super().step(grid, labels)
        return float("nan")


def test_the_cpu_agrees_with_itself() -> None:
    found = check_device("cpu")
    assert found.agrees
    assert (found.device, found.steps) == ("cpu", STEPS)
    assert {check.name: check.difference for check in found.checks} == {"loss": 0, "logits": 0, "weights": 0}


def test_other_rounding_agrees() -> None:
    """An engine that adds up in another order stands for a device that does."""
    found = check_device("cpu", lambda config, device: CompactEngine(config))
    assert found.agrees
    assert max(check.difference for check in found.checks) > 0


def test_one_weight_that_is_off_is_noticed() -> None:
    found = check_device("cpu", OneWeightOff)
    assert not found.agrees
    assert [check.name for check in found.checks if not check.agrees] == ["weights"]


def test_what_is_no_number_does_not_agree() -> None:
    found = check_device("cpu", NoNumbers)
    assert [check.name for check in found.checks if not check.agrees] == ["loss"]
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["checks"][0] == {"name": "loss", "difference": None, "bound": 1e-5, "agrees": False}
    assert document["agrees"] is False


def test_a_slower_optimizer_is_noticed() -> None:
    def slow(config: RunConfig, device: torch.device) -> DenseEngine:
        fields = config.to_dict() | {"learning_rate": 0.98 * config.learning_rate}
        return DenseEngine(RunConfig.from_dict(fields), device)

    assert not check_device("cpu", slow).agrees


def test_the_bound_is_included() -> None:
    assert Check("loss", 0.1, 0.1).agrees
    assert not Check("loss", 0.2, 0.1).agrees


def test_a_device_that_is_not_here() -> None:
    with pytest.raises(InputError, match="device abacus"):
        check_device("abacus")
