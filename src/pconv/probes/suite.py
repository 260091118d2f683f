"""All probes of one network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pconv.config import RunConfig
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import InputError
from pconv.models.weights import Model
from pconv.probes.attribution import MISSING, MissingCaptum, probe_attribution
from pconv.probes.causal import probe_causal
from pconv.probes.extrapolation import probe_extrapolation
from pconv.probes.finding import Finding, Standard
from pconv.probes.heatmap import HeatMap
from pconv.probes.interventions import probe_interventions
from pconv.probes.layers import probe_layers
from pconv.probes.report import ProbeReport
from pconv.probes.target import ProbeTarget, subject_of

Seen = tuple[list[Finding], list[HeatMap]]
Probe = Callable[[ProbeTarget, Standard], Seen]

PROBES: Mapping[str, Probe] = {
    "interventions": probe_interventions,
    "causal": lambda subject, standard: (probe_causal(subject, standard), []),
    "layers": probe_layers,
    "attribution": probe_attribution,
    "extrapolation": lambda subject, standard: (list(probe_extrapolation(subject, standard)), []),
}

_INSIDE = ("layers", "attribution")
"""The probes that read a network's inner layers; the others only use its answers."""


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """The probes of these names in their usual order; all where none is named."""
    asked = tuple(names)
    for name in asked:
        if name not in PROBES:
            raise InputError("probe", repr(name), f"must be one of: {', '.join(PROBES)}")
    return tuple(name for name in PROBES if name in asked or not asked)


def probe(subject: ProbeTarget, names: Iterable[str] = (), standard: Standard | None = None) -> ProbeReport:
    """Run the probes that are named, or all of them.

    Parameters
    ----------
    subject
        The network, and the numbers to probe it on.
    names
        The probes; by default all. Without captum, attribution is an error if it is named and left open if
        not.
    standard
        Tolerance and confidence.
    """
    standard, asked = standard or Standard(), tuple(names)
    findings: list[Finding] = []
    maps: list[HeatMap] = []
    for name in check_names(asked):
        try:
            found, seen = PROBES[name](subject, standard)
        except MissingCaptum:
            if name in asked:
                raise
            found, seen = [Finding(name, "all methods", "not asked", f"not run: {MISSING}", None, 0)], []
        findings += found
        maps += seen
    return ProbeReport(standard, tuple(findings), tuple(maps))


def probe_model(
    model: Model,
    names: Iterable[str] = (),
    standard: Standard | None = None,
    numbers: int | None = None,
    seed: int = 0,
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
    """
    if model.config.task != RunConfig.task:
        raise InputError("task", model.config.task, f"the probes are made for the task {RunConfig.task}")
    asked = _applicable(model.config, names)
    with torch_threads(default_threads(model.config)):
        return probe(subject_of(model, numbers, seed), asked, standard)


def _applicable(config: RunConfig, names: Iterable[str]) -> tuple[str, ...]:
    """The probes of these names that apply to a run: all change exponents, some read the layers of p-Conv."""
    asked = tuple(names)
    if config.representation != RunConfig.representation:
        allowed = f"the probes are made for {RunConfig.representation}"
        raise InputError("representation", config.representation, allowed)
    if config.architecture == RunConfig.architecture:
        return asked
    for name in asked:
        if name in _INSIDE:
            raise InputError("probe", name, f"looks into pconv, not into {config.architecture}")
    return tuple(name for name in check_names(asked) if name not in _INSIDE)
