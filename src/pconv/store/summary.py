"""Summaries of the runs in a store: finished, running, failed and interrupted."""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from pconv.config import DEFAULT_THEORY
from pconv.store.files import Files
from pconv.store.schema import row_errors

CLAIM_TIMEOUT = 30.0
"""Seconds without a heartbeat after which the run of a dead worker may be claimed by another."""

UNFINISHED = ("running", "failed", "interrupted")
"""What a run without a result may be; an interrupted one has a checkpoint to go on from."""
STATUSES = ("finished", *UNFINISHED)


@dataclass(frozen=True)
class Summary:
    """A run as `pconv runs` lists it; figures of an unfinished run are None."""

    run_id: str
    status: str  # one of STATUSES
    config: dict[str, Any]
    best_accuracy: float | None
    test_accuracy: float | None
    best_epoch: int | None
    epochs: int | None  # of an interrupted run: those in its checkpoint
    seconds: float | None
    verdict: str | None  # on the default theory, by this version of the tests
    weights: bool
    census: bool
    reason: str | None  # of a failed one
    owner: str | None  # of the claim on a running one


_SUMMARIES = """
SELECT configs.run_id, config, best_accuracy, test_accuracy, best_epoch,
       (SELECT count(*) FROM epochs WHERE epochs.run_id = configs.run_id) AS epochs,
       results.seconds, verdicts.status AS verdict, weights IS NOT NULL AS weights,
       CASE WHEN json_valid(results.document) THEN json_type(results.document, '$.census') = 'object' END
       AS census, reason, owner, finished, failed
FROM configs LEFT JOIN results USING (run_id) LEFT JOIN failures USING (run_id)
     LEFT JOIN claims ON claims.run_id = configs.run_id AND abs(:now - heartbeat) < :lapse
     LEFT JOIN verdicts ON verdicts.run_id = configs.run_id AND theory = :theory
          AND json_valid(verdicts.document) AND json_extract(verdicts.document, '$.version') = :version
WHERE substr(configs.run_id, 1, length(:prefix)) = :prefix
ORDER BY coalesce(finished, failed, heartbeat) NULLS LAST
"""


def read_summaries(db: sqlite3.Connection, files: Files, prefix: str = "") -> list[Summary]:
    """The runs whose id starts with `prefix`, ordered by when they ended; interrupted ones at the end.

    Parameters
    ----------
    db
        The connection to the store, whose rows have names.
    files
        The files of the store: a run of which nothing but a checkpoint is there was interrupted.
    prefix
        The start of the runs' ids; by default all runs.
    """
    from pconv.evaluate.verdict import VERSION

    values = {
        "now": time.time(),
        "lapse": CLAIM_TIMEOUT,
        "theory": DEFAULT_THEORY,
        "version": VERSION,
        "prefix": prefix,
    }
    found = (_summary(row, files) for row in db.execute(_SUMMARIES, values))
    return [summary for summary in found if summary]


def _summary(row: sqlite3.Row, files: Files) -> Summary | None:
    """The summary of a run; None where nothing of it is there but its configuration."""
    data = {name: row[name] for name in row.keys() if name not in ("finished", "failed")}  # noqa: SIM118
    data["epochs"] = row["epochs"] or None
    if row["finished"] is not None:
        status = "finished"
    elif row["owner"]:
        status = "running"
    elif row["failed"] is not None:
        status = "failed"
    else:
        status, data["epochs"] = "interrupted", files.epochs_in_checkpoint(row["run_id"])
        if data["epochs"] is None:
            return None
    with row_errors(files.store, row["run_id"]):
        data["config"] = dict(json.loads(row["config"]))
    data["weights"], data["census"] = bool(row["weights"]), bool(row["census"])
    return Summary(status=status, **data)
