"""On which side of the ceiling an accuracy lies."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.studies.cell import CellResult, StudyCell
from pconv.studies.disagreement import disagreements, side


def test_sides_of_the_ceiling() -> None:
    assert [side(a, 0.785) for a in (0.70, 0.77, 0.85)] == ["below", "at", "above"]
    assert side(1.0, 1.0) == "at"


def test_a_theory_that_does_not_apply_has_no_sides() -> None:
    cell = StudyCell("m=11", "B=8", RunConfig(modulus=11), paper=0.92)
    [found] = disagreements([CellResult(cell, ceiling=None, accuracy=0.5)])
    assert found.why == "the theory does not apply"
    [found] = disagreements([CellResult(cell, ceiling=0.911, accuracy=0.5)])
    assert found.why == "ours is below the ceiling, the paper's at it"
