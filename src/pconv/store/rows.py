"""Runs as lines of files: one run as a line of a results file, without weights, and reading such files.

Only the losses are shortened, since those of 4,000 steps would be nine tenths of a file: the epochs' means
are kept, and for the study of loss curves means over `CURVE_WIDTH` steps. All other figures are exact. Fields
of the configuration at their default are left out, as in a run's id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pconv._text import shortened
from pconv.config import MAX_LIMIT, RunConfig
from pconv.data.examples import class_count
from pconv.errors import InputError
from pconv.result import Census, Epoch, RunResult
from pconv.store.checks import check_classes
from pconv.store.summary import UNFINISHED

T = TypeVar("T")

CURVE_WIDTH = 20
"""A curve of 4,000 steps keeps 200 points, as many as the page draws."""

Counts = list[list[int]]


def row_of(result: RunResult, curve: bool = False) -> dict[str, Any]:
    """A finished run as a row; with `curve` also its loss curve."""
    row = {
        "run_id": result.run_id,
        "config": result.config.non_defaults(),
        "epochs": [_epoch_row(epoch) for epoch in result.epochs],
        "best_epoch": result.best_epoch,
        "validation": sparse(result.validation.confusion),
        "test": sparse(result.test.confusion),
        "gap": sparse(result.disjoint_test.confusion) if result.disjoint_test else None,
        **asdict(result.environment),
    }
    if not result.environment.revision:  # version 0.1 did not record it
        del row["revision"]
    if result.census:
        row["census"] = _census_row(result.census)
    if result.snapshots:
        row["snapshots"] = [[s.epoch, sparse(s.test.confusion)] for s in result.snapshots]
    if curve:
        wider = CURVE_WIDTH if result.loss_width == 1 else 1  # a curve from a row is thinned already
        row["loss_width"] = result.loss_width * wider
        row["losses"] = [float(f"{loss:.6g}") for loss in means(result.losses, wider)]
    return row


def result_of(row: Mapping[str, Any]) -> RunResult:
    """The inverse of `row_of`; losses that were left out are replaced by the epochs' means."""
    try:
        config = RunConfig.from_dict(dict(row["config"].items()))
        classes = class_count(config)
        epochs = [_epoch(i, *values) for i, values in enumerate(row["epochs"], start=1)]
        document = {
            "run_id": row["run_id"],
            "config": row["config"],
            "epochs": epochs,
            "best_epoch": _positive(row["best_epoch"]),
            "confusion": dense(row["validation"], classes),
            "test": {"confusion": dense(row["test"], classes)},
            "gap": {"confusion": dense(row["gap"], classes)} if row["gap"] else None,
            "losses": [float(loss) for loss in row.get("losses", [epoch["loss"] for epoch in epochs])],
            "loss_width": _positive(row.get("loss_width", config.batches)),
            "environment": {
                "engine": str(row["engine"]),
                "device": str(row["device"]),
                "threads": _positive(row["threads"]),
                "versions": {str(package): str(version) for package, version in row["versions"].items()},
                "revision": int(row.get("revision", 0)),
            },
            "census": _census(row["census"], classes) if "census" in row else None,
            "snapshots": [
                {"epoch": _positive(epoch), "test": {"confusion": dense(counts, classes)}}
                for epoch, counts in row.get("snapshots", ())
            ],
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("result", "row", f"is not a run's result ({error!r})") from None
    if document["best_epoch"] > len(epochs):
        raise InputError("best_epoch", document["best_epoch"], f"the run has {len(epochs)} epochs")
    return RunResult.from_dict(document)


def result_of_document(document: Mapping[str, Any]) -> RunResult | None:
    """The result in a line of a results file, of `pconv export` or of `pconv train --json`.

    None for a run of `pconv export` that had not finished.
    """
    if document.get("status") in UNFINISHED:
        return None
    if "validation" in document:
        return result_of(document)
    result = RunResult.from_dict(document)
    check_classes(result)
    return result


def read_lines(path: Path, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    """What `read` makes of each line of a file, a JSON object; an `InputError` names the damaged line."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("file", path, f"cannot be read ({reason})") from None
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("not an object")
            found = read(row)
        except (ValueError, RecursionError, OverflowError) as error:  # an InputError is a ValueError
            reason = shortened(str(error), 200)
            raise InputError("file", f"{path} line {number}", f"is damaged: {reason}") from None
        yield found


def _epoch_row(epoch: Epoch) -> list[float]:
    values = [epoch.loss, epoch.accuracy, epoch.seconds]
    return values if epoch.held_out_loss is None else [*values, epoch.held_out_loss]


def _epoch(
    number: int, loss: float, accuracy: float, seconds: float, held_out: float | None = None
) -> dict[str, Any]:
    found = {"epoch": number, "loss": float(loss), "accuracy": float(accuracy), "seconds": float(seconds)}
    return found if held_out is None else {**found, "held_out_loss": float(held_out)}


def _census_row(census: Census) -> dict[str, Any]:
    return {
        "numbers": census.numbers,
        "epoch": census.epoch,
        "loss": census.loss,
        "answers": sparse(census.answers.confusion),
        "far": sparse(census.far.confusion) if census.far else None,
        "neighbours": [[x for pair in table for x in pair] for table in census.neighbours],
    }


def _census(row: Mapping[str, Any], classes: int) -> dict[str, Any]:
    tables = row["neighbours"]
    if len(tables) != 4 or any(len(table) != 2 * classes for table in tables):
        raise ValueError("neighbours of another number of classes")
    return {
        "numbers": row["numbers"],
        "epoch": _positive(row["epoch"]),
        "loss": float(row["loss"]),
        "confusion": dense(row["answers"], classes),
        "far": {"confusion": dense(row["far"], classes)} if row["far"] else None,
        "neighbours": [list(zip(table[::2], table[1::2], strict=True)) for table in tables],
    }


def _positive(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{value!r} is not a positive number")
    return value


def sparse(confusion: Sequence[Sequence[int]]) -> Counts:
    """The counts of a confusion matrix that are not 0, each row as answer, count, answer, count, ..

    >>> sparse([[5, 0], [1, 2]])
    [[0, 5], [0, 1, 1, 2]]
    """
    return [[x for j, count in enumerate(row) if count for x in (j, count)] for row in confusion]


def dense(counts: Any, classes: int) -> Counts:
    """The inverse of `sparse`; a `ValueError` for what is not a confusion matrix."""
    matrix = []
    for row in counts:
        answers, numbers = row[::2], row[1::2]
        sound = len(answers) == len(numbers) == len(set(answers))
        if not sound or any(type(x) is not int for x in row) or not all(1 <= n <= MAX_LIMIT for n in numbers):
            raise ValueError(f"counts {row}")
        if any(not 0 <= answer < classes for answer in answers):
            raise ValueError(f"an answer that is none of {classes} classes")
        line = [0] * classes
        for answer, number in zip(answers, numbers, strict=True):
            line[answer] = number
        matrix.append(line)
    if len(matrix) != classes or not any(map(any, matrix)):
        raise ValueError(f"a confusion of {len(matrix)} classes, not {classes}, or an empty one")
    return matrix


def means(values: Sequence[float], width: int) -> list[float]:
    """The mean of each `width` values; the last may be of fewer.

    >>> means([1, 3, 5], 2)
    [2.0, 5.0]
    """
    parts = (values[start : start + width] for start in range(0, len(values), width))
    return [sum(part) / len(part) for part in parts]
