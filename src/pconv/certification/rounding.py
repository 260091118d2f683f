"""A network's answers that no rounding can change.

The bound of docs/certify.md: with u = 2^-24 and g(k) = ku/(1-ku), a sum of k terms that are products, computed in
float32 in any order, is wrong by at most g(k) times the sum of the terms' absolute values. Errors of the
inputs are passed on by the absolute values of the weights; max-pooling and LeakyReLU do not enlarge them. An
answer is *sure* where its logit exceeds every other by more than both bounds together: then every evaluation
in float32 answers the same.

The bound is evaluated in float64. Most grids need not be: where the float32 logits are several bounds apart,
the float64 criterion holds, too.
"""

from __future__ import annotations

from dataclasses import dataclass
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
"""Margins of that many bounds in float32 are not evaluated in float64. Four would do, but for the rounding of
the bound itself."""
_LARGEST_INPUT = 2.0**10
_LARGEST_VALUE = 2.0**100
_LARGEST_GAIN = 2.0**60
_PIECE = 2**14  # grids at a time in float64: few need it


class SureAnswers(NamedTuple):
    """The answer to each grid, and whether it is sure."""

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

    def _check_range(self) -> None:
        """No value overflows, and underflow is far below `SLACK`."""
        largest, gain = _LARGEST_INPUT, 1.0
        for layer in (*self._convolutions, *self._linear):
            rows = layer.weight.abs().flatten(1).sum(dim=1, dtype=torch.float64)
            largest = float(rows.max()) * largest + float(layer.bias.abs().max())
            gain *= max(1.0, float(rows.max()))
        if not (largest <= _LARGEST_VALUE and gain <= _LARGEST_GAIN):  # or nan
            raise InputError("weights", f"with sums up to {largest:.1g}", "are too large for a bound on rounding")

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
    def answer(self, grids: NDArray[np.float32]) -> SureAnswers:
        """The answers to grids, (grids, rows, columns)."""
        logits, bound = self._single(torch.from_numpy(grids))
        best = logits.topk(2, dim=1) if logits.shape[1] > 1 else None
        if best is None:
            return SureAnswers(np.zeros(len(grids), dtype=np.int64), np.ones(len(grids), dtype=bool))
        sure = (best.values[:, 0] - best.values[:, 1] > _FAST * bound + 2 * SLACK).numpy()
        answers = best.indices[:, 0].numpy().copy()
        rest = np.flatnonzero(~sure)
        for start in range(0, len(rest), _PIECE):
            part = rest[start : start + _PIECE]
            answers[part], sure[part] = self._careful(torch.from_numpy(grids[part]))
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

    def _careful(self, grids: Tensor) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        logits, errors = self.logits(grids)
        answers = logits.argmax(dim=1)
        top = answers[:, None]
        gaps = logits.gather(1, top) - logits - (errors.gather(1, top) + errors) * INFLATION
        gaps.scatter_(1, top, torch.inf)
        return answers.numpy(), (gaps > SLACK).all(dim=1).numpy()

    @torch.no_grad()
    def logits(self, grids: Tensor) -> tuple[Tensor, Tensor]:
        """The logits in float64, and the bound on the float32 error of each."""
        values, errors = grids.double(), torch.zeros(grids.shape, dtype=torch.float64)
        if self._convolutions:
            values, errors = values.unsqueeze(1), errors.unsqueeze(1)
            for layer in self._convolutions:
                values, errors = _bounded(layer, values, errors)
                values, errors = F.max_pool2d(values, 2), F.max_pool2d(errors, 2)
            values, errors = _activated(values, errors)
        values, errors = values.flatten(1), errors.flatten(1)
        for layer in self._linear:
            values, errors = _bounded(layer, values, errors)
            if layer is not self._linear[-1]:
                values, errors = _activated(values, errors)
        return values, errors


def _layer(state: dict[str, Tensor], name: str) -> _Layer:
    return _Layer(state[f"{name}.weight"].detach().cpu(), state[f"{name}.bias"].detach().cpu())


def _bounded(layer: _Layer, values: Tensor, errors: Tensor) -> tuple[Tensor, Tensor]:
    double, local = layer.double(), gamma(layer.terms)
    charged = errors + local * (values.abs() + errors)
    return double.apply(values), double.absolute().apply(charged, local)


def _activated(values: Tensor, errors: Tensor) -> tuple[Tensor, Tensor]:
    after = F.leaky_relu(values, SLOPE)
    return after, errors + gamma(2) * (after.abs() + errors)


def _times_absolute(passed: Tensor, weight: Tensor) -> Tensor:
    """passed @ |weight| in float64, without a copy of a large weight."""
    parts = [passed @ part.double().abs() for part in weight.split(4096, dim=1)]
    return torch.cat(parts, dim=1)
