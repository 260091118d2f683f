"""Documents of other commands on the page: certificates, discovered laws, predicted paces, boards.

Each kind is recognised by its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

from pconv._field_types import check_field_types
from pconv._json import read_json
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.report.names import window_name

_SHOWN = 10
"""The most laws of a search that are shown."""


@dataclass(frozen=True)
class CertificateRecord:
    """A certificate of `pconv certify`: between which bounds the density of right answers is."""

    network: str
    proved: bool
    confidence: float | None
    low: float
    high: float
    ceiling: float
    grids: int
    wrong_grids: int
    unsure_grids: int


@dataclass(frozen=True)
class LawRecord:
    """A law of `pconv discover`, and how many of the runs it explains."""

    formula: str
    size: int
    explained: int
    of: int


@dataclass(frozen=True)
class LawsRecord:
    """The laws of one search, the best first; `found` is the one that saves enough bits, if any."""

    runs: int
    found: str | None
    laws: tuple[LawRecord, ...]


@dataclass(frozen=True)
class PaceRecord:
    """The epochs that `pconv pace` predicts for a run, with an interval and its level."""

    network: str
    epochs: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class MethodRecord:
    """An attribution method on the board of `pconv board`: its score with an interval, if there is one."""

    name: str
    cheat: bool
    score: float
    low: float | None
    high: float | None
    pointing: float
    mass: float
    rank: float


@dataclass(frozen=True)
class BoardRecord:
    """A board, the best method first."""

    level: float
    networks: int
    methods: tuple[MethodRecord, ...]


Record = CertificateRecord | LawsRecord | PaceRecord | BoardRecord


def read_documents(paths: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """The documents of these files, by kind: `certificates`, `laws`, `pace` and `board`.

    An `InputError` names the first file that is none of these.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for path in paths:
        kind, record = _read(path)
        found.setdefault(kind, []).append(asdict(record))
    return found


def _read(path: Path) -> tuple[str, Record]:
    commands = "`pconv certify`, `discover`, `pace` or `board`"
    refused = InputError("document", path, f"is not what {commands} writes with --json")
    data = read_json(path, "document")
    for kind, (needed, build) in _KINDS.items():
        if isinstance(data, dict) and needed <= set(data):
            try:
                return kind, _checked(build(data))
            except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, InputError):
                raise refused from None
    raise refused


def _checked(record: Record) -> Record:
    """The record, if its fields have their types and its figures are possible; else an exception."""
    check_field_types(record)
    for part in (record, *(record.methods if isinstance(record, BoardRecord) else ())):
        _check_figures(asdict(part))
    return record


def _check_figures(figures: Mapping[str, Any]) -> None:
    """Raise an exception unless all floats are finite, both bounds are there or neither is and they are in
    order, and a level is a share. Only scores and their bounds may be negative."""
    numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    low, high = (figures.get(name) for name in ("low", "high"))
    if not all(map(isfinite, numbers.values())) or (low is None) != (high is None):
        raise ValueError("a figure is no number")
    if low is not None and not low <= high:
        raise ValueError("the bounds are not in order")
    if not all(0 < numbers[name] < 1 for name in ("level", "confidence") if name in numbers):
        raise ValueError("a level is not a share")
    if "score" not in figures and min(numbers.values(), default=0) < 0:
        raise ValueError("a figure is negative")


def _certificate(data: Mapping[str, Any]) -> CertificateRecord:
    return CertificateRecord(
        _network(data["config"]),
        data["kind"] == "enumerated",
        data["confidence"],
        data["low"],
        data["high"],
        float(Fraction(*map(int, data["ceiling_fraction"].split("/")))),  # "1e999999999" would never end
        data["grids"],
        data["wrong_grids"],
        data["unsure_grids"],
    )


def _laws(data: Mapping[str, Any]) -> LawsRecord:
    names = ("formula", "size", "explained", "of")
    laws = tuple(LawRecord(*(law[name] for name in names)) for law in data["laws"][:_SHOWN])
    return LawsRecord(data["runs"], data["found"], laws)


def _pace(data: Mapping[str, Any]) -> PaceRecord:
    return PaceRecord(_network(data["config"]), data["epochs"], data["low"], data["high"], data["level"])


def _board(data: Mapping[str, Any]) -> BoardRecord:
    names = [field.name for field in fields(MethodRecord)]
    methods = tuple(MethodRecord(*(method[name] for name in names)) for method in data["methods"])
    return BoardRecord(data["level"], len(data["networks"]), methods)


def _network(given: Mapping[str, Any]) -> str:
    """The network of a document in words, as far as its configuration is given."""
    config = RunConfig.from_dict(dict(given))
    parts = [f"m={config.modulus}", window_name(config.offsets).replace("$", "")]
    if config.convolves:
        parts.append(f"k={','.join(map(str, config.kernel))}")
    if config.architecture != RunConfig.architecture:
        parts.append(config.architecture)
    return ", ".join([*parts, f"N={config.primes:,}"])


_KINDS: dict[str, tuple[set[str], Callable[[Mapping[str, Any]], Record]]] = {
    "certificates": ({"kind", "wrong_grids", "low", "high", "network"}, _certificate),
    "laws": ({"laws", "set_aside"}, _laws),
    "pace": ({"epochs", "low", "high", "level"}, _pace),
    "board": ({"methods", "networks", "level"}, _board),
}
