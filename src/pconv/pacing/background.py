"""The network's response to the all-zero window at initialisation, which is what makes plateaus.

Away from its few entries every window looks like the all-zero one, the *background*. Where the convolutions'
biases are positive, all features there are positive, and the gradients of all weights of a unit in the first
linear layer have the same sign. Adam moves each of them by the learning rate, so that the unit's sum moves by
the learning rate times the sum of the features: the more columns, the further. Once that outweighs what
distinguishes one window from another, every unit has the same sign on all windows, and learning is slow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

from pconv.config import RunConfig

if TYPE_CHECKING:
    from torch import Tensor


def background_shift(config: RunConfig) -> float:
    """How far Adam's first step moves a unit of the first linear layer on the all-zero window.

    This is the learning rate times the sum of the absolute values of all features, which the seed determines.

    Examples
    --------
    >>> shifts = [background_shift(RunConfig(modulus=17, kernel=3, primes=N)) for N in (32, 5_000)]
    >>> [f"{shift:.3f}" for shift in shifts]
    ['0.038', '5.988']
    """
    network = config.seed, config.channels, config.kernels
    return config.learning_rate * _background_sum(*network, config.rows, config.primes)


@lru_cache(maxsize=4096)  # runs of a sweep often differ in the modulus only
def _background_sum(
    seed: int, channels: tuple[int, ...], kernels: tuple[int, ...], rows: int, columns: int
) -> float:
    import numpy as np

    from pconv.engines.sparse.background import Background
    from pconv.models.sizes import SLOPE

    background = Background(rows, columns, kernels, SLOPE)
    background.forward(list(_initial_convolutions(seed, channels, kernels)))
    times = np.bincount(background.kind[-1], minlength=len(background.idle[-1]))
    return float(times @ np.abs(background.idle[-1]).sum(axis=(1, 2)))


def _initial_convolutions(
    seed: int, channels: tuple[int, ...], kernels: tuple[int, ...]
) -> Iterator[tuple[Tensor, Tensor]]:
    """The weight and the bias of each convolution, as `PrimeConvNet.of` draws them. The random numbers are
    those of a generator of its own, so that a thread may ask while another one builds a network."""
    import torch
    from torch import nn

    generator = torch.Generator().manual_seed(seed)
    incoming = 1
    for outgoing, kernel in zip(channels, kernels, strict=True):
        weight, bias = torch.empty(outgoing, incoming, kernel, kernel), torch.empty(outgoing)
        nn.init.kaiming_uniform_(weight, a=sqrt(5), generator=generator)
        bound = 1 / sqrt(incoming * kernel**2)
        nn.init.uniform_(bias, -bound, bound, generator=generator)
        yield weight, bias
        incoming = outgoing
