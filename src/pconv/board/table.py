"""The scores of all methods on all networks, their means with intervals, the ranking, and the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from pconv import __version__
from pconv.board.cases import Case
from pconv.board.entries import Entry
from pconv.board.intervals import LEVEL, Estimate, mean_over_settings
from pconv.board.metrics import METRICS, SHOWN
from pconv.board.scoring import CaseScores

KIND = "pconv board 1"
"""The layout of the document."""
REFERENCE = "exact search"
"""The name of the truth itself, whose scores are listed next to those of the methods."""
_DIGITS = 6


@dataclass(frozen=True)
class Row:
    """The scores of one method, a `CaseScores` for each network."""

    name: str
    cheat: bool
    scores: Sequence[CaseScores]
    cases: Sequence[Case]

    def mean(self, figure: Callable[[CaseScores], float], kind: str | None = None) -> Estimate:
        """The mean of a figure over the settings, with its interval; of one kind of networks if given."""
        settings: dict[Any, list[tuple[int, float]]] = {}
        for case, scores in zip(self.cases, self.scores, strict=True):
            if kind in (None, case.entry.kind):
                settings.setdefault(case.entry.setting, []).append((case.entry.seed, figure(scores)))
        return mean_over_settings(list(settings.values()))

    def metric(self, name: str) -> Estimate:
        """One of `SHOWN`, with its interval cut at 0 and 1."""
        found = self.mean(lambda scores: scores.metrics[name])
        if found.low is None or found.high is None:
            return found
        return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))

    @property
    def score(self) -> Estimate:
        """The mean difference between network and twin."""
        return self.mean(lambda scores: scores.score)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON values."""
        metrics = {name: self.metric(name) for name in SHOWN}
        score = self.score
        return {
            "name": self.name,
            "cheat": self.cheat,
            "networks": len(self.cases),
            **{name: _rounded(found.value) for name, found in metrics.items()},
            "score": _rounded(score.value),
            "low": _rounded(score.low),
            "high": _rounded(score.high),
            "intervals": {
                name: [_rounded(found.low), _rounded(found.high)] for name, found in metrics.items()
            },
            "twin": {
                name: _rounded(self.mean(lambda scores, name=name: scores.twin[name]).value)  # type: ignore[misc]
                for name in METRICS
            },
            "scores": [_rounded(scores.score) for scores in self.scores],
            "score_by_kind": {
                kind: _rounded(self.mean(lambda scores: scores.score, kind).value)
                for kind in ("trained", "compiled")
            },
        }


@dataclass(frozen=True)
class Board:
    """The result of `run_board`.

    Parameters
    ----------
    windows
        The windows wanted of each network.
    cases
        The networks with their windows and truths.
    unranked
        A row for each method that did not fail.
    reference
        The scores of the truth itself.
    failed
        Methods that failed, with the reason.
    skipped
        Networks without a window in which a cell decides.
    """

    windows: int
    cases: Sequence[Case]
    unranked: Sequence[Row]
    reference: Row
    failed: Mapping[str, str]
    skipped: Sequence[Entry]

    @property
    def rows(self) -> list[Row]:
        """The methods, the highest score first."""
        return sorted(self.unranked, key=lambda row: (-row.score.value, row.name))

    def to_dict(self) -> dict[str, Any]:
        """The document that `pconv board --json` prints."""
        return {
            "kind": KIND,
            "pconv": __version__,
            "level": LEVEL,
            "windows": self.windows,
            "methods": [row.to_dict() for row in self.rows],
            "reference": self.reference.to_dict(),
            "failed": [{"name": name, "reason": reason} for name, reason in self.failed.items()],
            "networks": [_rounded_values(case.to_dict()) for case in self.cases],
            "skipped": [{"name": entry.name, "seed": entry.seed} for entry in self.skipped],
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None or isnan(value) else round(value, _DIGITS)


def _rounded_values(data: dict[str, Any]) -> dict[str, Any]:
    return {key: _rounded(value) if isinstance(value, float) else value for key, value in data.items()}
