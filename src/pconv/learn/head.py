"""The linear layers after the first one, with a hand-written backward pass into preallocated arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pconv.learn.network import HIDDEN, SLOPE
from pconv.learn.parameters import flat_array


class Head:
    """From the first linear layer's sums to the loss and back.

    Takes PyTorch's names: `linear.fc1.bias`, and weight and bias of fc2 and the later ones.
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
        """(windows, classes), until the next forward pass."""
        return self._activations[-1]

    def forward(self, sums: Tensor) -> None:
        """(windows, 1000) -> logits (windows, classes); `sums` becomes the first activation."""
        self._prepare(len(sums))
        functional.leaky_relu_(sums.add_(self._biases[0]), SLOPE)
        self._activations[0] = sums
        for i, weight in enumerate(self._weights):
            out = self._activations[i + 1]
            torch.addmm(self._biases[i + 1], self._activations[i], weight.t(), out=out)
            if i < len(self._weights) - 1:
                functional.leaky_relu_(out, SLOPE)

    def backward(self, labels: NDArray[np.int64]) -> tuple[float, Tensor]:
        """The mean cross-entropy of the logits just computed, and the gradient of `sums`. The parameters' own
        gradients wait for `parameter_gradients`: nothing before Adam's step needs them."""
        target = torch.from_numpy(labels)
        logarithms = torch.log_softmax(self._activations[-1], 1)  # (windows, classes)
        loss = float(functional.nll_loss(logarithms, target))
        delta = self._deltas[-1]
        torch.exp(logarithms, out=delta)
        delta[torch.arange(len(target)), target] -= 1
        delta /= len(target)
        for i in range(len(self._weights) - 1, -1, -1):
            below = self._deltas[i]
            torch.mm(delta, self._weights[i], out=below)
            torch.ops.aten.leaky_relu_backward.grad_input(
                below, self._activations[i], SLOPE, True, grad_input=below
            )
            delta = below
        return loss, delta

    def parameter_gradients(self) -> None:
        """From what the passes forward and backward left."""
        for delta, bias_gradient in zip(self._deltas, self._bias_gradients, strict=True):
            torch.sum(delta, 0, out=bias_gradient)
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
