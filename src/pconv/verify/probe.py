"""All probes of one network: a table of predictions beside what was seen, and the pictures to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.learn.threads import default_threads
from pconv.learn.training import torch_threads
from pconv.learn.weights import Model
from pconv.verify.attribution import MISSING, MissingCaptum, probe_attribution
from pconv.verify.causal import probe_causal
from pconv.verify.extrapolation import probe_extrapolation
from pconv.verify.finding import Finding, Standard
from pconv.verify.heatmap import HeatMap
from pconv.verify.interventions import probe_interventions
from pconv.verify.layers import probe_layers
from pconv.verify.subject import Subject, subject_of

Seen = tuple[list[Finding], list[HeatMap]]
Probe = Callable[[Subject, Standard], Seen]

PROBES: Mapping[str, Probe] = {
    "interventions": probe_interventions,
    "causal": lambda subject, standard: (probe_causal(subject, standard), []),
    "layers": probe_layers,
    "attribution": probe_attribution,
    "extrapolation": lambda subject, standard: (list(probe_extrapolation(subject, standard)), []),
}


@dataclass(frozen=True)
class ProbeReport:
    """What the probes found."""

    standard: Standard
    findings: tuple[Finding, ...]
    maps: tuple[HeatMap, ...]

    def count(self, agrees: bool | None) -> int:
        """How many findings agree (True), do not (False), or are open or without a prediction (None)."""
        return sum(finding.agrees is agrees for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        return {
            "tolerance": self.standard.tolerance,
            "confidence": self.standard.confidence,
            "findings": [finding.to_dict() for finding in self.findings],
            "maps": [heat.to_dict() for heat in self.maps],
        }


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """The probes asked for, in their usual order; all when none is named."""
    asked = tuple(names)
    for name in asked:
        if name not in PROBES:
            raise InputError("probe", repr(name), f"must be one of: {', '.join(PROBES)}")
    return tuple(name for name in PROBES if name in asked or not asked)


def probe(subject: Subject, names: Iterable[str] = (), standard: Standard | None = None) -> ProbeReport:
    """Run the probes that are named, or all of them.

    Without captum, attribution is an error when it was named and left open when it was not.
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
    """Probe a trained network on numbers of its domain that it was not trained on."""
    if model.config.task != RunConfig.task:
        raise InputError("task", model.config.task, f"the probes are made for the task {RunConfig.task}")
    with torch_threads(default_threads(model.config)):
        return probe(subject_of(model, numbers, seed), names, standard)
