"""Exports runs of a store as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any

from pconv.config import RunConfig
from pconv.store.sqlite import Store
from pconv.store.summary import Summary


def csv_lines(store: Store, runs: Sequence[Summary]) -> Iterator[str]:
    """A line for each run, with a column for each field of its configuration; lists are written as 0,1,2."""
    plain = [field.name for field in fields(Summary) if field.name != "config"]
    columns = [*plain, *(f"config.{field.name}" for field in fields(RunConfig))]
    yield _line(columns)
    for summary in runs:
        row = asdict(summary)
        row |= {f"config.{name}": value for name, value in row.pop("config").items()}
        yield _line([_cell(row.get(column)) for column in columns])


def json_lines(store: Store, runs: Sequence[Summary]) -> Iterator[str]:
    """A JSON document for each run; that of a finished one has its result and verdicts."""
    for summary in runs:
        document: dict[str, Any] = asdict(summary)
        if result := store.result(summary.run_id):
            document = {"status": summary.status, **result.to_dict()}
            verdicts = store.verdicts(summary.run_id)
            document["verdicts"] = {theory: verdict.to_dict() for theory, verdict in verdicts.items()}
        yield json.dumps(document) + "\n"


def _cell(value: Any) -> Any:
    """A cell of the table. A text that a spreadsheet would take for a formula gets a quote in front."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _line(cells: list[Any]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
