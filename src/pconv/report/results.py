"""What figures of runs show, as small records: figures of runs and verdicts, and nothing new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

from pconv.config import PLUGIN_FIELDS, RunConfig
from pconv.evaluate.verdict import forecast
from pconv.models.registry import architecture_of
from pconv.report.records import FREE, ConfusionFigure, confusion_figure, window_name
from pconv.result import Evaluation, RunResult
from pconv.store.run import Document, JudgedRun
from pconv.theory import theory_named

PaperCell = tuple[tuple[int, ...], tuple[int, ...], int]
"""Offsets, kernel and modulus: what a cell of the paper's tables is found by."""


def run_title(config: RunConfig) -> str:
    """A run as a figure names it."""
    return ", ".join(name_parts(config).values())


def name_parts(config: RunConfig) -> dict[str, str]:
    """What a run is named by, field by field."""
    kinds = {name: getattr(config, name) for name in PLUGIN_FIELDS}
    named = {name: kind for name, kind in kinds.items() if kind != getattr(RunConfig, name)}
    kernel = {"kernel": f"$k={_listed(config.kernel)}$"} if _convolves(config) else {}
    return {**named, "modulus": f"$m={config.modulus}$", "offsets": window_name(config.offsets), **kernel}


def _convolves(config: RunConfig) -> bool:
    """Whether kernel and channels mean anything."""
    return architecture_of(config).convolves


@dataclass(frozen=True)
class AnswerSet:
    """A set of numbers that a run's network was asked, and the answers."""

    numbers: str  # in words
    epoch: int  # whose weights were asked; 0: not known
    answers: Evaluation


def answer_sets(result: RunResult) -> tuple[AnswerSet, ...]:
    """What a run's network was asked: first what verdicts rest on, then the test numbers by epoch.

    Verdicts rest on the census, or on the test numbers where there is none.
    """
    numbers = f"{result.test.size:,} test numbers"
    test = AnswerSet(numbers, result.best_epoch, result.test)
    kept = [AnswerSet(numbers, s.epoch, s.test) for s in result.snapshots if s.epoch != result.best_epoch]
    census = result.census
    if census is None:
        return (replace(test, numbers=f"{numbers}, no census"), *sorted(kept, key=_epoch))
    return (AnswerSet(census.scope, census.epoch, census.answers), *sorted([test, *kept], key=_epoch))


def _epoch(asked: AnswerSet) -> int:
    return asked.epoch


def run_confusion(run: JudgedRun) -> ConfusionFigure:
    """The run's answers to all unseen numbers, or to the test numbers, in the predicted pattern."""
    config, asked = run.config, answer_sets(run.result)[0]
    title = f"{run_title(config)}\n{asked.numbers}"
    prediction = forecast(config, theory_named("signature"))
    if prediction is None:  # every cell is free
        classes = len(asked.answers.confusion)
        return ConfusionFigure(title, (FREE,) * classes, (0,) * classes, asked.answers.confusion)
    return confusion_figure(prediction, asked.answers, title)


def assessed(run: JudgedRun) -> Document | None:
    """What the verdict on the signature theory rests on, where the run has one."""
    return run.verdict.get("assessment") if run.verdict else None


@dataclass(frozen=True)
class Cell:
    """The runs of one cell of a table; the figures are those of the least seed."""

    accuracy: float  # of the best epoch, on the validation numbers, as the paper measures it
    test_accuracy: float
    census_accuracy: float | None  # on all unseen numbers; None: not recorded
    paper: float | None
    ceiling: float | None
    status: str
    run_ids: tuple[str, ...]  # by seed


@dataclass(frozen=True)
class Column:
    window: str
    kernel: str


