"""What figures of runs show, as small records: what runs and verdicts say, and nothing new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

from pconv.arithmetic.domain import Domain
from pconv.config import KINDS, RunConfig
from pconv.lab.rows import means, sparse
from pconv.lab.source import Document, Run
from pconv.report.records import FREE, ConfusionFigure, confusion_figure, window_name
from pconv.theory import theory_named
from pconv.verify.verdict import forecast, silence

PaperCell = tuple[tuple[int, ...], tuple[int, ...], int]
"""Offsets, kernel and modulus: what a cell of the paper's tables is found by."""


def run_title(config: RunConfig) -> str:
    """A run as a figure names it."""
    named = [getattr(config, name) for name in KINDS if getattr(config, name) != getattr(RunConfig, name)]
    kernel = [f"$k={_listed(config.kernel)}$"] if _convolves(config) else []
    return ", ".join([*named, f"$m={config.modulus}$", window_name(config.offsets), *kernel])


def _convolves(config: RunConfig) -> bool:
    """Whether kernel and channels mean anything."""
    return config.architecture == RunConfig.architecture


def run_confusion(run: Run) -> ConfusionFigure:
    """The run's answers on its test set, in the predicted pattern."""
    config, test = run.config, run.result.test
    says = forecast(config, theory_named("signature"))
    if says is None:  # every cell is free
        classes = len(test.confusion)
        return ConfusionFigure(run_title(config), (FREE,) * classes, (0,) * classes, test.confusion)
    return confusion_figure(says, test, run_title(config))


@dataclass(frozen=True)
class Curve:
    """The training loss of a run, averaged over `width` steps at a time."""

    label: str
    width: int
    losses: tuple[float | None, ...]  # None: not a finite number
    floor: float | None  # the least loss of a reader of the groups; None where no theory applies


@dataclass(frozen=True)
class LossFigure:
    """Loss curves side by side."""

    title: str
    curves: tuple[Curve, ...]


