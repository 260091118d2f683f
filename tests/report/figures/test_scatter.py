"""The scatter against the runs it shows."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import PathCollection

from pconv.config import RunConfig
from pconv.report.figures.scatter import draw_scatter, scatter_figure
from pconv.studies.directory import ResultsDirectory
from pconv.window import successor_window
from tests.report.fakes import result

RUNS = [
    result(RunConfig(modulus=7)),
    result(RunConfig(modulus=11)),
    result(RunConfig(modulus=17, offsets=successor_window(16), kernel=(3,))),  # the paper has 0.07
]
SOURCE = ResultsDirectory({each.run_id: each for each in RUNS}, {})


def test_points_are_the_cells_with_a_run() -> None:
    record = scatter_figure(SOURCE, "quick")
    by_label = {point.label: point for point in record.points}
    assert list(by_label) == ["m=7, B=8, k=7", "m=11, B=8, k=7", "m=17, B=16, k=3"]
    mixed, odd = by_label["m=11, B=8, k=7"], by_label["m=17, B=16, k=3"]
    assert (mixed.paper, mixed.ours, mixed.informative, mixed.agrees, mixed.main) == (
        0.92,
        RUNS[1].best_accuracy,
        True,
        True,
        True,
    )
    assert round(mixed.ceiling or 0, 3) == 0.911
    assert (odd.paper, odd.agrees, odd.main) == (0.07, False, False)
    assert record.title == "$N=32$: 2 of 145 cells of the main tables, 1 of other tables"
    assert record.caption.startswith("main tables, 1 cell that can differ: ")
    assert scatter_figure(SOURCE, "paper").points == ()


def test_what_can_differ_is_drawn_large_with_its_ceiling() -> None:
    figure = draw_scatter(scatter_figure(SOURCE, "quick"))
    [axes] = figure.axes
    points = [each for each in axes.collections if isinstance(each, PathCollection)]
    large = [each for each in points if each.get_sizes()[0] > 20]
    assert len(large) == 2
    bars = [line for line in axes.lines if line.get_marker() == "_"]
    assert sorted(np.round([np.asarray(bar.get_ydata())[0] for bar in bars], 3).tolist()) == [0.911, 1.0]
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["a", "a  m=17, B=16, k=3: 1.000, the paper 0.07"]
    draw_scatter(scatter_figure(SOURCE, "paper"))  # without a point
