"""The engines by name, what each can do, and which one `auto` takes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import torch

from pconv.config import RunConfig
from pconv.data.representations import representation_named
from pconv.engines.base import Engine
from pconv.engines.dense import DenseEngine
from pconv.engines.sparse.compact import CompactEngine
from pconv.engines.sparse.engine import SparseEngine
from pconv.engines.threads import first_features
from pconv.errors import InputError
from pconv.models.pconv import HIDDEN

MOST_PRODUCTS = 6e10
"""Multiplications a step between convolutions that the sparse engine takes on: six seconds of a core, and
enough for 8 and 16 channels at every size of the paper."""
MANY_PRODUCTS = 1e10
"""From here on it is said before a run what it costs: about an hour at the paper's number of steps."""
FEW_PRODUCTS = 1.5e9
"""Up to here the sparse engine is the faster one even where every column is touched."""

COMPACT_COLUMNS = 128
"""Up to here the compact engine is the faster one of the two that skip zeros, for one convolution."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Choice:
    """How to build an engine (config, device, threads), and why it would refuse (None: it would not)."""

    build: Callable[[RunConfig, torch.device, int], Engine]
    refuses: Callable[[RunConfig, torch.device], str | None]


def _dense(config: RunConfig, device: torch.device, threads: int) -> Engine:
    return DenseEngine(config, device)


def sparse_engine(config: RunConfig, threads: int) -> CompactEngine | SparseEngine:
    """The faster one of those that skip zeros."""
    small = len(config.channels) == 1 and config.primes <= COMPACT_COLUMNS
    return CompactEngine(config) if small else SparseEngine(config, threads)


def _sparse_refuses(config: RunConfig, device: torch.device) -> str | None:
    if config.architecture != "pconv":
        return f"is made for pconv alone, not for {config.architecture}"
    if device.type != "cpu":
        return f"runs on the CPU alone, not on {device}"
    if _products(config) > MOST_PRODUCTS:
        return f"{_cost(config)}; at most {MOST_PRODUCTS / 1e9:,.0f} billion are taken on"
    return None


def _cost(config: RunConfig) -> str:
    gigabytes = first_features(config) * HIDDEN[0] * 12 / 1e9
    return (
        f"{','.join(map(str, config.channels))} channels cost about {_products(config) / 1e9:,.0f} billion "
        f"multiplications a step between the layers and {gigabytes:.1f} GB"
    )


def _products(config: RunConfig) -> float:
    """About how many multiplications a step the layers after the first need, at the columns that are touched:
    a row of a window has some 2.6 prime factors, and each of them touches a kernel's width."""
    found, rows, columns = 0.0, config.rows, config.primes
    touched = 2.6 * config.rows
    layers = zip(pairwise(config.channels), pairwise(config.kernels), strict=True)
    for (incoming, outgoing), (before, kernel) in layers:
        rows, columns = rows // 2, columns // 2
        touched = min(columns, touched * (before + 1) / 4)
        found += touched * rows * min(rows, kernel) * kernel * incoming * outgoing
    return 3 * config.batch_size * found  # forward, and back to the kernel and to the map before


ENGINES: Mapping[str, Choice] = {
    "sparse": Choice(lambda config, device, threads: sparse_engine(config, threads), _sparse_refuses),
    "dense": Choice(_dense, lambda config, device: None),
}


def make_engine(
    config: RunConfig, name: str = "auto", device: torch.device | str = "cpu", threads: int = 1
) -> Engine:
    """The engine of that name, or with `auto` the one that is likely the fastest."""
    device = torch.device(device)
    if name == "auto":
        name = _fastest(config, device)
    if name not in ENGINES:
        raise InputError("engine", repr(name), f"must be one of: auto, {', '.join(ENGINES)}")
    if reason := ENGINES[name].refuses(config, device):
        raise InputError("engine", name, reason)
    if _products(config) > MANY_PRODUCTS and not _mostly_touched(config):
        log.warning("run %s takes long: %s", config.run_id, _cost(config))
    return ENGINES[name].build(config, device, threads)


def _fastest(config: RunConfig, device: torch.device) -> str:
    if _sparse_refuses(config, device):
        return "dense"
    if len(config.channels) > 1 and not representation_named(config.representation).sparse:
        return "dense"  # the second convolution skips nothing; with one, skipping costs nothing either
    return "dense" if _mostly_touched(config) and _products(config) > FEW_PRODUCTS else "sparse"


def _mostly_touched(config: RunConfig) -> bool:
    """Whether most columns of a window are: then the dense engine's matrix products waste little."""
    return config.primes <= 8 * config.rows


def usable_device(name: str) -> torch.device:
    """The torch device of this name, if it is here and works."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError("device", name, f"must be a torch device that works here ({reason})") from None
    return device
