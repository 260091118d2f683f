"""The first linear layer: background plus the few blocks that deviate from it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from pconv.engines.sparse.background import Background
from pconv.engines.sparse.kernels.blocks import blocks_backward, blocks_forward, sum_blocks
from pconv.engines.sparse.kernels.convolution import OUT
from pconv.engines.sparse.parameters import FloatArray, Rates, Workspace, flat_array
from pconv.engines.sparse.plan import Plan
from pconv.engines.sparse.workers import Call, Workers

_PIECES = 32  # of the columns, for the threads to share in the backward pass
_LEAST = 64  # columns that are worth a piece
_FETCH = 6  # what it takes to read a row of weights from memory, in rows of sites that meet it


class FirstLayer:
    """Keeps its weights and Adam's memory as (columns, height, channels, outputs)."""

    def __init__(
        self, columns: int, height: int, channels: int, background: Background, workers: Workers
    ) -> None:
        self.shape = (columns, height, channels, OUT)
        self.state = tuple(flat_array(columns * height * channels * OUT) for _ in range(3))
        self._workers = workers
        self._background = background
        self._kind = background.kind[-1]
        self._pieces = _pieces_of_one_kind(self._kind)
        size = 2 * height * channels * OUT  # sums of weights, each with room for a gradient
        self.sums = flat_array(len(self._pieces) * size).reshape(-1, size)
        self._hidden, self._site_gradient = Workspace(), Workspace()

    @property
    def arrays(self) -> tuple[FloatArray | Workspace, ...]:
        """All that it keeps between steps."""
        return *self.state, self.sums, self._hidden, self._site_gradient

    def refresh(self) -> None:
        """The weights were changed from outside: sum them anew."""
        parts = zip(self._pieces, self.sums, strict=True)
        self._workers.run((sum_blocks, self.state[0], *ends, out) for ends, out in parts)

    def forward(self, plan: Plan, deviation: FloatArray) -> tuple[Tensor, FloatArray]:
        """(sites, height, channels) -> what each window adds to the empty one's sums, (windows, outputs), and
        these, (outputs,): to be added last, so that the many small terms meet a sum of their own size."""
        windows = len(plan.maps[0].pointer) - 1
        shares = self._shares(plan)
        hidden = self._hidden.of(len(shares), windows, OUT)
        members = plan.order, plan.column_pointer, plan.window
        shared = self.state[0], deviation, plan.maps[-1].rows, members
        calls: list[Call] = [
            (blocks_forward, *shared, *ends, out.reshape(-1))
            for ends, out in zip(shares, hidden, strict=True)
        ]
        calls.insert(len(calls) // 2, (self._sum_kinds,))  # for the thread that is through first
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
        """The columns cut up so that each thread has as much to do: each adds into a place of its own."""
        if self._workers.threads == 1:
            return [(0, self.shape[0])]
        rows = plan.maps[-1].rows
        met = np.zeros(len(plan.order) + 1, dtype=np.int64)
        np.cumsum((rows[:, 1] - rows[:, 0])[plan.order], out=met[1:])
        met = np.diff(met[plan.column_pointer])  # rows of sites, for each column
        sites = np.diff(plan.column_pointer)  # each of them is added to its window: as much again as a row
        work = np.cumsum(met + sites + _FETCH * np.minimum(met, self.shape[1]))
        share = np.linspace(0, work[-1], self._workers.threads + 1)[1:-1]
        return list(pairwise([0, *np.searchsorted(work, share).tolist(), self.shape[0]]))

    def backward(
        self,
        plan: Plan,
        deviation: FloatArray,
        gradient: FloatArray,
        total: FloatArray,
        rates: Rates,
        *beside: Call,
    ) -> tuple[FloatArray, FloatArray]:
        """The gradients of the deviation and of the background's features, from those of the sums, (windows,
        outputs), and their total, (outputs,); the weights make their step. The calls of `beside` are made
        meanwhile: arithmetic, while other threads have all the memory."""
        idle = self._background.idle[-1]
        idle_gradient = self._kind_sums @ total  # (kinds, height, channels)
        site_gradient = self._site_gradient.of(*deviation.shape)  # filled in the rows of each site alone
        members = plan.order, plan.column_pointer, plan.window
        shared = self.state, deviation, plan.maps[-1].rows, members
        calls = (
            (
                blocks_backward,
                *shared,
                *ends,
                (gradient.reshape(-1), total, idle[self._kind[ends[0]]]),
                rates,
                (site_gradient, out),
            )
            for ends, out in zip(self._pieces, self.sums, strict=True)
        )
        self._workers.run(calls, *beside)
        return site_gradient, idle_gradient


def _pieces_of_one_kind(kind: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[tuple[int, int]]:
    """Runs of columns of one kind, the long one cut finer where the small primes are: there is the work."""
    edges = [0, *(np.flatnonzero(np.diff(kind)) + 1).tolist(), len(kind)]
    found = []
    for first, end in pairwise(edges):
        cuts = np.linspace(0, 1, min(_PIECES, -(-(end - first) // _LEAST)) + 1) ** 2 * (end - first)
        cuts = np.unique(first + cuts.astype(int)).tolist()
        found += list(pairwise(cuts))
    return found