def loss_curve(run: Run, points: int = 200) -> Curve:
    """The loss of every step, thinned to about so many points."""
    losses = run.result.losses
    width = max(1, -(-len(losses) // points))
    thinned = tuple(map(_finite, means(losses, width)))
    label = f"$k={_listed(run.config.kernel)}$"
    return Curve(label, width * run.result.loss_width, thinned, loss_floor(run.config))


def loss_floor(config: RunConfig) -> float | None:
    """The signature theory's loss floor on the numbers of a run, in nats; None where it does not apply.

    Where there are fewer numbers than classes it is that on equally likely classes.

    >>> loss_floor(RunConfig(modulus=11)), loss_floor(RunConfig(modulus=7))
    (0.1232, 0.0)
    """
    says = forecast(config, theory_named("signature"))
    if says is None:
        return None
    exact = says.exact_loss_floor(Domain.of(config))
    return _finite(says.loss_floor if exact is None else exact)


def loss_figure(runs: Sequence[Run]) -> LossFigure:
    """The curves of runs side by side, as in the paper's figure."""
    first = runs[0].config
    title = f"$m={first.modulus}$, {window_name(first.offsets)}"
    return LossFigure(title, tuple(map(loss_curve, runs)))


def kernel_studies(runs: Iterable[Run]) -> tuple[tuple[Run, ...], ...]:
    """The runs that differ in nothing but the kernel, by kernel; curves need runs that did not stop early."""
    found: dict[RunConfig, list[Run]] = {}
    for run in runs:
        if not run.config.early_stop:
            found.setdefault(replace(run.config, kernel=(3,)), []).append(run)
    ordered = (sorted(members, key=lambda run: run.config.kernel) for members in found.values())
    return tuple(tuple(members) for members in ordered if len(members) > 1)


@dataclass(frozen=True)
class Cell:
    """The runs of one cell of a table; the figures are those of the least seed."""

    accuracy: float  # of the best epoch, on the validation numbers, as the paper measures it
    test_accuracy: float
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


def table_figures(runs: Iterable[Run], paper: Mapping[PaperCell, float]) -> tuple[TableFigure, ...]:
    """A table for each setting: all that a configuration says besides m, window, kernel and seed."""
    settings: dict[str, list[Run]] = {}
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
    letters = {"primes": "N", "channels": "C", "batches": "r", "batch_size": "s", "epochs": "t"}
    shown = [name for name in letters if name != "channels" or _convolves(config)]
    told = [f"{letters[name]}={_listed(getattr(config, name))}" for name in shown]
    cell = {"modulus", "offsets", "kernel", "seed", "early_stop"}
    for other in fields(config):
        value = getattr(config, other.name)
        if other.name not in {*letters, *cell} and value != other.default:
            told.append(f"{other.name}={value}")
    return ", ".join(told)


def _table(setting: str, runs: Sequence[Run], paper: Mapping[PaperCell, float]) -> TableFigure:
    found: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[Run]] = {}
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


def _cell(runs: Sequence[Run] | None, paper: float | None) -> Cell | None:
    if not runs:
        return None
    first = runs[0]
    return Cell(
        first.result.best_accuracy,
        first.result.test.accuracy,
        paper if _trained_as_the_paper(first.config) else None,
        first.verdict["test"]["ceiling"] if first.verdict else None,
        first.status,
        tuple(run.result.run_id for run in runs),
    )


def _trained_as_the_paper(config: RunConfig) -> bool:
    """Whether the paper's figure may stand beside the run's; columns of other primes change nothing."""
    same = ("channels", "batches", "batch_size", "epochs", "limit", "smooth", *KINDS)
    return all(getattr(config, name) == getattr(RunConfig, name) for name in same)


def _plain(config: RunConfig) -> bool:
    """Whether the map, which is of exponents and residues, speaks of the run."""
    return all(getattr(config, name) == getattr(RunConfig, name) for name in ("representation", "task"))


def marks(runs: Iterable[Run]) -> list[tuple[int, int, str]]:
    """Where runs stand on a map of all (m, B), with their verdicts."""
    return [
        (run.config.modulus, run.config.rows - 1, run.status)
        for run in runs
        if run.config.offsets == tuple(range(run.config.rows)) and _plain(run.config)
    ]


def run_document(run: Run) -> dict[str, Any]:
    """All that the page shows of a run."""
    result, config = run.result, run.config
    confusion, curve = run_confusion(run), loss_curve(run)
    return {
        "id": result.run_id,
        "m": config.modulus,
        "config": config.to_dict(),
        "window": window_name(config.offsets).replace("$", ""),
        "kinds": "".join(kind[0] for kind in confusion.kinds),
        "labels": confusion.labels,
        "epochs": [[_finite(e.loss), e.accuracy, round(e.seconds, 2)] for e in result.epochs],
        "best_epoch": result.best_epoch,
        "accuracy": result.best_accuracy,
        "test_accuracy": result.test.accuracy,
        "test": sparse(result.test.confusion),
        "losses": curve.losses,
        "width": curve.width,
        "floor": curve.floor,
        "verdicts": {name: _told(document) for name, document in run.verdicts.items()},
        "silence": silence(config),
        "probe": _probe(run.probe),
        "environment": {
            "engine": result.environment.engine,
            "device": result.environment.device,
            "threads": result.environment.threads,
            **result.environment.versions,
        },
    }


def _told(verdict: Document) -> list[str]:
    return [str(verdict["status"]), str(verdict.get("sentence", ""))]


def _probe(document: Document | None) -> dict[str, Any] | None:
    """The findings and maps of a probe, values as the page can show them."""
    if document is None:
        return None
    maps = [
        {**heat, "values": [[_finite(v) for v in row] for row in heat["values"]]} for heat in document["maps"]
    ]
    shown = ("what", "predicted", "observed", "agrees", "n")
    findings = [[finding[name] for name in shown] for finding in document["findings"]]
    return {"findings": findings, "maps": maps}


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else round(value, 4)


def _listed(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
