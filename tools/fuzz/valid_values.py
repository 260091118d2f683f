"""Values that commands accept, so small that the work with them takes milliseconds."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tools.fuzz.template import CERTIFICATE, GRID, PROBE, RESULTS, ROWS, RUN, STORE, WEIGHTS

SIZES = frozenset(
    (
        "modulus",
        "successors",
        "primes",
        "kernel",
        "batches",
        "batch_size",
        "epochs",
        "limit",
        "test_size",
        "max_modulus",
    )
)
"""The options that are always given, because the work depends on them."""

SAFEGUARDS: Mapping[str, Sequence[str]] = {
    "sweep": ("--dry-run",),
    "reproduce": ("--from", RESULTS),
    "bench": ("--check-device",),
    "discover": ("--from", RESULTS),
    "board": ("--networks", ".", "--method", "columns-of-m", "--windows", "2"),
}
"""What is added to the commands that have no small sizes, except for one case in 500; those are interrupted
after some seconds and counted as long."""

SLOW: Mapping[str, float] = {
    **{"bench": 0.03, "convert": 0.2, "probe": 0.2, "results": 0.1, "figure map": 0.05, "figure table": 0.3},
    **{"figure losses": 0.3, "figure scatter": 0.3, "figure confusions": 0.3, "figure confusion": 0.3},
    **{
        "board": 0.03,
        "report": 0.15,
        "certify": 0.5,
        "discover": 0.2,
        "figure laws": 0.1,
        "figure architecture": 0.3,
        "figure window": 0.3,
        "reproduce": 0.5,
        "verify": 0.5,
    },
}
"""How often a command is chosen, relative to others; those that take a tenth of a second are chosen less."""

_VALUES: Mapping[str, Sequence[object]] = {
    "modulus": (2, 3, 4, 6, 7, 9, 11, 16, 25, 30),
    "successors": (0, 1, 2, 3, 4),
    "offsets": ("0:3", "-1,0,2", "0,5", "3:6"),
    "primes": (2, 4, 8),
    "kernel": (3, 5, "3,5"),
    "channels": (1, 4, "2,3"),
    "batches": (1, 2),
    "batch_size": (1, 4),
    "epochs": (1, 2),
    "limit": (12_000, 13_000, 500),
    "test_size": (1, 20),
    "smooth": (0, 10, 5_000),
    "seed": (0, 1, 2**63 - 1),
    "learning_rate": (0.001, 0.1, 10),
    "weight_decay": (0, 0.1),
    "preset": ("quick", "paper"),
    "engine": ("auto", "dense", "sparse"),
    "device": ("cpu", "meta", "cuda", "cpu:1", "mps"),
    "snapshots": ("1", "all", "1,2"),
    "tolerance": (0.01, 0.5),
    "level": (0.01, 0.5),
    "confidence": (0.5, 0.95),
    "jobs": (1, 2),
    "retries": (0, 1),
    "scheduler": ("nowhere", "http://x", "tcp://", "tcp://x:y", "tls://[::1"),
    "max_modulus": (2, 12, 20),
    "max_groups": (0, 5, 100_000),
    "max_hours": (0.001, 1),
    "seeds": (1, 2),
    "number": (1, 7, 123_456, 10**18),
    "residue": (0, 1, 2),
    "size": ("quick",),
    "theories": ("signature,paper", "grid,signature"),
    "spec": (GRID,),
    "store": (STORE, STORE, "new.db"),
    "results": (RESULTS,),
    "directory": (RESULTS, STORE),
    "sources": (RESULTS, ROWS, STORE),
    "save": ("new.safetensors", WEIGHTS),
    "figure": ("new.png", "new.svg"),
    "images": ("pictures",),
    "networks": (".", RESULTS),
    "methods": ("columns-of-m", "large-exponents"),
    "windows": (1, 2),
    "export": ("new-board",),
}
_OF_COMMANDS: Mapping[tuple[str, str], Sequence[object]] = {
    ("crucial", "successors"): ("2:5", "1,3", "0"),
    ("evaluate", "numbers"): ("unseen", "all"),
    ("probe", "numbers"): (100, 200),
    ("report", "probes"): (PROBE,),
    ("report", "documents"): (CERTIFICATE,),
    ("report", "output"): ("new.html", "folder/new.htm"),
    ("results", "output"): ("new.md",),
    ("export", "output"): ("new.csv", "new.jsonl", "exported", RESULTS),
    ("convert", "output"): ("new.pt2", "new.onnx"),
    ("compile", "output"): ("new.safetensors", "folder/new.safetensors"),
    ("compile", "modulus"): (2, 3, 4, 6, 7, 9, 11, 16, 25, 30, 1024),
    ("certify", "output"): ("new.json", CERTIFICATE),
    ("certify", "check"): (CERTIFICATE,),
    ("certify", "budget"): (1, 1_000),
    ("certify", "samples"): (1, 100),
    ("certify", "width"): (0.001, 0.1, 1),
    ("pace", "fit"): (RESULTS, STORE),
    ("pace", "law"): (CERTIFICATE,),
    ("pace", "output"): ("new.json",),
    ("discover", "task"): ("residue", "divisibility"),
    ("discover", "architecture"): ("pconv",),
    ("discover", "formula"): ("gcd(n+o, m)", "tuple(n % m)", "(n + o) // rad(m)"),
    ("discover", "max_size"): (1, 2, 3),
    ("discover", "budget"): ("1s", "0.5m"),
    ("discover", "register"): ("found",),
    ("board", "output"): ("new.json",),
}
"""Where an option means something else in one command."""


def valid_value(rng: random.Random, command: str, name: str, kind: type) -> str:
    """A value that a command accepts for an option of this name.

    Parameters
    ----------
    rng
        The source of random numbers.
    command, name
        The command and the option; an option that is new to this list gets a value of its type.
    kind
        The type.
    """
    known = _OF_COMMANDS.get((command, name)) or _VALUES.get(name) or _registered().get(name)
    if known:
        return str(rng.choice(known))
    if name in ("source", "run", "runs", "numbers", "networks"):
        return _run_or_number(rng, name)
    if name == "output":
        return rng.choice(("new.svg", "new.png", "new.pdf", "new.tex", "new.md"))
    plain: Mapping[type, Sequence[object]] = {int: (1, 2, 5), float: (0.1, 0.5), Path: ("new.txt", RESULTS)}
    return str(rng.choice(plain.get(kind, ("x",))))


def _run_or_number(rng: random.Random, name: str) -> str:
    if name == "numbers":
        return str(rng.choice((1, 7, 11_999, 10**12)))
    run = rng.choice(run_ids())
    weights = [WEIGHTS, f"{run}@1"]
    files = {"source": weights, "networks": weights, "runs": [RUN, ROWS]}.get(name, [])
    return rng.choice([run, run[:5], *files])


@cache
def run_ids() -> tuple[str, ...]:
    """The runs of the template, whose flags determine their ids."""
    from pconv.config import RunConfig

    same = RunConfig(
        modulus=3,
        offsets=(0, 1),
        primes=4,
        kernel=(3,),
        batches=2,
        batch_size=4,
        epochs=2,
        test_size=20,
        limit=12_000,
        early_stop=False,
    )
    return tuple(replace(same, seed=seed).run_id for seed in (0, 1, 3))


@cache
def _registered() -> Mapping[str, tuple[str, ...]]:
    """The names in pconv's registries, by the option that takes them."""
    from pconv.data.representations import representations
    from pconv.data.tasks import tasks
    from pconv.models.registry import architectures
    from pconv.probes.registry import probes
    from pconv.studies.catalog import STUDIES
    from pconv.theory.registry import theories

    return {
        "architecture": tuple(architectures()),
        "representation": tuple(representations()),
        "task": tuple(tasks()),
        "theory": tuple(theories()),
        "study": tuple(STUDIES),
        "probes": tuple(probes()),
    }
