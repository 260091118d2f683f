"""The engines by name, and which one `auto` takes.

A program adds an engine with `register`; an installed package adds one with an entry point, whose value is an
`EngineSpec`:

    [project.entry-points."pconv.engines"]
    quick = "my_package:quick"

It can then be chosen by name (`pconv train --engine quick`) and takes part in `pconv bench`. `auto` chooses
among the built-in engines alone, so that what is installed never changes how a run is rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pconv._text import shortened
from pconv.config import RunConfig
from pconv.engines.base import Engine, EngineSpec
from pconv.engines.sparse import selection
from pconv.errors import InputError
from pconv.registry import Registry

if TYPE_CHECKING:
    import torch

AUTO = "auto"

_engines = Registry("engine", EngineSpec, "pconv.engines")


def register_engine(engine: EngineSpec) -> EngineSpec:
    """Add an engine."""
    return _engines.add(engine)


def engines() -> Registry[EngineSpec]:
    """All engines by name, the built-in ones first.

    >>> list(engines())[:2]
    ['sparse', 'dense']
    """
    return _engines


def make_engine(
    config: RunConfig, name: str = AUTO, device: torch.device | str = "cpu", threads: int = 1
) -> Engine:
    """Build the engine of a run.

    Parameters
    ----------
    config
        The run.
    name
        An engine's name, or `auto` for the one that is probably the fastest.
    device
        A torch device.
    threads
        The threads that the engine may use.

    Examples
    --------
    >>> make_engine(RunConfig(modulus=3)).name
    'sparse'
    """
    import torch

    device = torch.device(device)
    engine = chosen_engine(config, name, device)
    selection.warn_if_slow(config)
    return engine.build(config, device, threads)


def chosen_engine(config: RunConfig, name: str, device: torch.device) -> EngineSpec:
    """The engine of this name, or the one that `auto` takes; an error if it cannot compute the run.

    Parameters
    ----------
    config
        The run.
    name
        An engine's name, or `auto`.
    device
        The torch device.
    """
    if name != AUTO and name not in _engines:
        raise InputError("engine", repr(name), f"must be one of: {AUTO}, {', '.join(_engines)}")
    engine = fastest(config, device) if name == AUTO else _engines[name]
    if reason := engine.objection(config, device):
        raise InputError("engine", name, reason)
    return engine


def fastest(config: RunConfig, device: torch.device) -> EngineSpec:
    """The engine that `auto` takes: the first one that can compute the run and is preferred for it."""
    return next(
        engine
        for engine in _engines.values()
        if engine.objection(config, device) is None and engine.preferred(config)
    )


def usable_device(name: str) -> torch.device:
    """The torch device of this name, if it exists here and works."""
    import torch

    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError, ImportError, AttributeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        allowed = f"must be a torch device that works here ({shortened(reason, 120)})"
        raise InputError("device", name, allowed) from None
    return device


def _sparse(config: RunConfig, device: torch.device, threads: int) -> Engine:
    from pconv.engines.sparse.compilation import compile_loops

    compile_loops(config)
    if selection.is_compact(config):
        from pconv.engines.sparse.compact import CompactEngine

        return CompactEngine(config)
    from pconv.engines.sparse.engine import SparseEngine

    return SparseEngine(config, threads)


def _dense(config: RunConfig, device: torch.device, threads: int) -> Engine:
    from pconv.engines.dense import DenseEngine

    return DenseEngine(config, device)


register_engine(
    EngineSpec(
        "sparse",
        "compiled loops that skip the grid's zeros, on the CPU",
        _sparse,
        cpu_only=True,
        refuses=selection.refuses,
        preferred=selection.preferred,
        copies=3,
        skips_zeros=True,
    )
)
register_engine(
    EngineSpec("dense", "PyTorch on the whole grid, on any device", _dense, preferred=lambda config: True)
)
