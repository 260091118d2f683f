"""The layers of a network that is certified, read from its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from pconv.errors import InputError
from pconv.models.weights import Model, plain_convolutions

_SPARSE = 100  # inputs with fewer non-zero cells than one in so many are not convolved densely


@dataclass(frozen=True, eq=False)
class Layer:
    """A convolution or a linear layer."""

    weight: Tensor
    bias: Tensor

    @property
    def terms(self) -> int:
        """The terms of the sum that makes one output: the products and the bias."""
        return self.weight[0].numel() + 1

    @property
    def whole(self) -> bool:
        """Whether the weights and the biases are whole numbers."""
        return all(bool((part == part.round()).all()) for part in (self.weight, self.bias))

    def double(self) -> Layer:
        return Layer(self.weight.double(), self.bias.double())

    def absolute(self) -> Layer:
        return Layer(self.weight.abs(), self.bias.abs())

    def back(self, outputs: Tensor) -> Tensor:
        """Outputs times the weights: how they depend on the inputs."""
        return outputs @ self.weight

    def apply(self, x: Tensor, bias: float = 1.0) -> Tensor:
        if self.weight.dim() == 2:
            return F.linear(x, self.weight, bias * self.bias)
        if x.count_nonzero() * _SPARSE < x.numel():
            return _sparse_convolution(x, self.weight, bias * self.bias)
        with plain_convolutions():
            return F.conv2d(x, self.weight, bias * self.bias, padding=self.weight.shape[-1] // 2)


class Layers(NamedTuple):
    """The convolutions, each followed by max-pooling, and the linear layers."""

    convolutions: list[Layer]
    linear: list[Layer]

    @classmethod
    def of(cls, model: Model) -> Layers:
        """The layers of p-Conv or the MLP; an `InputError` for other architectures."""
        config, state = model.config, model.network.state_dict()
        if config.architecture not in ("pconv", "mlp"):
            allowed = "cannot be certified: only pconv and mlp have a proved bound on rounding"
            raise InputError("architecture", config.architecture, allowed)
        names = [f"convolution.conv{i}" for i in range(1, len(config.channels) + 1)]
        convolutions = [_layer(state, name) for name in names if config.convolves]
        return cls(convolutions, [_layer(state, f"linear.fc{i}") for i in range(1, 5)])


def _layer(state: dict[str, Tensor], name: str) -> Layer:
    return Layer(state[f"{name}.weight"].detach().cpu(), state[f"{name}.bias"].detach().cpu())


def _sparse_convolution(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A convolution that adds a kernel for each non-zero cell: grids with thousands of columns have few."""
    half, (grids, _, rows, columns) = weight.shape[-1] // 2, x.shape
    padded = x.new_zeros(grids, rows + 2 * half, columns + 2 * half, len(bias))
    grid, channel, row, column = x.nonzero(as_tuple=True)
    values = x[grid, channel, row, column, None]
    for i in range(2 * half + 1):
        for j in range(2 * half + 1):
            target = grid, row + 2 * half - i, column + 2 * half - j
            padded.index_put_(target, values * weight[:, channel, i, j].T, accumulate=True)
    maps = padded[:, half : half + rows, half : half + columns]
    return maps.permute(0, 3, 1, 2) + bias[:, None, None]
