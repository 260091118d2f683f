"""Values of a run that several figures show."""

from __future__ import annotations

from math import isfinite

from pconv.evaluate.assessment import Assessment
from pconv.store.run import JudgedRun


def assessed(run: JudgedRun) -> Assessment | None:
    """The assessment behind the verdict on the signature theory; None if the run has none."""
    return run.verdict.assessment if run.verdict else None


def finite(value: float | None) -> float | None:
    """The value rounded to four digits; None if it is not a finite number."""
    return None if value is None or not isfinite(value) else round(value, 4)
