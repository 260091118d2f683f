"""Finished runs with their verdicts, and the protocol of what gives them: a store or a results directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pconv.config import DEFAULT_THEORY, RunConfig
from pconv.result import RunResult
from pconv.store.contents import contents
from pconv.store.files import Weights

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict
    from pconv.probes.finding import Finding
    from pconv.probes.report import ProbeReport


@dataclass(frozen=True)
class JudgedRun:
    """A finished run, the verdict on each theory that applies to it, and the report of its probes if any."""

    result: RunResult
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    probe: ProbeReport | None = None

    @property
    def config(self) -> RunConfig:
        return self.result.config

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the default theory; None where it does not apply."""
        return self.verdicts.get(DEFAULT_THEORY)

    @property
    def status(self) -> str:
        """The status of the verdict; "unjudged" without one."""
        return str(self.verdict.status) if self.verdict else "unjudged"

    @property
    def seconds(self) -> float:
        """The seconds of all epochs."""
        return sum(epoch.seconds for epoch in self.result.epochs)


@dataclass(frozen=True)
class RunRecord:
    """All that a store keeps of a finished run."""

    result: RunResult
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    weights: Weights | None = None
    snapshots: Mapping[int, Weights] = field(default_factory=dict)  # the weights of single epochs

    @property
    def run_id(self) -> str:
        return self.result.run_id

    @property
    def contents(self) -> frozenset[str]:
        return contents(self.result, self.weights is not None, self.snapshots)


class RunSource(Protocol):
    """Anything that holds finished runs by their ids."""

    def run_ids(self) -> list[str]:
        """The ids of all finished runs."""

    def run(self, run_id: str) -> JudgedRun | None:
        """A run with its verdicts; None if it is not there."""

    def extrapolated(self, run_id: str) -> tuple[Finding, ...]:
        """The findings of the extrapolation probe of a run's network; empty where it was not probed."""


def runs_of(source: RunSource) -> list[JudgedRun]:
    """All runs of a source."""
    found = (source.run(run_id) for run_id in source.run_ids())
    return [run for run in found if run is not None]
