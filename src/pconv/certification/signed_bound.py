"""The bound on the error of a difference of logits, which follows errors with their signs (docs/certify.md).

A *rival* of the largest logit is another that is not below it by more than this bound: only the largest and
its rivals can be answered in float32.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from pconv.certification.layers import Layer, Layers
from pconv.models.sizes import SLOPE

UNIT = 2.0**-24
SLACK = 2.0**-20
"""An absolute margin on top of the bound: it covers underflow, and keeps softmax from making logits equal."""
INFLATION = 1 + 2.0**-16
"""A factor on the bound: it covers the rounding of float64, in which bound and margin are computed."""
_FIRST_IN_SINGLE = 2.5
"""A factor on the bounds of the first sums, where these are computed in float32: 1.1 for their own errors,
and 1.1 for those of another evaluation."""
_PIECE = 2**9  # pairs of logits at a time


def gamma(terms: int) -> float:
    """The relative error of a sum of so many products.

    >>> gamma(2**14) == 2**-10 / (1 - 2**-10)
    True
    """
    return terms * UNIT / (1 - terms * UNIT)


class SignedBound:
    """Finds the rivals of the largest logit.

    Parameters
    ----------
    layers
        The layers of the network, in float32.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._after = [layer.double() for layer in layers.linear[1:]]
        self._after_absolute = [layer.absolute() for layer in self._after]

    @cached_property
    def _single(self) -> _FeatureLayers:
        return _FeatureLayers.of([*self._layers.convolutions, self._layers.linear[0]])

    @cached_property
    def _double(self) -> _FeatureLayers:
        layers = [*self._layers.convolutions, self._layers.linear[0]]
        return _FeatureLayers.of([layer.double() for layer in layers])

    def rivals(self, grids: Tensor, single: bool = False) -> Tensor:
        """For each grid, which logits can be answered: the largest and its rivals.

        Parameters
        ----------
        grids
            (grids, rows, columns).
        single
            Compute the layers up to the first linear one in float32. It is faster; where it leaves one logit,
            float64 leaves the same.
        """
        logits, trace = self.traced(grids, single)
        top = logits.argmax(dim=1)
        gaps = logits.gather(1, top[:, None]) - logits
        errors = trace.errors[-1]
        rivals = gaps <= (errors.gather(1, top[:, None]) + errors) * INFLATION + SLACK
        rivals.scatter_(1, top[:, None], False)
        for pairs in torch.split(rivals.nonzero(), _PIECE):
            rows, others = pairs[:, 0], pairs[:, 1]
            bound = self.gap_error(trace.rows(rows), top[rows], others)
            rivals[rows, others] = gaps[rows, others] <= bound * INFLATION + SLACK
        return rivals.scatter_(1, top[:, None], True)

    def traced(self, grids: Tensor, single: bool = False) -> tuple[Tensor, _Trace]:
        """The logits, and what bounds their float32 errors.

        Parameters
        ----------
        grids, single
            As in `rivals`.
        """
        trace = self._first_in_single(grids) if single else self._first(grids)
        values = trace.sums[0]
        for layer, absolute in zip(self._after, self._after_absolute, strict=True):
            values, errors = F.leaky_relu(values, SLOPE), trace.errors[-1]
            trace.activations.append(gamma(2) * (values.abs() + errors))
            errors = errors + trace.activations[-1]
            local = gamma(layer.terms)
            trace.locals.append(absolute.apply(local * (values.abs() + errors), local))
            trace.errors.append(absolute.apply(errors, 0.0) + trace.locals[-1])
            values = layer.apply(values)
            trace.sums.append(values)
        return values, trace

    def _first(self, grids: Tensor) -> _Trace:
        """The sums of the first linear layer, in float64."""
        features, errors = self._double.features(grids.double())
        layer, absolute = self._double.layers[-1], self._double.absolute[-1]
        local = gamma(layer.terms)
        own = absolute.apply(local * (features.abs() + errors), local)
        return _Trace([layer.apply(features)], [absolute.apply(errors, 0.0) + own], [own], [], errors)

    def _first_in_single(self, grids: Tensor) -> _Trace:
        """In float32. Their errors are taken as a whole, not those of the features by themselves."""
        features, errors = self._single.features(grids)
        layer, absolute = self._single.layers[-1], self._single.absolute[-1]
        local = gamma(layer.terms)
        bound = absolute.apply(errors + local * (features.abs() + errors), local).double() * _FIRST_IN_SINGLE
        return _Trace([layer.apply(features).double()], [bound], [bound], [], None)

    def gap_error(self, trace: _Trace, first: Tensor, second: Tensor) -> Tensor:
        """A bound on the error of the difference of two logits: every layer's own errors, passed on by the
        weights and slopes after it. `known` is how much they pass on, `spread` how far this may be off.

        Parameters
        ----------
        trace
            The errors.
        first, second
            The two logits for each grid.
        """
        rows = torch.arange(len(first))
        known = torch.zeros_like(trace.sums[-1])
        known[rows, first], known[rows, second] = 1.0, -1.0
        spread = torch.zeros_like(known)
        total = (known.abs() * trace.locals[-1]).sum(dim=1)
        for i in range(len(self._after) - 1, -1, -1):
            known, spread = self._after[i].back(known), self._after_absolute[i].back(spread)
            total += ((known.abs() + spread) * trace.activations[i]).sum(dim=1)
            sums, errors = trace.sums[i], trace.errors[i]
            open_sign = sums.abs() <= errors * INFLATION
            slope = torch.where(sums > 0, 1.0, SLOPE)
            largest = torch.where(open_sign, 1.0, slope)
            half = (1 - SLOPE) / 2
            spread = spread * largest + torch.where(open_sign, half * known.abs(), 0.0)
            known = known * torch.where(open_sign, 1 - half, slope)
            total += ((known.abs() + spread) * trace.locals[i]).sum(dim=1)
        if trace.features is None:
            return total
        known, spread = self._double.layers[-1].back(known), self._double.absolute[-1].back(spread)
        return total + ((known.abs() + spread) * trace.features).sum(dim=1)


