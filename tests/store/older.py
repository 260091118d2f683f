"""A store as version 0.1 wrote it: no census, no held-out losses, no rates in the configuration."""

from __future__ import annotations

import json
import sqlite3
from array import array
from pathlib import Path

from safetensors.torch import save
from torch import Tensor

from pconv.config import RunConfig
from pconv.models.weights import checksum
from pconv.result import RunResult
from pconv.store.files import Files
from pconv.store.schema import APPLICATION

SCHEMA = """
CREATE TABLE configs (run_id TEXT PRIMARY KEY, config TEXT NOT NULL) STRICT;
CREATE TABLE results (
    run_id TEXT PRIMARY KEY REFERENCES configs, finished REAL NOT NULL, seconds REAL NOT NULL,
    best_epoch INTEGER NOT NULL, best_accuracy REAL NOT NULL, test_accuracy REAL NOT NULL,
    losses BLOB NOT NULL, document TEXT NOT NULL, weights TEXT
) STRICT;
CREATE TABLE epochs (
    run_id TEXT NOT NULL REFERENCES results ON DELETE CASCADE, epoch INTEGER NOT NULL, loss REAL NOT NULL,
    accuracy REAL NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (run_id, epoch)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdicts (
    run_id TEXT NOT NULL REFERENCES results ON DELETE CASCADE, theory TEXT NOT NULL, status TEXT NOT NULL,
    document TEXT NOT NULL, PRIMARY KEY (run_id, theory)
) STRICT, WITHOUT ROWID;
CREATE TABLE failures (
    run_id TEXT PRIMARY KEY REFERENCES configs, failed REAL NOT NULL, reason TEXT NOT NULL
) STRICT;
CREATE TABLE claims (
    run_id TEXT PRIMARY KEY REFERENCES configs, owner TEXT NOT NULL, heartbeat REAL NOT NULL
) STRICT;
CREATE INDEX weights_in_use ON results (weights);
PRAGMA user_version = 1;
"""
NEW_FIELDS = ("learning_rate", "weight_decay")


def document_of(result: RunResult) -> dict[str, object]:
    """What 0.1 kept of a result beside its epochs and losses."""
    environment = result.environment
    return {
        "run_id": result.run_id,
        "best_epoch": result.best_epoch,
        "best_accuracy": result.best_accuracy,
        "confusion": result.validation.confusion,
        "test": result.test.to_dict(),
        "gap": result.disjoint_test.to_dict() if result.disjoint_test else None,
        "loss_width": 1,
        "environment": {
            "engine": environment.engine,
            "device": environment.device,
            "threads": environment.threads,
            "versions": dict(environment.versions),
        },
    }


def config_of(config: RunConfig) -> dict[str, object]:
    return {name: value for name, value in config.to_dict().items() if name not in NEW_FIELDS}


def write_store(path: Path, result: RunResult, weights: dict[str, Tensor] | None = None) -> str:
    """A store with one run; its id."""
    fields = {
        "kind": "pconv weights 1",
        "pconv": "0.1.0",
        "config": json.dumps(config_of(result.config)),
        "epochs": str(len(result.epochs)),
    }
    name = None
    if weights:
        name = checksum(weights, fields)
        file = Files(path).weights(name)
        file.parent.mkdir(parents=True)
        file.write_bytes(save(weights, {**fields, "checksum": name}))
    run_id = result.run_id
    verdict = {"theory": "signature", "status": "undertrained", "sentence": "It has to learn.", "test": {}}
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute("INSERT INTO configs VALUES (?, ?)", (run_id, fields["config"]))
    losses = array("d", result.losses).tobytes()
    row = run_id, 1.7e9, 0.75, result.best_epoch, result.best_accuracy, result.test.accuracy, losses
    document = json.dumps(document_of(result))
    db.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, document, name))
    epochs = [(run_id, e.epoch, e.loss, e.accuracy, e.seconds) for e in result.epochs]
    db.executemany("INSERT INTO epochs VALUES (?, ?, ?, ?, ?)", epochs)
    db.execute(
        "INSERT INTO verdicts VALUES (?, ?, ?, ?)", (run_id, "signature", "undertrained", json.dumps(verdict))
    )
    db.commit()
    db.close()
    return run_id
