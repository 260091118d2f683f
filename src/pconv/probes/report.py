"""The report of the probes of one network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Self

from pconv import _notebook_html as html
from pconv._field_types import check_field_types
from pconv._text import shortened
from pconv.errors import InputError
from pconv.probes.finding import Finding, Standard
from pconv.probes.heatmap import HeatMap


@dataclass(frozen=True)
class ProbeReport:
    """The findings and heat maps of the probes of one network."""

    standard: Standard
    findings: tuple[Finding, ...]
    maps: tuple[HeatMap, ...]

    def count(self, agrees: bool | None) -> int:
        """How many findings agree (True), do not (False), or are open or without a prediction (None)."""
        return sum(finding.agrees is agrees for finding in self.findings)

    @property
    def sentence(self) -> str:
        """How many predictions held, failed or stayed open."""
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`, up to the rounding of maps; a missing standard is the default."""
        try:
            report = cls(
                Standard(
                    data.get("tolerance", Standard.tolerance), data.get("confidence", Standard.confidence)
                ),
                tuple(Finding.from_dict(finding) for finding in data["findings"]),
                tuple(HeatMap.from_dict(heat) for heat in data["maps"]),
            )
            return check_field_types(report)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            reason = shortened(repr(error), 200)
            raise InputError("probe", "document", f"is not the report of a probe ({reason})") from None