@dataclass(frozen=True)
class TableFigure:
    """Rows are moduli, columns windows and kernels, as in the paper's tables."""

    setting: str
    moduli: tuple[int, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def table_figures(runs: Iterable[JudgedRun], paper: Mapping[PaperCell, float]) -> tuple[TableFigure, ...]:
    """A table for each setting: all of a configuration but m, window, kernel and seed."""
    settings: dict[str, list[JudgedRun]] = {}
    for run in runs:
        settings.setdefault(setting_name(run.config), []).append(run)
    return tuple(_table(name, members, paper) for name, members in sorted(settings.items()))


def setting_name(config: RunConfig) -> str:
    """What a table has in common.

    >>> setting_name(RunConfig(modulus=11, seed=3))
    'N=32, C=4, r=400, s=256, t=10'
    >>> setting_name(RunConfig(modulus=2, channels=(8, 16), limit=500_000))
    'N=32, C=8,16, r=400, s=256, t=10, limit=500000'
    >>> setting_name(RunConfig(modulus=2, architecture="mlp"))
    'N=32, r=400, s=256, t=10, architecture=mlp'
    """
    return ", ".join(setting_parts(config).values())


def setting_parts(config: RunConfig) -> dict[str, str]:
    """The setting field by field; fields without a letter only where they are not at their default."""
    letters = {"primes": "N", "channels": "C", "batches": "r", "batch_size": "s", "epochs": "t"}
    shown = [name for name in letters if name != "channels" or _convolves(config)]
    found = {name: f"{letters[name]}={_listed(getattr(config, name))}" for name in shown}
    cell = {"modulus", "offsets", "kernel", "seed", "early_stop"}
    for other in fields(config):
        value = getattr(config, other.name)
        if other.name not in {*letters, *cell} and value != other.default:
            found[other.name] = f"{other.name}={value}"
    return found


def _table(setting: str, runs: Sequence[JudgedRun], paper: Mapping[PaperCell, float]) -> TableFigure:
    found: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[JudgedRun]] = {}
    for run in sorted(runs, key=lambda run: (run.config.seed, run.result.run_id)):
        config = run.config
        found.setdefault((config.modulus, config.offsets, config.kernel), []).append(run)
    moduli = tuple(sorted({modulus for modulus, _, _ in found}))
    columns = sorted({(len(o), o, kernel) for _, o, kernel in found})
    return TableFigure(
        setting,
        moduli,
        tuple(
            Column(window_name(offsets), _listed(kernel) if _convolves(runs[0].config) else "–")
            for _, offsets, kernel in columns
        ),
        tuple(
            tuple(
                _cell(found.get((m, offsets, kernel)), paper.get((offsets, kernel, m)))
                for _, offsets, kernel in columns
            )
            for m in moduli
        ),
    )


def _cell(runs: Sequence[JudgedRun] | None, paper: float | None) -> Cell | None:
    if not runs:
        return None
    first, found = runs[0], assessed(runs[0])
    census = first.result.census
    return Cell(
        first.result.best_accuracy,
        first.result.test.accuracy,
        census.accuracy if census else None,
        paper if _trained_as_the_paper(first.config) else None,
        found["attained"]["ceiling"] if found else None,
        first.status,
        tuple(run.result.run_id for run in runs),
    )


def _trained_as_the_paper(config: RunConfig) -> bool:
    """Whether the paper's figure may be compared with the run's; columns of other primes change nothing."""
    same = ("channels", "batches", "batch_size", "epochs", "limit", "smooth", *PLUGIN_FIELDS)
    return all(getattr(config, name) == getattr(RunConfig, name) for name in same)


def _plain(config: RunConfig) -> bool:
    """Whether the run has a place on the map, which is of exponents and residues."""
    return all(getattr(config, name) == getattr(RunConfig, name) for name in ("representation", "task"))


def marks(runs: Iterable[JudgedRun]) -> list[tuple[int, int, str]]:
    """The places of runs on a map of all (m, B), with their verdicts."""
    return [
        (run.config.modulus, run.config.rows - 1, run.status)
        for run in runs
        if run.config.offsets == tuple(range(run.config.rows)) and _plain(run.config)
    ]


def finite(value: float | None) -> float | None:
    """Rounded to four digits; None for what is not a finite number."""
    return None if value is None or not isfinite(value) else round(value, 4)


def _listed(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
