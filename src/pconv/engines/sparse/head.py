"""The linear layers after the first one, with a hand-written backward pass into preallocated arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import FloatArray
from pconv.engines.sparse.kernels.head import add_and_activate, cross_entropy, through_activation
from pconv.engines.sparse.parameters import flat_array
from pconv.models.sizes import HIDDEN, SLOPE

_SLOPE = np.float32(SLOPE)


class Head:
    """The network from the first linear layer's sums to the loss, forward and backward.

    Parameters
    ----------
    weights
        Under PyTorch's names: `linear.fc1.bias`, and the weight and bias of fc2 and the later layers.
    gradient
        Arrays of the same names and shapes, which the backward pass fills.
    """

    def __init__(self, weights: Mapping[str, Tensor], gradient: Mapping[str, Tensor]) -> None:
        layers = range(2, len(HIDDEN) + 2)
        self._weights = [weights[f"linear.fc{i}.weight"] for i in layers]
        self._biases = [weights[f"linear.fc{i}.bias"] for i in (1, *layers)]
        self._weight_gradients = [gradient[f"linear.fc{i}.weight"] for i in layers]
        self._bias_gradients = [gradient[f"linear.fc{i}.bias"] for i in (1, *layers)]
        self._windows = 0

    @property
    def logits(self) -> Tensor:
        """(windows, classes); valid until the next forward pass."""
        return self._activations[-1]

    def forward(self, sums: Tensor, shared: FloatArray) -> None:
        """From the sums of the first linear layer, `sums` (windows, HIDDEN[0]) plus `shared` (HIDDEN[0],), to
        the logits. `sums` is overwritten with the first activation."""
        self._prepare(len(sums))
        self._activations[0] = sums
        bias = self._biases[0].numpy() + shared
        for i, weight in enumerate(self._weights):
            add_and_activate(self._activations[i].numpy(), bias, _SLOPE)
            torch.mm(self._activations[i], weight.t(), out=self._activations[i + 1])
            bias = self._biases[i + 1].numpy()
        self._activations[-1] += self._biases[-1]

    def backward(self, labels: NDArray[np.int64]) -> tuple[float, FloatArray, FloatArray]:
        """The mean cross-entropy of the last logits, the gradient of `sums`, and its sum over the windows.
        The gradients of the weights are left to `weight_gradients`: nothing before Adam's step needs them."""
        deltas = [delta.numpy() for delta in self._deltas]
        totals = [total.numpy() for total in self._bias_gradients]
        loss = cross_entropy(self.logits.numpy(), labels, deltas[-1], totals[-1])
        for i in range(len(self._weights) - 1, -1, -1):
            torch.mm(self._deltas[i + 1], self._weights[i], out=self._deltas[i])
            through_activation(deltas[i], self._activations[i].numpy(), _SLOPE, totals[i])
        return loss, deltas[0], totals[0]

    def weight_gradients(self) -> None:
        """Computes the gradients of the weights, after the backward pass."""
        for i, weight_gradient in enumerate(self._weight_gradients):
            torch.mm(self._deltas[i + 1].t(), self._activations[i], out=weight_gradient)

    def _prepare(self, windows: int) -> None:
        if windows != self._windows:
            widths = [HIDDEN[0], *(len(weight) for weight in self._weights)]
            self._activations, self._deltas = (
                [torch.from_numpy(flat_array(windows * width)).view(windows, width) for width in widths]
                for _ in range(2)
            )
            self._windows = windows
