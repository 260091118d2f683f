"""The table of the documentation is the published document."""

from __future__ import annotations

import json
from pathlib import Path

from pconv.board.scoring import METRICS
from pconv.report.figures.board import board_figure

ROOT = Path(__file__).parents[2]


def test_the_page_shows_the_published_board() -> None:
    document = json.loads((ROOT / "results/board.json").read_text())
    page = (ROOT / "docs/board.md").read_text(encoding="utf-8")
    shown = [line for line in page.splitlines() if line.count(" | ") == 9][1:]  # without the head
    rows = [*document["methods"], document["reference"]]
    for line, row in zip(shown, rows, strict=True):
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        assert cells[0].removesuffix(" (cheat)") == row["name"]
        assert cells[1] == f"{row['score']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
        assert cells[2:7] == [f"{row[name]:.2f} ({row['twin'][name]:.2f})" for name in METRICS]
        assert cells[7:] == [f"{row[name]:.2f}" for name in ("sanity", "present", "absent")]
    assert board_figure(document).networks == 40


def test_cheats_are_last_on_the_published_board() -> None:
    document = json.loads((ROOT / "results/board.json").read_text())
    assert [row["cheat"] for row in document["methods"]] == [False] * 8 + [True] * 2
    assert all(row["low"] > 0 for row in document["methods"][:8])
