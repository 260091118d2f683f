"""Summaries of the runs in a store: finished, running and failed."""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from pconv.config import DEFAULT_THEORY


@dataclass(frozen=True)
class Summary:
    """A run as `pconv runs` lists it; figures of an unfinished run are None."""

    run_id: str
    status: str  # finished, running or failed
    config: dict[str, Any]
    best_accuracy: float | None
    test_accuracy: float | None
    best_epoch: int | None
    epochs: int | None
    seconds: float | None
    verdict: str | None  # on the default theory
    weights: bool
    census: bool
    reason: str | None  # of a failed one
    owner: str | None  # of the claim on a running one


_SUMMARIES = """
SELECT configs.run_id, config, best_accuracy, test_accuracy, best_epoch,
       (SELECT count(*) FROM epochs WHERE epochs.run_id = configs.run_id) AS epochs,
       results.seconds, verdicts.status AS verdict, weights IS NOT NULL AS weights,
       json_type(results.document, '$.census') = 'object' AS census, reason,
       owner, finished
FROM configs LEFT JOIN results USING (run_id) LEFT JOIN failures USING (run_id)
     LEFT JOIN claims ON claims.run_id = configs.run_id AND abs(:now - heartbeat) < :lapse
     LEFT JOIN verdicts ON verdicts.run_id = configs.run_id AND theory = :theory
WHERE coalesce(finished, failed, heartbeat) IS NOT NULL
      AND substr(configs.run_id, 1, length(:prefix)) = :prefix
ORDER BY coalesce(finished, failed, heartbeat)
"""


def read_summaries(db: sqlite3.Connection, claim_timeout: float, prefix: str = "") -> list[Summary]:
    """The runs whose id starts with `prefix`, ordered by when they ended.

    Parameters
    ----------
    db
        The connection to the store, whose rows have names.
    claim_timeout
        Seconds without a heartbeat after which a claim has lapsed.
    prefix
        The start of the runs' ids; by default all runs.
    """
    values = {"now": time.time(), "lapse": claim_timeout, "theory": DEFAULT_THEORY, "prefix": prefix}
    return [_summary(row) for row in db.execute(_SUMMARIES, values)]


def _summary(row: sqlite3.Row) -> Summary:
    data = {name: row[name] for name in row.keys() if name != "finished"}  # noqa: SIM118
    status = "finished" if row["finished"] is not None else "running" if row["owner"] else "failed"
    data["config"] = json.loads(row["config"])
    data["weights"], data["census"] = bool(row["weights"]), bool(row["census"])
    data["epochs"] = row["epochs"] or None
    return Summary(status=status, **data)
