"""The kinds of cases: each prepares the files of the current directory and names a command line."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.fuzz.command_lines import command_line
from tools.fuzz.damage_bytes import damage_bytes
from tools.fuzz.damage_documents import damage_document, write_document
from tools.fuzz.damage_stores import damage_store
from tools.fuzz.damage_sweeps import sweep_file
from tools.fuzz.damage_tensors import checkpoint_checksum, damage_tensors, weights_checksum
from tools.fuzz.template import (
    CERTIFICATE,
    CONTINUED,
    GRID,
    INTERRUPTED,
    PARTIAL,
    PROBE,
    PROBE_ROWS,
    RESULTS,
    ROWS,
    RUN,
    SIZES,
    STORE,
    WEIGHTS,
)
from tools.fuzz.valid_values import run_ids

WORK = frozenset(
    (
        *("train", "sweep", "reproduce", "evaluate", "probe", "verify", "convert", "bench", "crucial"),
        *("certify", "discover", "theory", "explain", "board"),
    )
)
"""The commands that train, measure or search, for hours if the command line says so."""

Prepare = Callable[[random.Random, Path], list[str]]
"""Damages files of the current directory and returns a command line; the path is a valid checkpoint's."""


@dataclass(frozen=True)
class Kind:
    """A kind of cases.

    Parameters
    ----------
    name
        Its name in the table.
    share
        Of all cases, in percent.
    prepare
        Makes a case.
    may_be_long
        The commands that may use up their budget of time, which is counted as long. The files of cases are
        small, so elsewhere it is a finding.
    """

    name: str
    share: float
    prepare: Prepare
    may_be_long: frozenset[str] = frozenset()


def _arguments(rng: random.Random, checkpoint: Path) -> list[str]:
    while not _stays_here(line := command_line(rng)):
        pass
    return line


def _stays_here(line: list[str]) -> bool:
    """Whether no word is a path that leads out of the directory: a command may write where it points to."""
    return not any(".." in word or re.search(r"^(--?[\w-]*=?)?[/~]", word) for word in line)


def _weights(rng: random.Random, checkpoint: Path) -> list[str]:
    path = Path(WEIGHTS)
    path.write_bytes(damage_tensors(rng, path.read_bytes(), weights_checksum, ("config",)))
    commands = {
        ("classify", WEIGHTS, "7", "11999"): 20,
        ("classify", WEIGHTS, "--json", str(10**15)): 20,
        ("evaluate", WEIGHTS): 8,
        ("evaluate", WEIGHTS, "--numbers=all", "--json"): 8,
        ("probe", WEIGHTS, "--numbers=100", "--json"): 1,
        ("convert", WEIGHTS, "-o", "new.pt2"): 0.5,
        ("certify", WEIGHTS, "--samples=100", "-o", "new.json"): 4,
        ("certify", WEIGHTS, "--check", CERTIFICATE): 4,
        ("report", "--live", WEIGHTS): 2,
        ("board", "--networks=.", "--method=columns-of-m", "--windows=1", "--seeds=1"): 1,
    }
    return _chosen(rng, commands)


def _checkpoints(rng: random.Random, checkpoint: Path) -> list[str]:
    run_id = run_ids()[-1]
    place = Path(STORE + ".d", "checkpoints", run_id)
    place.parent.mkdir()
    documents = (
        "epochs",
        "validation",
        "test",
        "gap",
        "snapshots",
        "best_epoch",
        "chosen_epoch",
        "environment",
    )
    place.write_bytes(damage_tensors(rng, checkpoint.read_bytes(), checkpoint_checksum, documents))
    commands = {
        ("train", *INTERRUPTED, "--json"): 1,
        ("runs",): 1,
        ("runs", "--json"): 1,
        ("show", run_id): 1,
        ("gc",): 0.5,
    }
    return _chosen(rng, commands)


def _sweeps(rng: random.Random, checkpoint: Path) -> list[str]:
    path = Path(GRID)
    path.write_bytes(sweep_file(rng, path.read_bytes()))
    return ["sweep", GRID, "--dry-run", *rng.choice(((), ("--json",)))]


