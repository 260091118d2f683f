"""A network's answers, as far as no rounding can change them.

The bound of docs/certify.md: with u = 2^-24 and g(k) = ku/(1-ku), a sum of k products computed in float32,
in any order, is wrong by at most g(k) times the sum of the absolute values. What such an error changes in
the difference of two logits follows from the slopes of the activations, which are known wherever a value is
farther from 0 than its own error. A *rival* of the largest logit is another that is not below it by more
than this bound: only the largest and its rivals can be answered in float32. An answer is *sure* where all of
them are worth the same.

The bound is evaluated in float64. Most grids need not be: a simpler bound in float32 is larger, and what it
rules out, the other rules out, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import IntArray
from pconv.errors import InputError
from pconv.models.sizes import SLOPE
from pconv.models.weights import Model

UNIT = 2.0**-24
SLACK = 2.0**-20
"""An absolute margin on top of the bound: it covers underflow, and keeps softmax from making logits equal."""
INFLATION = 1 + 2.0**-16
"""A factor on the bound: it covers the rounding of float64, in which bound and margin are computed."""
_FAST = 5.0
"""Gaps of that many simple bounds in float32 are not evaluated in float64: 2.4 for the rounding of the gap,
and 2.4 to exceed the bound of float64 (docs/certify.md)."""
_LARGEST_INPUT = 2.0**10
_LARGEST_VALUE = 2.0**100
_LARGEST_GAIN = 2.0**60
_PIECE = 2**9  # grids or pairs at a time in float64


class SureAnswers(NamedTuple):
    """The answer to each grid, of several rivals the least, and whether it is sure."""

    answers: IntArray
    sure: NDArray[np.bool_]


def gamma(terms: int) -> float:
    """The relative error of a sum of so many products.

    >>> gamma(2**14) == 2**-10 / (1 - 2**-10)
    True
    """
    return terms * UNIT / (1 - terms * UNIT)


@dataclass(frozen=True, eq=False)
class _Layer:
    """A convolution or a linear layer."""

    weight: Tensor
    bias: Tensor

    @property
    def terms(self) -> int:
        """The terms of the sum that makes one output: the products and the bias."""
        return self.weight[0].numel() + 1

    def double(self) -> _Layer:
        return _Layer(self.weight.double(), self.bias.double())

    def absolute(self) -> _Layer:
        return _Layer(self.weight.abs(), self.bias.abs())

    def back(self, outputs: Tensor) -> Tensor:
        """Outputs times the weights: how they depend on the inputs."""
        return outputs @ self.weight

    def apply(self, x: Tensor, bias: float = 1.0) -> Tensor:
        if self.weight.dim() == 2:
            return F.linear(x, self.weight, bias * self.bias)
        return F.conv2d(x, self.weight, bias * self.bias, padding=self.weight.shape[-1] // 2)


class RoundedNetwork:
    """A network whose float32 evaluation is bounded: p-Conv or the MLP.

    Parameters
    ----------
    model
        The network; an `InputError` if its architecture has no bound, or its weights are out of range.
    """

    def __init__(self, model: Model) -> None:
        config, state = model.config, model.network.state_dict()
        if config.architecture not in ("pconv", "mlp"):
            allowed = "cannot be certified: only pconv and mlp have a proved bound on rounding"
            raise InputError("architecture", config.architecture, allowed)
        names = [f"convolution.conv{i}" for i in range(1, len(config.channels) + 1)]
        self._convolutions = [_layer(state, name) for name in names if config.convolves]
        self._linear = [_layer(state, f"linear.fc{i}") for i in range(1, 5)]
        self._absolute = [layer.absolute() for layer in self._convolutions]
        self._check_range()
        self._prepare()

    @cached_property
    def _double(self) -> list[_Layer]:
        return [layer.double() for layer in self._linear]

    @cached_property
    def _double_absolute(self) -> list[_Layer]:
        return [layer.absolute() for layer in self._double]

    def _check_range(self) -> None:
        """No value overflows, and underflow is far below `SLACK`."""
        largest, gain = _LARGEST_INPUT, 1.0
        for layer in (*self._convolutions, *self._linear):
            rows = layer.weight.abs().flatten(1).sum(dim=1, dtype=torch.float64)
            largest = float(rows.max()) * largest + float(layer.bias.abs().max())
            gain *= max(1.0, float(rows.max()))
        if not (largest <= _LARGEST_VALUE and gain <= _LARGEST_GAIN):  # or nan
            raise InputError(
                "weights", f"with sums up to {largest:.1g}", "are too large for a bound on rounding"
            )

    def _prepare(self) -> None:
        """The bound as a linear function of the activations: for each layer's inputs, how much a unit of
        their absolute value adds to the largest bound of a logit."""
        passed = torch.eye(len(self._linear[-1].bias), dtype=torch.float64)
        constant = torch.zeros(len(passed), dtype=torch.float64)
        self._charges: list[Tensor] = []
        for layer in reversed(self._linear):
            local = gamma(layer.terms)
            constant += local * (passed @ layer.bias.double().abs())
            passed = _times_absolute(passed, layer.weight)  # (classes, inputs of the layer)
            activated = gamma(2) if layer is not self._linear[0] or self._convolutions else 0.0
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
        logits, bound = self._single(torch.from_numpy(grids))
        top = logits.amax(dim=1, keepdim=True)
        rivals = ~(top - logits > (_FAST * bound + 2 * SLACK)[:, None]).numpy()
        answers, sure = rivals.argmax(axis=1), _agree(rivals, worth)
        best = worth[np.arange(len(grids)), answers] == worth.max(axis=1)
        rest = np.flatnonzero(~(sure & (best | (rivals.sum(axis=1) == 1))))
        for start in range(0, len(rest), _PIECE):
            part = rest[start : start + _PIECE]
            answers[part], sure[part] = self._careful(torch.from_numpy(grids[part]), worth[part])
        return SureAnswers(answers, sure)

    def _single(self, grids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits in float32, and a bound that no logit's error exceeds (to first order in u)."""
        bound = torch.full((len(grids),), self._constant)
        features = grids.flatten(1)
        if self._convolutions:
            maps, errors = grids.unsqueeze(1), torch.zeros(())
            for layer, absolute in zip(self._convolutions, self._absolute, strict=True):
                local = gamma(layer.terms)
                charged = maps.abs() * local + errors * (1 + local)
                errors = F.max_pool2d(absolute.apply(charged, local), 2)
                maps = F.max_pool2d(layer.apply(maps), 2)
            features = F.leaky_relu(maps, SLOPE).flatten(1)
            bound += errors.flatten(1) @ self._feature_charge
        for layer, charge in zip(self._linear, self._charges, strict=True):
            bound += features.abs() @ charge
            features = layer.apply(features)
            if layer is not self._linear[-1]:
                features = F.leaky_relu_(features, SLOPE)
        return features, bound

    def _careful(self, grids: Tensor, worth: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        logits, trace = self.traced(grids)
        top = logits.argmax(dim=1)
        gaps = logits.gather(1, top[:, None]) - logits
        errors = trace.errors[-1]
        rivals = gaps <= (errors.gather(1, top[:, None]) + errors) * INFLATION + SLACK
        rivals.scatter_(1, top[:, None], False)
        for pairs in torch.split(rivals.nonzero(), _PIECE):
            rows, others = pairs[:, 0], pairs[:, 1]
            bound = self._gap_error(trace.rows(rows), top[rows], others)
            rivals[rows, others] = gaps[rows, others] <= bound * INFLATION + SLACK
        rivals.scatter_(1, top[:, None], True)
        found = rivals.numpy()
        return found.argmax(axis=1), _agree(found, worth)

    def traced(self, grids: Tensor) -> tuple[Tensor, _Trace]:
        """The logits in float64, and what bounds their float32 errors."""
        values, errors = grids.double(), torch.zeros(grids.shape, dtype=torch.float64)
        if self._convolutions:
            values, errors = values.unsqueeze(1), errors.unsqueeze(1)
            for layer in self._convolutions:
                local = gamma(layer.terms)
                charged = errors + local * (values.abs() + errors)
                errors = F.max_pool2d(layer.double().absolute().apply(charged, local), 2)
                values = F.max_pool2d(layer.double().apply(values), 2)
            values = F.leaky_relu(values, SLOPE)
            errors = errors + gamma(2) * (values.abs() + errors)
        values, errors = values.flatten(1), errors.flatten(1)
        trace = _Trace([], [errors], [], [])
        for layer, absolute in zip(self._double, self._double_absolute, strict=True):
            local = gamma(layer.terms)
            trace.locals.append(absolute.apply(local * (values.abs() + errors), local))
            errors = absolute.apply(errors, 0.0) + trace.locals[-1]
            values = layer.apply(values)
            trace.sums.append(values)
            trace.errors.append(errors)
            if layer is not self._double[-1]:
                values = F.leaky_relu(values, SLOPE)
                trace.activations.append(gamma(2) * (values.abs() + errors))
                errors = errors + trace.activations[-1]
        return values, trace

    def _gap_error(self, trace: _Trace, first: Tensor, second: Tensor) -> Tensor:
        """A bound on the error of the difference of two logits: every layer's own errors, passed on by the
        weights and slopes after it. `known` is how much they pass on, `spread` how far this may be off."""
        rows = torch.arange(len(first))
        known = torch.zeros_like(trace.sums[-1])
        known[rows, first], known[rows, second] = 1.0, -1.0
        spread = torch.zeros_like(known)
        total = (known.abs() * trace.locals[-1]).sum(dim=1)
        for i in range(len(self._double) - 1, 0, -1):
            known, spread = self._double[i].back(known), self._double_absolute[i].back(spread)
            total += ((known.abs() + spread) * trace.activations[i - 1]).sum(dim=1)
            sums, errors = trace.sums[i - 1], trace.errors[i]
            open_sign = sums.abs() <= errors * INFLATION
            slope = torch.where(sums > 0, 1.0, SLOPE)
            largest = torch.where(open_sign, 1.0, slope)
            half = (1 - SLOPE) / 2
            spread = spread * largest + torch.where(open_sign, half * known.abs(), 0.0)
            known = known * torch.where(open_sign, 1 - half, slope)
            total += ((known.abs() + spread) * trace.locals[i - 1]).sum(dim=1)
        known, spread = self._double[0].back(known), self._double_absolute[0].back(spread)
        return total + ((known.abs() + spread) * trace.errors[0]).sum(dim=1)


class _Trace(NamedTuple):
    """The sums of each linear layer; bounds on the errors of the features and of each layer's sums, on what
    its own arithmetic adds, and on what the activation after it adds."""

    sums: list[Tensor]
    errors: list[Tensor]
    locals: list[Tensor]
    activations: list[Tensor]

    def rows(self, chosen: Tensor) -> _Trace:
        return _Trace(*([tensor[chosen] for tensor in part] for part in self))


def _agree(rivals: NDArray[np.bool_], worth: IntArray) -> NDArray[np.bool_]:
    """Whether all rivals are worth the same."""
    least = np.where(rivals, worth, np.iinfo(np.int64).max).min(axis=1)
    return np.asarray(least == np.where(rivals, worth, -1).max(axis=1))


def _layer(state: dict[str, Tensor], name: str) -> _Layer:
    return _Layer(state[f"{name}.weight"].detach().cpu(), state[f"{name}.bias"].detach().cpu())


def _times_absolute(passed: Tensor, weight: Tensor) -> Tensor:
    """passed @ |weight| in float64, without a copy of a large weight."""
    parts = [passed @ part.double().abs() for part in torch.split(weight, 4096, dim=1)]
    return torch.cat(parts, dim=1)
