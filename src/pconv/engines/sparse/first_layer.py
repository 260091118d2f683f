"""The first linear layer: its response to the background's features plus that to the sites' deviation.

The response to the background needs the sum of the weights over the columns of each kind. These sums are kept
from step to step: the backward pass, which updates every weight once, adds up the new ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from pconv._arrays import FloatArray, IntArray
from pconv.config import FeatureShape
from pconv.engines.sparse.background import Background
from pconv.engines.sparse.kernels.arguments import AdamRates, AdamState, BlockOutputs, HiddenGradient
from pconv.engines.sparse.kernels.blocks import blocks_backward, blocks_forward, sum_blocks
from pconv.engines.sparse.kernels.convolution import OUT
from pconv.engines.sparse.parameters import Workspace, flat_array
from pconv.engines.sparse.plan import Plan
from pconv.engines.sparse.workers import Call, Workers

_PIECES = 32  # pieces of the columns, which the threads share in the backward pass
_LEAST = 64  # the fewest columns in a piece
_FETCH = 6  # the cost of reading a row of weights from memory, in rows of sites multiplied by it


class FirstLayer:
    """The layer's weights and Adam's moments as (columns, height, channels, outputs), with both passes.

    Parameters
    ----------
    features
        The shape of the map that the layer reads.
    background
        The response to the all-zero window, which its owner keeps up to date.
    workers
        The threads.
    """

    def __init__(self, features: FeatureShape, background: Background, workers: Workers) -> None:
        channels, height, columns = features
        self.shape = (columns, height, channels, OUT)
        self.state = AdamState(*(flat_array(columns * height * channels * OUT) for _ in range(3)))
        self._workers = workers
        self._background = background
        self._kind = background.kind[-1]
        self._pieces = _pieces_of_one_kind(self._kind)
        size = 2 * height * channels * OUT  # sums of weights, each with space for a gradient
        self.sums = flat_array(len(self._pieces) * size).reshape(-1, size)
        self._hidden, self._site_gradient = Workspace(), Workspace()

    @property
    def arrays(self) -> tuple[FloatArray | Workspace, ...]:
        """The arrays that are kept between steps."""
        return *self.state, self.sums, self._hidden, self._site_gradient

    def refresh(self) -> None:
        """Recompute the sums after the weights were changed from outside."""
        parts = zip(self._pieces, self.sums, strict=True)
        self._workers.run((sum_blocks, self.state.weights, *ends, out) for ends, out in parts)

    def forward(self, plan: Plan, deviation: FloatArray) -> tuple[Tensor, FloatArray]:
        """From the deviation, (sites, height, channels), to each window's difference from the all-zero
        window, (windows, outputs), and the all-zero window's own sums, (outputs,). The latter are to be added
        last: small terms lose fewer digits in a sum of their own size."""
        windows = len(plan.maps[0].pointer) - 1
        shares = self._shares(plan)
        hidden = self._hidden.of(len(shares), windows, OUT)
        shared = self.state.weights, deviation, plan.by_column
        calls: list[Call] = [
            (blocks_forward, *shared, *ends, out.reshape(-1))
            for ends, out in zip(shares, hidden, strict=True)
        ]
        calls.insert(len(calls) // 2, (self._sum_kinds,))  # for the thread that is done first
        self._workers.run(calls)
        sums = hidden[0]
        for part in hidden[1:]:
            sums += part
        empty = self._background.idle[-1].reshape(-1) @ self._kind_sums.reshape(-1, OUT)
        return torch.from_numpy(sums), empty

    def _sum_kinds(self) -> None:
        """The weights' sum over the columns of each kind: (kinds, height, channels, outputs)."""
        kinds = len(self._background.idle[-1])
        self._kind_sums = np.zeros((kinds, *self.shape[1:]), dtype=np.float32)
        for (first, _), part in zip(self._pieces, self.sums, strict=True):
            self._kind_sums[self._kind[first]] += part.reshape(*self.shape[1:3], 2, OUT)[:, :, 0]

    def _shares(self, plan: Plan) -> list[tuple[int, int]]:
        """The columns in ranges (first, end) of equal work, one for each thread, which writes to its own
        array."""
        if self._workers.threads == 1:
            return [(0, self.shape[0])]
        order, pointer, _, rows = plan.by_column
        met = np.zeros(len(order) + 1, dtype=np.int64)
        np.cumsum((rows[:, 1] - rows[:, 0])[order], out=met[1:])
        met = np.diff(met[pointer])  # rows of sites, for each column
        sites = np.diff(pointer)  # each of them is added to its window: as much work as another row
        work = np.cumsum(met + sites + _FETCH * np.minimum(met, self.shape[1]))
        share = np.linspace(0, work[-1], self._workers.threads + 1)[1:-1]
        return list(pairwise([0, *np.searchsorted(work, share).tolist(), self.shape[0]]))

    def backward(
        self,
        plan: Plan,
        deviation: FloatArray,
        gradient: FloatArray,
        total: FloatArray,
        rates: AdamRates,
        *beside: Call,
    ) -> tuple[FloatArray, FloatArray]:
        """Updates the weights and gives the gradients of the deviation and of the background's features.

        Parameters
        ----------
        plan, deviation
            As in the forward pass.
        gradient
            The gradient of each window's sums, (windows, outputs).
        total
            Its sum over the windows, (outputs,).
        rates
            The factors of Adam's step.
        *beside
            Calls for the caller's thread to make first: arithmetic, while the other threads use the memory.
        """
        idle = self._background.idle[-1]
        idle_gradient = self._kind_sums @ total  # (kinds, height, channels)
        site_gradient = self._site_gradient.of(*deviation.shape)  # filled in the rows of each site alone
        calls = (
            (
                blocks_backward,
                self.state,
                deviation,
                plan.by_column,
                *ends,
                HiddenGradient(gradient.reshape(-1), total, idle[self._kind[ends[0]]]),
                rates,
                BlockOutputs(site_gradient, out),
            )
            for ends, out in zip(self._pieces, self.sums, strict=True)
        )
        self._workers.run(calls, *beside)
        return site_gradient, idle_gradient


def _pieces_of_one_kind(kind: IntArray) -> list[tuple[int, int]]:
    """Ranges (first, end) of columns of one kind, shorter at the small primes, whose columns have the most
    sites."""
    edges = [0, *(np.flatnonzero(np.diff(kind)) + 1).tolist(), len(kind)]
    found = []
    for first, end in pairwise(edges):
        cuts = np.linspace(0, 1, min(_PIECES, -(-(end - first) // _LEAST)) + 1) ** 2 * (end - first)
        cuts = np.unique(first + cuts.astype(int)).tolist()
        found += list(pairwise(cuts))
    return found
