"""On which side of the ceiling an accuracy lies."""

from __future__ import annotations

from pconv.studies.disagreement import side


def test_sides_of_the_ceiling() -> None:
    assert [side(a, 0.785) for a in (0.70, 0.77, 0.85)] == ["below", "at", "above"]
    assert side(1.0, 1.0) == "at"
