"""Runs probes on a network and collects what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pconv.config import RunConfig
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import InputError
from pconv.models.weights import Model
from pconv.probes.finding import Finding, Standard
from pconv.probes.heatmap import HeatMap
from pconv.probes.registry import ProbeResult, ProbeUnavailable, probes
from pconv.probes.report import ProbeReport
from pconv.probes.target import ProbeTarget, target_of

Progress = Callable[[str, int, int], None]
"""Called with the name of the current probe, its number from 1, and how many there are."""


def probe(
    model: Model,
    names: Iterable[str] = (),
    standard: Standard | None = None,
    numbers: int | None = None,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> ProbeReport:
    """Probe a trained network on numbers of its domain that it was not trained on.

    Parameters
    ----------
    model
        The network and its configuration.
    names
        The probes; by default all that apply to the network.
    standard
        Tolerance and confidence.
    numbers
        How many numbers to use; by default as many as fit in memory, at most 20,000.
    seed
        The seed of the sample of numbers.
    on_progress
        Called when a probe begins, and whenever the network has evaluated windows for it.

    Examples
    --------
    A network with its initial weights answers 0 to everything, whatever the prime grid shows:

    >>> from pconv import PrimeConvNet, RunConfig
    >>> config = RunConfig(modulus=4, primes=8, kernel=3)
    >>> report = probe(Model(config, PrimeConvNet.of(config)), ["causal"], numbers=500)
    >>> [finding.agrees for finding in report.findings[:4]]
    [True, False, False, False]
    """
    if model.config.task != RunConfig.task:
        raise InputError("task", model.config.task, f"the probes are made for the task {RunConfig.task}")
    applicable = _applicable(model.config, names)
    with torch_threads(default_threads(model.config)):
        return run_probes(target_of(model, numbers, seed), applicable, standard, on_progress)


def run_probes(
    target: ProbeTarget,
    names: Iterable[str] = (),
    standard: Standard | None = None,
    on_progress: Progress | None = None,
) -> ProbeReport:
    """Run probes on a target.

    Parameters
    ----------
    target
        The network, and the numbers to probe it on.
    names
        The probes; by default all. A probe whose packages are not installed is an error if it is named, and
        reported as not run otherwise.
    standard
        Tolerance and confidence.
    on_progress
        Called when a probe begins, and whenever the network has evaluated windows for it.
    """
    standard, named = standard or Standard(), tuple(names)
    findings: list[Finding] = []
    maps: list[HeatMap] = []
    chosen = probe_names(named)
    for number, name in enumerate(chosen, start=1):
        try:
            with _reported(target, on_progress, (name, number, len(chosen))):
                result = probes()[name](target, standard)
        except ProbeUnavailable as error:
            if name in named:
                raise ProbeUnavailable(f"{name} {error}") from None
            not_run = Finding(name, "all methods", "not asked", f"not run: {error}", None, 0)
            result = ProbeResult([not_run])
        findings += result.findings
        maps += result.maps
    return ProbeReport(standard, tuple(findings), tuple(maps))


@contextmanager
def _reported(
    target: ProbeTarget, on_progress: Progress | None, current: tuple[str, int, int]
) -> Iterator[None]:
    """Calls `on_progress` now, and after each evaluation of the network or of a copy of it."""
    if on_progress is None:
        yield
        return
    on_progress(*current)
    if target.network is None:
        yield
        return
    hook = target.network.register_forward_hook(lambda *_: on_progress(*current))
    try:
        yield
    finally:
        hook.remove()


def probe_names(names: Iterable[str]) -> tuple[str, ...]:
    """The probes of these names in the order of a report; all of them if none is named."""
    known, named = probes(), tuple(names)
    for name in named:
        if name not in known:
            raise InputError("probe", repr(name), f"must be one of: {', '.join(known)}")
    return tuple(name for name in known if name in named or not named)


def _applicable(config: RunConfig, names: Iterable[str]) -> tuple[str, ...]:
    """The probes of these names that apply to a run: all change exponents, some read the layers of p-Conv."""
    named = tuple(names)
    if config.representation != RunConfig.representation:
        allowed = f"the probes are made for {RunConfig.representation}"
        raise InputError("representation", config.representation, allowed)
    if config.convolves:
        return named
    known = probes()
    for name in named:
        if name in known and known[name].reads_layers:
            raise InputError("probe", name, f"reads the layers of pconv, not those of {config.architecture}")
    return tuple(name for name in probe_names(named) if not known[name].reads_layers)
