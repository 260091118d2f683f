"""The figure of the board against the document it shows."""

from __future__ import annotations

from typing import Any

import pytest

from pconv.errors import InputError
from pconv.report.figures.board import CHEAT, METHOD, TRUTH, board_figure, draw_board

METRICS = ("pointing", "mass", "rank", "deletion", "insertion")


def row(name: str, score: float, cheat: bool = False) -> dict[str, Any]:
    shown = (*METRICS, "sanity", "present", "absent")
    return {
        "name": name,
        "cheat": cheat,
        "score": score,
        "low": score - 0.1,
        "high": score + 0.1,
        **dict.fromkeys(shown, 0.5),
        "absent": None,
        "intervals": {**{metric: [0.25, 0.75] for metric in shown}, "absent": [None, None]},
        "twin": dict.fromkeys(METRICS, 0.125),
    }


DOCUMENT = {
    "level": 0.95,
    "methods": [row("saliency", 0.3), row("columns-of-m", 0.0, cheat=True)],
    "reference": row("exact search", 0.6),
    "networks": [{"name": "a", "windows": 1}, {"name": "a", "windows": 2}, {"name": "b", "windows": 4}],
}


def test_a_row_for_each_method_and_a_panel_for_each_metric() -> None:
    record = board_figure(DOCUMENT)
    assert [(row.name, row.colour) for row in record.rows] == [
        ("saliency", METHOD),
        ("columns-of-m", CHEAT),
        ("exact search", TRUTH),
    ]
    figure = draw_board(record)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["saliency", "columns-of-m", "exact search"]
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["score", *METRICS, "sanity", "rank, present", "rank, absent"]
    first = [tuple(map(float, line.get_xdata())) for line in figure.axes[1].lines[:3]]  # type: ignore[arg-type]
    assert first == [(0.25, 0.75), (0.125,), (0.5,)], "interval, random weights, value"
    assert not figure.axes[-1].lines, "nothing was measured"
    assert "2 networks, 7 windows" in figure.get_suptitle()


def test_names_are_shown_as_they_are() -> None:
    figure = draw_board(board_figure({**DOCUMENT, "methods": [row("$\\bad$", 0.1)]}))
    figure.canvas.draw()
    with pytest.raises(InputError, match="more than 200 methods"):
        board_figure({**DOCUMENT, "methods": [row("x", 0.1)] * 200})


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"methods": []},
        {**DOCUMENT, "reference": 3},
        {**DOCUMENT, "networks": [1]},
        {**DOCUMENT, "level": 10**400},
        {**DOCUMENT, "reference": row("x", float("nan"))},
    ],
)
def test_other_documents_are_refused(document: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="is not what `pconv board --json` prints"):
        board_figure(document)
