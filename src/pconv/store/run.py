"""Where runs come from. A store and a directory of results are read in one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pconv.config import RunConfig
from pconv.result import RunResult

if TYPE_CHECKING:
    from pconv.probes.finding import Finding

Document = Mapping[str, Any]
Verdicts = Mapping[str, Document]
"""What a run means for each theory: a document with its `status`."""


@dataclass(frozen=True)
class JudgedRun:
    """A finished run, what it means for each theory, and the report of its probes where there is one."""

    result: RunResult
    verdicts: Verdicts = field(default_factory=dict)
    probe: Document | None = None

    @property
    def config(self) -> RunConfig:
        return self.result.config

    @property
    def verdict(self) -> Document | None:
        """The verdict on the signature theory."""
        return self.verdicts.get("signature")

    @property
    def status(self) -> str:
        """The word of the verdict; a run without one is a case of its own."""
        return str(self.verdict["status"]) if self.verdict else "unjudged"

    @property
    def seconds(self) -> float:
        """What all its epochs took."""
        return sum(epoch.seconds for epoch in self.result.epochs)


class RunSource(Protocol):
    """What tables, pages and answers are made of: finished runs by their ids."""

    def run_ids(self) -> list[str]:
        """All finished runs."""

    def run(self, run_id: str) -> JudgedRun | None:
        """A run with its verdicts, if it is there."""

    def extrapolated(self, run_id: str) -> tuple[Finding, ...]:
        """What the run's network does on numbers past those it was trained on, as far as that is known."""


def runs_of(source: RunSource) -> list[JudgedRun]:
    """All runs of a source."""
    found = (source.run(run_id) for run_id in source.run_ids())
    return [run for run in found if run is not None]
