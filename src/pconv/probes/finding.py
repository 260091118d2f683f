"""A prediction of a probe, what was observed, and whether the two agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pconv.errors import InputError


@dataclass(frozen=True)
class Standard:
    """How far from its prediction a share may be, and the confidence of its bounds."""

    tolerance: float = 0.05
    confidence: float = 0.99

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 < value < 1:
                raise InputError(name, value, "must be between 0 and 1")

    def bounds(self, hits: int, n: int) -> tuple[float, float]:
        """The exact (Clopper-Pearson) interval of a share."""
        from scipy.stats import binomtest

        interval = binomtest(hits, n).proportion_ci(self.confidence, method="exact")
        return float(interval.low), float(interval.high)

    def agrees(self, bounds: tuple[float, float], expected: float) -> bool | None:
        """Whether a share is within the tolerance of what was expected; None where its bounds leave it open.

        >>> [Standard().agrees(bounds, 1) for bounds in ((0.96, 0.99), (0.5, 0.6), (0.9, 1.0))]
        [True, False, None]
        """
        low, high = expected - self.tolerance, expected + self.tolerance
        if low <= bounds[0] and bounds[1] <= high:
            return True
        return False if bounds[1] < low or bounds[0] > high else None


@dataclass(frozen=True)
class Finding:
    """A prediction of a probe and what was observed.

    `agrees` is None where nothing was predicted or the bounds leave it open; `share` and `bounds` are None
    where no share was predicted.
    """

    probe: str
    what: str
    predicted: str
    observed: str
    agrees: bool | None
    n: int
    share: float | None = None
    bounds: tuple[float, float] | None = None

    @property
    def word(self) -> str:
        """yes, no, open, or - where nothing was predicted."""
        if self.agrees is None:
            return "open" if self.share is not None else "-"
        return "yes" if self.agrees else "no"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        bounds = data.get("bounds")
        return cls(**{**data, "bounds": None if bounds is None else (bounds[0], bounds[1])})


def share_finding(
    probe: str,
    what: str,
    predicted: str,
    hits: NDArray[np.bool_],
    standard: Standard,
    *,
    expected: float = 1,
    note: str = "",
) -> Finding:
    """The finding of a probe that predicts what share of the windows is a hit.

    Parameters
    ----------
    probe, what, predicted
        The probe's name, what it does and what is predicted, in words.
    hits
        Which windows behave as predicted.
    standard
        Tolerance and confidence.
    expected
        The predicted share.
    note
        Text that follows the observed share.
    """
    n, count = len(hits), int(hits.sum())
    bounds = standard.bounds(count, n)
    return Finding(
        probe,
        what,
        predicted,
        f"{count / n:.2%}{note}",
        standard.agrees(bounds, expected),
        n,
        count / n,
        bounds,
    )