def _results(rng: random.Random, checkpoint: Path) -> list[str]:
    path = Path(PROBE_ROWS if rng.random() < 0.2 else ROWS)
    lines = path.read_text("utf-8").splitlines()
    if rng.random() < 0.3:
        path.write_bytes(damage_bytes(rng, path.read_bytes()))
    else:
        number = rng.randrange(len(lines))
        lines[number] = _damaged_json(rng, lines[number])
        path.write_text("\n".join(lines) + "\n", "utf-8", "surrogatepass")
    run_id = rng.choice(run_ids())
    commands = {
        ("report", "--from", RESULTS): 20,
        ("reproduce", "headline", "--from", RESULTS): 10,
        ("reproduce", "--from", RESULTS, "--json"): 1,
        ("export", "-o", RESULTS): 10,
        ("figure", "scatter", "--from", RESULTS, "-o", "new.svg"): 2,
        ("verify", run_id, "--from", RESULTS): 2,
        ("results", "--from", RESULTS): 0.5,
        ("discover", "--from", RESULTS, "--formula=gcd(n+o, m)", "--json"): 2,
    }
    return _chosen(rng, commands)


def _documents(rng: random.Random, checkpoint: Path) -> list[str]:
    """What `train --json`, `probe --json` and `certify` write, given to figures, page and checker, and
    what an interrupted `certify` leaves, to be continued."""
    path = Path(rng.choice((RUN, PROBE, PROBE, CERTIFICATE, PARTIAL)))  # figures take longer than the page
    if rng.random() < 0.2:
        path.write_bytes(damage_bytes(rng, path.read_bytes()))
    else:
        text = _damaged_json(rng, path.read_text("utf-8"), signed=path.name == CERTIFICATE)
        path.write_text(text, "utf-8", "surrogatepass")
    if path.name == PROBE:
        return ["report", "--probe", PROBE, "--store", STORE]
    if path.name == PARTIAL:
        return list(CONTINUED)
    if path.name == CERTIFICATE and rng.random() < 0.5:
        return ["report", "--document", CERTIFICATE]
    if path.name == CERTIFICATE:
        return ["certify", WEIGHTS, "--check", CERTIFICATE, *rng.choice(((), ("--json",)))]
    return ["figure", rng.choice(("losses", "confusion")), RUN, "-o", "new.svg"]


def _damaged_json(rng: random.Random, text: str, signed: bool = False) -> str:
    document = damage_document(rng, json.loads(text))
    if rng.random() < 0.8:
        _set_run_id(document)
        if signed:
            _set_checksum(document)
    return write_document(rng, document)


def _set_run_id(document: Any) -> None:
    """The id that belongs to the changed configuration, so that the other fields are read at all."""
    from pconv.config import RunConfig

    with suppress(LookupError, TypeError, ValueError, RecursionError):
        document["run_id"] = RunConfig.from_dict(document["config"]).run_id


def _set_checksum(document: Any) -> None:
    """The checksum that belongs to a changed certificate, so that the other fields are read at all."""
    from pconv.certification.document import document_checksum

    with suppress(AttributeError, TypeError, ValueError, RecursionError):
        if "checksum" in document:
            document["checksum"] = document_checksum(document)


def _stores(rng: random.Random, checkpoint: Path) -> list[str]:
    damage_store(rng)
    run_id = rng.choice(run_ids())
    commands = {
        ("runs",): 10,
        ("runs", "--json"): 10,
        ("show", run_id[:6]): 10,
        ("show", run_id, "--json"): 10,
        ("gc",): 10,
        ("export",): 5,
        ("export", "-o", "new.csv"): 5,
        ("export", "-o", "new"): 5,
        ("report",): 10,
        ("classify", run_id, "7"): 5,
        ("evaluate", run_id): 5,
        ("train", *SIZES, "--json"): 5,
        ("train", *SIZES, "--seed=1"): 2,
        ("verify", run_id): 2,
        ("sweep", GRID, "--dry-run"): 2,
        ("figure", "losses", "-o", "new.svg"): 1,
        ("results", "--from", STORE): 0.5,
    }
    return _chosen(rng, commands)


def _chosen(rng: random.Random, commands: Mapping[tuple[str, ...], float]) -> list[str]:
    """One of the command lines, each as often as its weight says."""
    return list(rng.choices(list(commands), list(commands.values()))[0])


KINDS = {
    kind.name: kind
    for kind in (
        Kind("arguments", 36, _arguments, may_be_long=WORK),
        Kind("weights", 18, _weights, may_be_long=frozenset(["report"])),  # a large domain
        Kind("checkpoints", 3, _checkpoints),
        Kind("sweeps", 15, _sweeps),
        Kind("results", 8, _results),
        Kind("documents", 6, _documents, may_be_long=frozenset(["certify"])),  # many grids to check
        Kind("stores", 14, _stores),
    )
}
