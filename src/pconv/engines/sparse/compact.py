"""The sparse engine's implementation for one convolution over few columns.

The columns of the small primes are touched in nearly every window. Their features are kept as a full matrix,
and their part of the first linear layer is computed as matrix products. The other columns are kept as
deviation from the background, as in `SparseEngine`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import FloatArray
from pconv.config import FeatureShape, RunConfig
from pconv.data.grid import PrimeGrid
from pconv.data.primes import first_primes
from pconv.engines.sparse.background import Background
from pconv.engines.sparse.base import FIRST_WEIGHT, SparseEngineBase
from pconv.engines.sparse.first_layer import FirstLayer
from pconv.engines.sparse.head import Head
from pconv.engines.sparse.kernels.arguments import (
    ConvolvedWindows,
    GridEntries,
    Sites,
    SitesByColumn,
    WindowGradients,
    WindowShape,
)
from pconv.engines.sparse.kernels.compact import convolve_windows, convolve_windows_backward
from pconv.engines.sparse.kernels.convolution import OUT, adam
from pconv.engines.sparse.parameters import (
    FlatParameters,
    convolution_of,
    flat_array,
    from_blocks,
    to_blocks,
)
from pconv.engines.sparse.plan import Plan, sort_by_column
from pconv.engines.sparse.workers import Workers
from pconv.engines.threads import torch_threads
from pconv.models.pconv import PrimeConvNet
from pconv.models.sizes import SLOPE

_VECTOR = 8  # floats that are added at once: runs are padded to a multiple
_FULL = 0.75  # the share of windows touching a column from which on the column is computed in every window


class CompactEngine(SparseEngineBase):
    """Full columns as matrix products, the other columns as deviation from the background; one thread."""

    def __init__(self, config: RunConfig) -> None:
        super().__init__(config)
        weights = PrimeConvNet.of(config).state_dict()
        (k,) = config.kernels
        channels, height, width = config.feature_shape
        full = _full_columns(config)
        run = -(-k * channels // _VECTOR) * _VECTOR
        stride = (config.primes - 1) * channels + run  # the last column's run ends where the next row begins
        self._shape = WindowShape(config.rows, k, height, full, width - full, channels, stride)
        # The first linear layer as (columns, height, channels, outputs), at the start, where it is aligned.
        shapes = {FIRST_WEIGHT: torch.Size((full, height, channels, OUT))}
        shapes |= {name: w.shape for name, w in weights.items() if name != FIRST_WEIGHT}
        self._parameters = FlatParameters(shapes)
        self._views = self._parameters.views(self._parameters.weights)
        self._gradients = self._parameters.views(self._parameters.gradient)
        self._background = Background(config.rows, 2 * (width - full), [k], SLOPE)
        self._others = FirstLayer(FeatureShape(channels, height, width - full), self._background, Workers(1))
        self._head = Head(self._views, self._gradients)
        self._taps = flat_array(k * run).reshape(k, run)
        self._buffer = flat_array(2 * height * stride)
        self._windows = 0
        self.load_weights(weights)

    @property
    def bytes(self) -> int:
        return 4 * self._parameters.weights.nbytes + sum(array.nbytes for array in self._others.arrays)

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        with torch_threads(1):  # torch's own would spin while they wait, and take a core from the loops
            self.timer.start()
            self._forward(grid)
            loss, gradient, total = self._head.backward(labels)
            self._head.weight_gradients()
            self.timer.lap("head")
            rates = self._next_rates()
            weight, target = self._first(self._views), self._first(self._gradients)
            sums_gradient = torch.from_numpy(gradient)  # (windows, outputs)
            torch.mm(self._features.t(), sums_gradient, out=target)
            torch.mm(sums_gradient, weight.t(), out=self._feature_gradient)
            self.timer.lap("first layer, full columns")
            found = self._others.backward(self._plan, self._deviation, gradient, total, rates)
            self.timer.lap("first layer, other columns with Adam")
            self._convolve_backward(grid, *found)
            self.timer.lap("convolution")
            mine = self._parameters
            adam(mine.weights, mine.gradient, mine.mean, mine.square, rates)
            self.timer.lap("Adam")
        return loss

    def _forward(self, grid: PrimeGrid) -> None:
        self._prepare(grid.count)
        self._convolve(grid)
        self.timer.lap("convolution")
        sums, shared = self._others.forward(self._plan, self._deviation)  # (windows, outputs), (outputs,)
        self.timer.lap("first layer, other columns with Adam")
        sums.addmm_(self._features, self._first(self._views))
        self.timer.lap("first layer, full columns")
        self._head.forward(sums, shared)

    def _first(self, views: Mapping[str, Tensor]) -> Tensor:
        """The full columns of the first linear layer, (features, outputs)."""
        return views[FIRST_WEIGHT].flatten(0, 2)

    def _prepare(self, windows: int) -> None:
        """Arrays for this many windows. Of every window all columns that are not full are sites, touched or
        not."""
        if windows == self._windows:
            return
        height, channels = self._shape.height, self._shape.channels
        full, others = self._shape.full, self._shape.others
        self._features, self._feature_gradient = (
            torch.from_numpy(flat_array(windows * full * height * channels)).view(windows, -1)
            if full
            else torch.zeros(windows, 0)
            for _ in range(2)
        )
        sites = windows * others
        self._deviation = flat_array(sites * height * channels).reshape(sites, height, channels)
        self._places = np.zeros(windows * (full + others) * height * channels, dtype=np.int32)
        window, column = np.divmod(np.arange(sites, dtype=np.int32), np.int32(others))
        rows = np.zeros((sites, 2), dtype=np.int32)
        self._sites = Sites(np.arange(windows + 1) * others, column, rows, np.empty((0, 2), dtype=np.int64))
        self._window_of_site = window
        self._windows = windows

    def _convolve(self, grid: PrimeGrid) -> None:
        """Features of the full columns, deviations of the others, and the plan of those that are touched."""
        k, height, channels = self._shape.kernel, self._shape.height, self._shape.channels
        weight, bias = (tensor.numpy() for tensor in convolution_of(self._views, "convolution.conv1"))
        # (channels, 1, k rows, k columns) -> (k rows from below, k columns from the right, channels)
        self._taps[:, : k * channels] = weight[:, 0, ::-1, ::-1].transpose(1, 2, 0).reshape(k, -1)
        self._idle_slope = np.where(bias > 0, np.float32(1), np.float32(SLOPE))
        idle = bias * self._idle_slope
        self._background.idle = [np.tile(idle, (1, height, 1))]
        sites = self._sites
        out = ConvolvedWindows(
            self._features.numpy().reshape(-1), self._deviation.reshape(-1), self._places, sites.rows
        )
        taps = self._taps.reshape(-1)
        convolve_windows(_entries(grid), taps, bias, idle, self._shape, np.float32(SLOPE), out)
        order, pointer = sort_by_column(sites.rows, sites.column, height, self._shape.others)
        members = SitesByColumn(order, pointer, self._window_of_site, sites.rows)
        self._plan = Plan(np.empty(0, dtype=np.float32), (sites,), members)

    def _convolve_backward(self, grid: PrimeGrid, deviation: FloatArray, idle: FloatArray) -> None:
        """The convolution's gradients from those of the features, of the deviation and of the background."""
        k, channels = self._shape.kernel, self._shape.channels
        weight, bias = (tensor.numpy() for tensor in convolution_of(self._gradients, "convolution.conv1"))
        given = ConvolvedWindows(
            self._feature_gradient.numpy().reshape(-1),
            deviation.reshape(-1),
            self._places,
            self._sites.rows,
        )
        taps = np.zeros_like(self._taps)
        touched = np.zeros(channels)  # long sums of small terms: in double precision
        still = idle.sum((0, 1), dtype=np.float64)  # (channels,)
        out = WindowGradients(taps.reshape(-1), touched, still)
        convolve_windows_backward(_entries(grid), given, self._shape, np.float32(SLOPE), self._buffer, out)
        bias[:] = touched + still * self._idle_slope
        flipped = taps[::-1, : k * channels].reshape(k, k, channels)[:, ::-1]
        weight[:, 0] = flipped.transpose(2, 0, 1)

    def _refresh(self) -> None:
        self._others.refresh()

    def _canonical(self, at: int, array: FloatArray) -> dict[str, Tensor]:
        views = self._parameters.views(array)
        others = self._others.state[at].reshape(self._others.shape)
        full = views.pop(FIRST_WEIGHT).numpy()
        first = np.concatenate([full, others])  # (columns, height, channels, outputs)
        return {name: view.clone() for name, view in views.items()} | {FIRST_WEIGHT: from_blocks(first)}

    def _load(self, at: int, array: FloatArray, given: Mapping[str, Tensor]) -> None:
        views = self._parameters.views(array)
        full, others = views.pop(FIRST_WEIGHT).numpy(), self._others.state[at].reshape(self._others.shape)
        first = np.empty((len(full) + len(others), *others.shape[1:]), dtype=np.float32)
        to_blocks(given[FIRST_WEIGHT], first)
        full[:], others[:] = first[: len(full)], first[len(full) :]
        for name, view in views.items():
            view.copy_(given[name])


def _full_columns(config: RunConfig) -> int:
    """How many of the first pooled columns are touched in nearly every window; at most all but one."""
    half, width = config.kernels[0] // 2, config.feature_shape.width
    # The share of windows without a multiple of each prime.
    missed = 1 - np.minimum(1, config.rows / first_primes(config.primes))
    for j in range(width):
        if 1 - np.prod(missed[max(0, 2 * j - half) : 2 * j + 2 + half]) < _FULL:
            return j
    return width - 1


def _entries(grid: PrimeGrid) -> GridEntries:
    return GridEntries(grid.indptr, grid.indices, grid.values)
