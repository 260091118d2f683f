"""Two controls that look plausible and never ask the network for more than the number of its classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pconv.board.registry import register_method
from pconv.data.primes import first_primes


@register_method("large-exponents", cheat=True)
def _large_exponents(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """Points at the largest exponents of the grid."""
    return grids


@register_method("columns-of-m", cheat=True)
def _columns_of_m(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """Points at the columns of the primes that divide the number of classes, whatever the weights are."""
    with torch.no_grad():
        modulus = network(grids[:1]).shape[1]
    divides = torch.from_numpy(modulus % first_primes(grids.shape[2]) == 0)
    return divides.to(grids.dtype).expand(grids.shape)
