"""The figure of predicted against measured steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pconv.errors import PconvError
from pconv.report.figures.pace import PaceFigure, Point, draw_pace, pace_figure

INSIDE = Point("m=7, B=8, k=7", 32, 100.0, 120.0, reached=True, covered=True)
LATE = Point("m=23, B=24, k=7, seed 1", 5_000, 900.0, 4_000.0, reached=False, covered=False)
EARLY = Point("m=9, B=8, k=7", 64, 300.0, 50.0, reached=True, covered=False)


def test_every_run_is_a_point_and_late_ones_are_named() -> None:
    axes = draw_pace(PaceFigure((INSIDE, LATE, EARLY), 0.6, 2.0, 0.9)).axes[0]
    places = {
        tuple(np.asarray(place)) for dots in axes.collections[1:] for place in np.asarray(dots.get_offsets())
    }
    assert places == {(100, 120), (900, 4_000), (300, 50)}
    assert [text.get_text() for text in axes.texts] == [LATE.label]
    assert "1 of 3 (33%) in their 90% intervals" in axes.get_title()
    legend = axes.get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["N = 32 or fewer", "N = 33 to 4,999", "N = 5,000 or more", "ended above the floor"]


def test_late_runs_of_one_height_are_named_one_below_the_other() -> None:
    """Each by itself, their names would lie on each other."""
    other = replace(LATE, label="m=17, B=16, k=7", predicted=1_000.0)
    lower = replace(LATE, label="m=14, B=24, k=15", measured=2_000.0)
    (first, second) = draw_pace(PaceFigure((other, LATE, lower), 0.6, 2.0, 0.9)).axes[0].texts
    assert first.get_text() == lower.label
    assert second.get_text() == f"{LATE.label}\n{other.label}"
    assert second.xy == (900.0, 4_000.0)  # type: ignore[attr-defined]


def test_without_censored_runs_there_is_no_sign_for_them() -> None:
    legend = draw_pace(PaceFigure((INSIDE,), 0.6, 2.0, 0.9)).axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["N = 32 or fewer"]


def test_too_few_runs_are_said_in_the_words_of_the_figure() -> None:
    with pytest.raises(PconvError, match=r"^the figure has 0 runs of 0 configurations: at least \d+ runs"):
        pace_figure([])
