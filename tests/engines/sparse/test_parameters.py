"""Weights from PyTorch's order to the engine's and back, in pieces."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pconv.engines.sparse import parameters
from pconv.engines.sparse.parameters import from_blocks, to_blocks


@pytest.mark.parametrize("columns_at_once", [1, 3, 128])
def test_pieces_are_the_whole(columns_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameters, "_COLUMNS", columns_at_once)
    columns, height, channels, outputs = 7, 2, 3, 5
    weights = torch.arange(outputs * channels * height * columns, dtype=torch.float32).reshape(outputs, -1)
    blocks = np.zeros((columns, height, channels, outputs), dtype=np.float32)
    to_blocks(weights, blocks)
    expected = weights.numpy().reshape(outputs, channels, height, columns).transpose(3, 2, 1, 0)
    assert (blocks == expected).all()
    assert torch.equal(from_blocks(blocks), weights)


def test_an_interrupt_is_heard_between_two_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameters, "_COLUMNS", 2)
    copied: list[torch.Size] = []
    copy = torch.Tensor.copy_

    def interrupted(self: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        copied.append(source.shape)
        if len(copied) == 2:
            raise KeyboardInterrupt
        return copy(self, source)

    monkeypatch.setattr(torch.Tensor, "copy_", interrupted)
    with pytest.raises(KeyboardInterrupt):
        to_blocks(torch.zeros(5, 8), np.zeros((8, 1, 1, 5), dtype=np.float32))
    assert copied == [(2, 1, 1, 5)] * 2
