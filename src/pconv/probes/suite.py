"""All probes of one network: a table of predictions beside what was seen, and the pictures to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from pconv import _notebook_html as html
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
"""The probes that look into the network; the others only ask it."""


@dataclass(frozen=True)
class ProbeReport:
    """What the probes found."""

    standard: Standard
    findings: tuple[Finding, ...]
    maps: tuple[HeatMap, ...]

    def count(self, agrees: bool | None) -> int:
        """How many findings agree (True), do not (False), or are open or without a prediction (None)."""
        return sum(finding.agrees is agrees for finding in self.findings)

    @property
    def sentence(self) -> str:
        """How the predictions fared, all together."""
        held, failed, rest = (self.count(agrees) for agrees in (True, False, None))
        standard = f"tolerance {self.standard.tolerance:.0%}, exact bounds at {self.standard.confidence:.0%}"
        return f"{held} predictions held, {failed} failed, {rest} open or not made ({standard})."

    def _repr_html_(self) -> str:
        rows = [
            (*map(escape, (f.probe, f.what, f.predicted, f.observed)), f.word, f"{f.n:,}")
            for f in self.findings
        ]
        header = ("probe", "what is done", "predicted", "observed", "agrees", "n")
        maps = "".join(heat._repr_html_() for heat in self.maps)
        return (
            html.paragraph(self.sentence)
            + html.table(header, rows)
            + (html.folded("Maps", maps) if maps else "")
        )

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


def probe(subject: ProbeTarget, names: Iterable[str] = (), standard: Standard | None = None) -> ProbeReport:
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
    asked = _applicable(model.config, names)
    with torch_threads(default_threads(model.config)):
        return probe(subject_of(model, numbers, seed), asked, standard)


def _applicable(config: RunConfig, names: Iterable[str]) -> tuple[str, ...]:
    """Of the probes asked for those that a run allows: all change exponents, and some look into p-Conv."""
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
