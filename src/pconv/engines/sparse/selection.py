"""Which runs the sparse engine computes, for which it is the fastest, and by which of its two
implementations.

Known without loading torch or numba.
"""

from __future__ import annotations

import logging
from itertools import pairwise

from pconv.config import NO_BIAS, RunConfig
from pconv.data.representations import representation_named
from pconv.models.sizes import HIDDEN

MOST_PRODUCTS = 6e10
"""The most multiplications between convolutions in a step: six seconds of a core, and enough for 8 and 16
channels at every size of the paper."""
MANY_PRODUCTS = 1e10
"""From here on a warning names the cost of a run before it starts: about an hour at the paper's number of
steps."""
FEW_PRODUCTS = 1.5e9
"""Up to here the sparse engine is faster than the dense one even where every column is touched."""
COMPACT_COLUMNS = 128
"""Up to here `CompactEngine` is the faster one of the two implementations, for one convolution."""

log = logging.getLogger(__name__)


def refuses(config: RunConfig) -> str | None:
    """Why the sparse engine cannot compute a run; None where it can."""
    if not config.convolves:
        return f"is made for {RunConfig.architecture} and {NO_BIAS} alone, not for {config.architecture}"
    if _products(config) > MOST_PRODUCTS:
        return f"{_cost(config)}; at most {MOST_PRODUCTS / 1e9:,.0f} billion are taken on"
    return None


def preferred(config: RunConfig) -> bool:
    """Whether the sparse engine is probably faster than the dense one."""
    if len(config.channels) > 1 and not representation_named(config.representation).sparse:
        return False  # the second convolution skips nothing; with one, skipping costs nothing either
    return not (_mostly_touched(config) and _products(config) > FEW_PRODUCTS)


def is_compact(config: RunConfig) -> bool:
    """Whether `CompactEngine` computes a run, and not `SparseEngine`."""
    return len(config.channels) == 1 and config.primes <= COMPACT_COLUMNS


def warn_if_slow(config: RunConfig) -> None:
    """Logs what a run costs, if that is much."""
    if _products(config) > MANY_PRODUCTS and not _mostly_touched(config):
        log.warning("run %s takes long: %s", config.run_id, _cost(config))


def _cost(config: RunConfig) -> str:
    gigabytes = config.feature_shape.size * HIDDEN[0] * 12 / 1e9
    return (
        f"{','.join(map(str, config.channels))} channels cost about {_products(config) / 1e9:,.0f} billion "
        f"multiplications a step between the layers and {gigabytes:.1f} GB"
    )


def _products(config: RunConfig) -> float:
    """An estimate of the multiplications a step that the layers after the first need at the touched columns:
    a row of a window has some 2.6 prime factors, each of which touches as many columns as a kernel is
    wide."""
    found, rows, columns = 0.0, config.rows, config.primes
    touched = 2.6 * config.rows
    layers = zip(pairwise(config.channels), pairwise(config.kernels), strict=True)
    for (incoming, outgoing), (before, kernel) in layers:
        rows, columns = rows // 2, columns // 2
        touched = min(columns, touched * (before + 1) / 4)
        found += touched * rows * min(rows, kernel) * kernel * incoming * outgoing
    return 3 * config.batch_size * found  # forward, and back to the kernel and to the previous map


def _mostly_touched(config: RunConfig) -> bool:
    """Whether most columns of a window are touched: then the dense engine's matrix products waste little."""
    return config.primes <= 8 * config.rows