class _FeatureLayers(NamedTuple):
    """The layers up to the first linear one, and these with their absolute values, in one precision."""

    layers: list[Layer]
    absolute: list[Layer]

    @classmethod
    def of(cls, layers: list[Layer]) -> _FeatureLayers:
        return cls(layers, [layer.absolute() for layer in layers])

    def features(self, grids: Tensor) -> tuple[Tensor, Tensor]:
        """The inputs of the first linear layer, and bounds on their errors."""
        values, errors = grids, torch.zeros_like(grids)
        if len(self.layers) > 1:
            values, errors = values.unsqueeze(1), errors.unsqueeze(1)
            for layer, absolute in zip(self.layers[:-1], self.absolute[:-1], strict=True):
                local = gamma(layer.terms)
                charged = errors + local * (values.abs() + errors)
                errors = F.max_pool2d(absolute.apply(charged, local), 2)
                values = F.max_pool2d(layer.apply(values), 2)
            values = F.leaky_relu(values, SLOPE)
            errors = errors + gamma(2) * (values.abs() + errors)
        return values.flatten(1), errors.flatten(1)


class _Trace(NamedTuple):
    """The sums of each linear layer; bounds on their errors, on what the layer's own arithmetic adds, and on
    what the activation after it adds; bounds on the errors of the features, or None where they are part of
    the first layer's."""

    sums: list[Tensor]
    errors: list[Tensor]
    locals: list[Tensor]
    activations: list[Tensor]
    features: Tensor | None

    def rows(self, chosen: Tensor) -> _Trace:
        lists = (self.sums, self.errors, self.locals, self.activations)
        sums, errors, own, activations = ([tensor[chosen] for tensor in part] for part in lists)
        features = None if self.features is None else self.features[chosen]
        return _Trace(sums, errors, own, activations, features)
