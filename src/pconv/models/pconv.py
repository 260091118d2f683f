"""The Prime Convolutional Model as a torch module."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import cast

import torch
from torch import Tensor, nn

from pconv.config import NO_BIAS, RunConfig, pooled_shape
from pconv.data.examples import class_count
from pconv.models.seeding import seeded
from pconv.models.sizes import HIDDEN, SLOPE


class PrimeConvNet(nn.Module):
    """Convolutions with 2x2 max-pooling over the prime grid, then four linear layers.

    Submodules: `convolution.conv1`, `convolution.pool1`, .., `convolution.activation`, `flatten`,
    `linear.fc1`, `linear.act1`, .., `linear.fc4`. Convolutions keep the size (padding k // 2): without
    padding nine rows would be too few for two layers. LeakyReLU follows the last pooling and every linear
    layer but the last.

    Parameters
    ----------
    rows, columns
        The size of a grid.
    classes
        The number of classes.
    channels, kernels
        Output channels and kernel size of each convolution.
    bias
        Whether the convolutions have a bias, as in the paper.

    Examples
    --------
    >>> import torch
    >>> PrimeConvNet(rows=4, columns=8, classes=5, kernels=(3,))(torch.zeros(2, 4, 8)).shape
    torch.Size([2, 5])
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        classes: int,
        channels: Sequence[int] = (4,),
        kernels: Sequence[int] = (7,),
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        incoming = 1
        for i, (outgoing, k) in enumerate(zip(channels, kernels, strict=True), start=1):
            layers[f"conv{i}"] = nn.Conv2d(incoming, outgoing, k, padding=k // 2, bias=bias)
            layers[f"pool{i}"] = nn.MaxPool2d(2)
            incoming = outgoing
        layers["activation"] = nn.LeakyReLU(SLOPE)
        self.convolution = nn.Sequential(layers)
        self.flatten = nn.Flatten()
        self.linear = linear_layers(pooled_shape(rows, columns, channels).size, classes)

    @classmethod
    def of(cls, config: RunConfig) -> PrimeConvNet:
        """The network of a run, with weights drawn from the run's seed and nothing else."""
        with seeded(config.seed):
            return cls(
                config.rows,
                config.primes,
                class_count(config),
                config.channels,
                config.kernels,
                bias=config.architecture != NO_BIAS,
            )

    def forward(self, grid: Tensor) -> Tensor:
        maps = self.convolution(grid.unsqueeze(1))  # (batch, rows, N) -> (batch, C, rows / 2^l, N / 2^l)
        features = self.flatten(maps)  # (batch, F)
        return cast(Tensor, self.linear(features))  # (batch, classes)


def linear_layers(features: int, classes: int) -> nn.Sequential:
    """The linear layers from flat features to classes: `fc1`, `act1`, .., `fc4`."""
    widths = (features, *HIDDEN, classes)
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    for i, (inner, outer) in enumerate(pairwise(widths), start=1):
        layers[f"fc{i}"] = Linear(inner, outer)
        if i < len(widths) - 1:
            layers[f"act{i}"] = nn.LeakyReLU(SLOPE)
    return nn.Sequential(layers)


_DRAWN_AT_ONCE = 2**24
"""Weights: about a tenth of a second. The largest networks have hundreds of millions."""


class Linear(nn.Linear):
    """torch's linear layer with the same initial weights, which are drawn in pieces: Ctrl-C is heard between
    two of them."""

    @torch.no_grad()
    def reset_parameters(self) -> None:
        rows = max(1, _DRAWN_AT_ONCE // self.in_features)
        for start in range(0, self.out_features, rows):
            nn.init.kaiming_uniform_(self.weight[start : start + rows], a=sqrt(5))
        nn.init.uniform_(self.bias, -1 / sqrt(self.in_features), 1 / sqrt(self.in_features))
