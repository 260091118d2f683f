"""The leaderboard in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from pconv._text import pluralize
from pconv.board.metrics import SHOWN
from pconv.cli.views.console import output_console, table_console


def show_board(document: Mapping[str, Any]) -> None:
    """Prints the document of `pconv board --json` as a table, the highest score first."""
    level = f"{document['level']:.0%} interval"
    table = Table("", "method", "score", level, *SHOWN, box=None, header_style="bold")
    for column in (*table.columns[:1], *table.columns[2:]):
        column.justify = "right"
    for place, row in enumerate(document["methods"], start=1):
        table.add_row(str(place), *_cells(row), style="dim" if row["cheat"] else "")
    table.add_row("", *_cells(document["reference"]), style="italic")
    table_console().print(table)
    networks = document["networks"]
    kinds = [sum(one["kind"] == kind for one in networks) for kind in ("trained", "compiled")]
    console = output_console()
    console.print(
        f"\n{pluralize(kinds[0], 'trained network')}, {pluralize(kinds[1], 'compiled one')}, "
        f"{pluralize(sum(one['windows'] for one in networks), 'window')}. score: the mean of the first five "
        "metrics, less what the method reaches with random weights. sanity: the share of its attribution "
        "that random weights move to other cells. present, absent: the rank of deciding cells whose "
        f"exponent is not zero, and of those where it is. {document['reference']['name']}: the truth itself.",
    )
    if document["skipped"]:
        console.print(f"Not scored, because no cell decides: {_names(document['skipped'])}.")


def _cells(row: Mapping[str, Any]) -> list[str]:
    interval = "-" if row["low"] is None else f"{row['low']:+.3f} to {row['high']:+.3f}"
    return [
        f"{row['name']} (cheat)" if row["cheat"] else row["name"],
        f"{row['score']:+.3f}",
        interval,
        *("-" if row[name] is None else f"{row[name]:.2f}" for name in SHOWN),
    ]


def _names(networks: list[Mapping[str, Any]]) -> str:
    return ", ".join(f"{one['name']} (seed {one['seed']})" for one in networks)
