"""Engines in single precision are as near to the loop in double precision as PyTorch is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.engines.dense import DenseEngine
from tests.engines.reference import ENGINES, Build, Reference, batches_of, config_of, distance, train

pytestmark = pytest.mark.usefixtures("one_torch_thread")

PRECISION = pytest.mark.parametrize(("successors", "kernel"), [(8, 7), (16, 15), (24, 7)])
ROUNDING = 2.0**-24
"""The largest relative error of one operation in single precision."""


def precision_case(successors: int, kernel: int, **fields: Any) -> RunConfig:
    window = tuple(range(successors + 1))
    return config_of(modulus=11, offsets=window, kernel=kernel, batch_size=8, **fields)


@PRECISION
def test_fifty_steps_stay_as_near_to_double_precision_as_pytorch(successors: int, kernel: int) -> None:
    """Compared are the distances of two engines from the same loop in double precision: the largest error of
    a loss within fifty steps, and the error of the weights after them; of each the median of three seeds,
    within a factor of two. The median, because a sum that is zero to rounding falls on either side of
    LeakyReLU's kink, in every engine, and where that happens one hidden unit goes another way for good: such
    a run tells how near to zero a sum came, not how well it was computed. An engine that rounds worse than
    PyTorch meets it in more seeds than PyTorch does, and fails.
    """
    builds: dict[str, Build] = {name: ENGINES[name] for name in ("dense", "compact", "sparse")}
    losses: dict[str, list[float]] = {name: [] for name in builds}
    weights: dict[str, list[float]] = {name: [] for name in builds}
    for seed in range(3):
        config = precision_case(successors, kernel, primes=60, seed=seed)
        batches = batches_of(config, 50)
        reference = Reference(config)
        exact = np.array(reference.train(batches))
        true = {name: w.detach() for name, w in reference.network.state_dict().items()}
        for name, build in builds.items():
            engine = build(config)
            losses[name].append(float(np.abs(train(engine, batches) - exact).max()))
            weights[name].append(distance(engine.weights(), true))
    for found in (losses, weights):
        for name in ("compact", "sparse"):
            assert np.median(found[name]) <= 2 * np.median(found["dense"]), found


@PRECISION
def test_a_step_rounds_no_worse_than_pytorch_s(successors: int, kernel: int) -> None:
    """One step's gradients, all engines from the same weights: nothing has had the time to amplify an error,
    so that what is compared is rounding alone. The weights are a run's after 0, 4, .., 16 steps; of a
    parameter's error, relative to its gradient in double precision, the median over these is compared, within
    a factor of two.

    Nobody has to be nearer than twice two roundings, 2^-24 each: a gradient has gone through the loss, a
    product and a sum over the batch, and what PyTorch is below that is luck. Ten entries of fc3.bias are off
    by 0.8 to 3.5 roundings in all engines alike, by the seed and by the machine; once in 34 runs PyTorch's
    median was less than half of the others'.
    """
    config = precision_case(successors, kernel, primes=150)
    batches = batches_of(config, 17)
    run, reference = DenseEngine(config), Reference(config)
    errors: dict[str, dict[str, list[float]]] = {}
    for i, batch in enumerate(batches):
        if i % 4 == 0:
            weights = run.weights()
            reference.network.load_state_dict(weights)
            reference.gradients(*batch)
            for kind in ("dense", "compact", "sparse"):
                engine = ENGINES[kind](config)
                engine.load_weights(weights)
                engine.step(*batch)
                state = dict(engine.state_items())  # after a first step the mean is a tenth of the gradient
                for name, parameter in reference.network.named_parameters():
                    assert parameter.grad is not None
                    error = (state["mean." + name] * 10 - parameter.grad).norm() / parameter.grad.norm()
                    errors.setdefault(name, {}).setdefault(kind, []).append(float(error))
        run.step(*batch)
    for name, found in errors.items():
        for kind in ("compact", "sparse"):
            assert np.median(found[kind]) <= 2 * max(np.median(found["dense"]), 2 * ROUNDING), (name, found)
