"""Other networks on the same grid: an MLP and a transformer."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from pconv.models.pconv import linear_layers

WIDTH = 64
HEADS = 4
LAYERS = 1


class GridMLP(nn.Module):
    """The linear layers of p-Conv on the whole grid, without convolution and pooling."""

    def __init__(self, rows: int, columns: int, classes: int) -> None:
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear = linear_layers(rows * columns, classes)

    def forward(self, grid: Tensor) -> Tensor:
        return cast(Tensor, self.linear(self.flatten(grid)))  # (batch, rows, N) -> (batch, classes)


class RowTransformer(nn.Module):
    """A small transformer: the rows are its tokens, and its outputs are averaged over them.

    There is no dropout, so that a run is determined by its seed.
    """

    def __init__(self, rows: int, columns: int, classes: int) -> None:
        super().__init__()
        self.embed = nn.Linear(columns, WIDTH)
        self.position = nn.Parameter(torch.randn(rows, WIDTH) / WIDTH**0.5)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.classify = nn.Linear(WIDTH, classes)

    def forward(self, grid: Tensor) -> Tensor:
        tokens = self.embed(grid) + self.position  # (batch, rows, N) -> (batch, rows, WIDTH)
        read = self.encoder(tokens).mean(dim=1)  # (batch, WIDTH)
        return cast(Tensor, self.classify(read))  # (batch, classes)
