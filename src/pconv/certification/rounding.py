"""A network's answers, as far as no rounding can change them.

The bound of docs/certify.md: with u = 2^-24 and g(k) = ku/(1-ku), a sum of k products computed in float32,
in any order, is wrong by at most g(k) times the sum of the absolute values. What such an error changes in
the difference of two logits follows from the slopes of the activations, which are known wherever a value is
farther from 0 than its own error. A *rival* of the largest logit is another that is not below it by more
than this bound: only the largest and its rivals can be answered in float32. An answer is *sure* where all of
them are worth the same.

Where no operation rounds at all, the bound is 0: `exact.py` finds such grids of networks with whole weights.

The bound is evaluated in float64. Most grids need not be: two simpler bounds in float32 are larger, and what
they rule out, the other rules out, too.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import IntArray
from pconv.certification.exact import ExactNetwork
from pconv.certification.layers import Layers
from pconv.certification.signed_bound import SLACK, SignedBound, gamma
from pconv.errors import InputError
from pconv.models.sizes import SLOPE
from pconv.models.weights import Model

_FAST = 5.0
"""Gaps of that many simple bounds in float32 are not evaluated in float64: 2.4 for the rounding of the gap,
and 2.4 to exceed the bound of float64 (docs/certify.md)."""
_LARGEST_INPUT = 2.0**10
_LARGEST_VALUE = 2.0**100
_LARGEST_GAIN = 2.0**60
_LARGEST_GAMMA = 0.04  # of all layers together
_PIECE = 2**9  # grids at a time in float64


class SureAnswers(NamedTuple):
    """The answer to each grid, of several rivals the least, and whether it is sure."""

    answers: IntArray
    sure: NDArray[np.bool_]


class RoundedNetwork:
    """A network whose float32 evaluation is bounded: p-Conv or the MLP.

    Parameters
    ----------
    model
        The network; an `InputError` if its architecture has no bound, or its weights are out of range.
    """

    def __init__(self, model: Model) -> None:
        self._layers = Layers.of(model)
        self._absolute = [layer.absolute() for layer in self._layers.convolutions]
        self._check_range()
        self._prepare()
        self._exact = ExactNetwork(self._layers) if ExactNetwork.applies(self._layers) else None

    @property
    def whole_weights(self) -> bool:
        """Whether all weights are whole numbers, so that the bound is 0 for grids that `ExactNetwork` proves
        to be exact."""
        return self._exact is not None

    @cached_property
    def _signed(self) -> SignedBound:
        return SignedBound(self._layers)

    def _check_range(self) -> None:
        """No value overflows, underflow is far below `SLACK`, and second-order terms are small."""
        largest, gain, share = _LARGEST_INPUT, 1.0, 0.0
        for layer in (*self._layers.convolutions, *self._layers.linear):
            rows = layer.weight.abs().flatten(1).sum(dim=1, dtype=torch.float64)
            largest = float(rows.max()) * largest + float(layer.bias.abs().max())
            gain *= max(1.0, float(rows.max()))
            share += gamma(layer.terms)
        if not (largest <= _LARGEST_VALUE and gain <= _LARGEST_GAIN):  # or nan
            raise InputError(
                "weights", f"with sums up to {largest:.1g}", "are too large for a bound on rounding"
            )
        if not 0 < share <= _LARGEST_GAMMA:
            terms = f"{self._layers.linear[0].terms:,}"
            raise InputError("weights", f"with sums of {terms} terms", "are too many for a bound on rounding")

    def _prepare(self) -> None:
        """The bound as a linear function of the activations: for each layer's inputs, how much a unit of
        their absolute value adds to the largest bound of a logit."""
        convolutions, linear = self._layers
        passed = torch.eye(len(linear[-1].bias), dtype=torch.float64)
        constant = torch.zeros(len(passed), dtype=torch.float64)
        self._charges: list[Tensor] = []
        for layer in reversed(linear):
            local = gamma(layer.terms)
            constant += local * (passed @ layer.bias.double().abs())
            passed = _times_absolute(passed, layer.weight)  # (classes, inputs of the layer)
            activated = gamma(2) if layer is not linear[0] or convolutions else 0.0
            self._charges.insert(0, ((local + activated) * passed).amax(dim=0).float())
        self._feature_charge = passed.amax(dim=0).float()
        self._constant = float(constant.max())

    @torch.no_grad()
    def answer(self, grids: NDArray[np.float32], worth: IntArray) -> SureAnswers:
        """The answers to some grids.

        Parameters
        ----------
        grids
            (grids, rows, columns).
        worth
            What each answer would be worth, (grids, labels).
        """
        every = torch.from_numpy(grids)
        logits, bound = self._charged(every)
        rivals = ~(_gaps(logits) > (_FAST * bound + 2 * SLACK)[:, None]).numpy()
        left = np.flatnonzero(~_settled(rivals, worth))
        if self._exact is not None and len(left):
            logits, exact = self._exact.evaluate(every[left])
            found = exact.numpy()
            rivals[left[found]] = (_gaps(logits[exact]) <= SLACK).numpy()
            left = left[~found]
        for single in (True, False):
            for start in range(0, len(left), _PIECE):
                part = left[start : start + _PIECE]
                rivals[part] = self._signed.rivals(every[part], single).numpy()
            left = left[rivals[left].sum(axis=1) > 1]  # the largest logit is certain where it is alone
        return SureAnswers(rivals.argmax(axis=1), _agree(rivals, worth))

    def _charged(self, grids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits in float32, and a bound that no logit's error exceeds (to first order in u): a weighted sum
        of absolute activations."""
        convolutions, linear = self._layers
        bound = torch.full((len(grids),), self._constant)
        features = grids.flatten(1)
        if convolutions:
            maps, errors = grids.unsqueeze(1), torch.zeros(())
            for layer, absolute in zip(convolutions, self._absolute, strict=True):
                local = gamma(layer.terms)
                charged = maps.abs() * local + errors * (1 + local)
                errors = F.max_pool2d(absolute.apply(charged, local), 2)
                maps = F.max_pool2d(layer.apply(maps), 2)
            features = F.leaky_relu(maps, SLOPE).flatten(1)
            bound += errors.flatten(1) @ self._feature_charge
        for layer, charge in zip(linear, self._charges, strict=True):
            bound += features.abs() @ charge
            features = layer.apply(features)
            if layer is not linear[-1]:
                features = F.leaky_relu_(features, SLOPE)
        return features, bound


def _gaps(logits: Tensor) -> Tensor:
    """How far each logit is below the largest."""
    return logits.amax(dim=1, keepdim=True) - logits


def _settled(rivals: NDArray[np.bool_], worth: IntArray) -> NDArray[np.bool_]:
    """Whether a narrower bound would change nothing: the answer is sure, and is the best or has no rival."""
    best = worth[np.arange(len(rivals)), rivals.argmax(axis=1)] == worth.max(axis=1)
    return np.asarray(_agree(rivals, worth) & (best | (rivals.sum(axis=1) == 1)))


def _agree(rivals: NDArray[np.bool_], worth: IntArray) -> NDArray[np.bool_]:
    """Whether all rivals are worth the same."""
    least = np.where(rivals, worth, np.iinfo(np.int64).max).min(axis=1)
    return np.asarray(least == np.where(rivals, worth, -1).max(axis=1))


def _times_absolute(passed: Tensor, weight: Tensor) -> Tensor:
    """passed @ |weight| in float64, without a copy of a large weight."""
    parts = [passed @ part.double().abs() for part in torch.split(weight, 4096, dim=1)]
    return torch.cat(parts, dim=1)
