"""Loss curves of runs: in training, held out, and the floor that the theory predicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from matplotlib.figure import Figure

from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.errors import InputError
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.report.figures.options import RUN_HELP, Option, Source
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.load import chosen_runs
from pconv.report.names import columns_name, name_parts, setting_parts
from pconv.report.palette import CURVES, GREY
from pconv.report.values import assessed, finite
from pconv.store.rows import means
from pconv.store.run import JudgedRun, RunSource
from pconv.studies.catalog import study
from pconv.studies.directory import opened


@dataclass(frozen=True)
class Curve:
    """The losses of a run: in training, as means over `width` steps, and held out."""

    label: str
    width: int
    losses: tuple[float | None, ...]  # None: not a finite number
    floor: float | None  # the least loss that the theory allows; None where none applies
    held_out: tuple[tuple[int, float | None], ...] = ()  # (step, held-out loss after it)
    chosen: int | None = None  # the step of the lowest held-out loss


@dataclass(frozen=True)
class LossFigure:
    """Loss curves side by side."""

    title: str
    curves: tuple[Curve, ...]


def loss_curve(run: JudgedRun, points: int = 200, label: str = "") -> Curve:
    """The training loss by step and the held-out loss by epoch.

    Parameters
    ----------
    run
        The run.
    points
        About how many points the training loss is reduced to, by means over consecutive steps.
    label
        The name of the curve; the kernel if not given.
    """
    result, batches = run.result, run.config.batches
    width = max(1, -(-len(result.losses) // points))
    held_out = tuple(
        (epoch.epoch * batches, finite(epoch.held_out_loss))
        for epoch in result.epochs
        if epoch.held_out_loss is not None
    )
    return Curve(
        label or name_parts(run.config).get("kernel", ""),
        width * result.loss_width,
        tuple(map(finite, means(result.losses, width))),
        _floor(run),
        held_out,
        result.loss_epoch and result.loss_epoch * batches,
    )


def _floor(run: JudgedRun) -> float | None:
    """The floor that the run's verdict used, or that of its domain."""
    found = assessed(run)
    return finite(found.loss.floor) if found else loss_floor(run.config)


def loss_floor(config: RunConfig) -> float | None:
    """The signature theory's loss floor on the numbers of a run, in nats; None where it does not apply.

    With fewer numbers than classes it is computed for equally likely classes.

    >>> loss_floor(RunConfig(modulus=11)), loss_floor(RunConfig(modulus=7))
    (0.1232, 0.0)
    """
    prediction = predict_run(config)
    if isinstance(prediction, NotApplicable):
        return None
    exact = prediction.exact_loss_floor(Domain.of(config))
    return finite(prediction.loss_floor if exact is None else exact)


def loss_figure(runs: Sequence[JudgedRun]) -> LossFigure:
    """The loss curves of runs side by side, as in the paper's figure.

    The title has what the runs share, the label of a curve what differs.
    """
    title, labels = _names([run.config for run in runs])
    return LossFigure(
        title, tuple(loss_curve(run, label=label) for run, label in zip(runs, labels, strict=True))
    )


def _names(configs: Sequence[RunConfig]) -> tuple[str, list[str]]:
    named = [name_parts(config) for config in configs]
    everything = [
        {**name, **setting_parts(config), **name, **_manner(config)}
        for name, config in zip(named, configs, strict=True)
    ]
    differ = {name for each in everything for name in each if len({e.get(name) for e in everything}) > 1}
    if len(configs) == 1:
        differ = {"kernel"}
    title = ", ".join(text for name, text in named[0].items() if name not in differ)
    labels = [", ".join(text for name, text in e.items() if text and name in differ) for e in everything]
    return title, labels


def _manner(config: RunConfig) -> dict[str, str]:
    return {"early_stop": "" if config.early_stop else "no early stop", "seed": f"seed {config.seed}"}


def kernel_studies(runs: Iterable[JudgedRun]) -> tuple[tuple[JudgedRun, ...], ...]:
    """Groups of runs without early stop that differ in the kernel alone, each sorted by kernel."""
    found: dict[RunConfig, list[JudgedRun]] = {}
    for run in runs:
        if not run.config.early_stop:
            found.setdefault(replace(run.config, kernel=RunConfig.kernel), []).append(run)
    ordered = (sorted(members, key=lambda run: run.config.kernel) for members in found.values())
    return tuple(tuple(members) for members in ordered if len(members) > 1)


def paper_losses(source: RunSource, preset: str) -> LossFigure:
    """The paper's loss figure: three kernels at m=7, B=8; a curve without a run has no losses.

    Parameters
    ----------
    source
        A store or a directory of results.
    preset
        "quick" or "paper".
    """
    configs = study("losses", preset).configs()
    title, labels = _names(configs)
    runs = [source.run(config.run_id) for config in configs]
    curves = (
        loss_curve(run, label=label) if run else Curve(label, 1, (), loss_floor(config))
        for config, run, label in zip(configs, runs, labels, strict=True)
    )
    return LossFigure(f"{title}, {columns_name(preset)}", tuple(curves))


LossRuns = Annotated[
    list[str] | None,
    Option(f"{RUN_HELP} The kernel study of the store if not given.", "RUN", positional=True),
]


def from_options(
    runs: LossRuns = None,
    preset: Annotated[
        str | None,
        Option("The paper's loss figure at this size: quick or paper.", "NAME"),
    ] = None,
    source: Source = None,
    *,
    store: Path,
) -> LossFigure:
    """Loss curves side by side: of the runs given, or of the store's kernel study."""
    if preset and not runs:
        with opened(source or store) as kept:
            return paper_losses(kept, preset)
    found = chosen_runs(runs, source or store)
    studies = [found] if runs else kernel_studies(found)
    if not studies:
        raise InputError("store", store, "holds no kernel study (`pconv reproduce losses` makes one)")
    return loss_figure(studies[0])


def draw_losses(record: LossFigure) -> Figure:
    """A panel per run, on one scale: training loss, held-out loss, and the floor where there is one."""
    count = len(record.curves)
    figure = Figure(figsize=(max(3.2, 2.3 * count), 2.2), layout="constrained")
    panels: Any = figure.subplots(1, count, sharey=True, squeeze=False)[0]
    for i, (axes, curve) in enumerate(zip(panels, record.curves, strict=True)):
        _draw_curve(axes, curve)
        name = f"({'abcdefghijklmnopqrstuvwxyz'[i % 26]}) {curve.label}" if count > 1 else curve.label
        axes.set(xlabel="step", title=name)
        axes.title.set_fontsize(9)
    top = panels[0].get_ylim()[1] if any(curve.losses for curve in record.curves) else 1.0
    # After drawing, because the panels share the scale; below 0, so that a floor of 0 is not on the axis.
    panels[0].set(ylabel="loss", ylim=(-0.04 * top, top))
    for axes, curve in zip(panels, record.curves, strict=True):
        if axes is panels[0] or (curve.held_out and not record.curves[0].held_out):
            axes.legend(frameon=False, fontsize=7.5)
    figure.suptitle(record.title, fontsize=10)
    return figure


def _draw_curve(axes: Any, curve: Curve) -> None:
    if not curve.losses:
        axes.text(0.5, 0.5, "not computed yet", transform=axes.transAxes, ha="center", color=GREY)
        axes.set(xticks=[])
    steps = [curve.width * (k + 0.5) for k in range(len(curve.losses))]
    axes.plot(steps, _drawn(curve.losses), color=CURVES[0], linewidth=1, label="training loss")
    if curve.held_out:
        after, losses = zip(*curve.held_out, strict=True)
        look = {"color": CURVES[2], "linewidth": 1, "marker": "o", "markersize": 2}
        axes.plot(after, _drawn(losses), **look, label="held-out loss")
        lowest = [point for point in curve.held_out if point[0] == curve.chosen]
        ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.8, "zorder": 3}
        axes.scatter(
            [step for step, _ in lowest],
            _drawn([loss for _, loss in lowest]),
            s=22,
            **ring,
            label="lowest held-out loss",
        )
    if curve.floor is not None:
        dashes = (0, (4, 3))
        axes.axhline(curve.floor, color=CURVES[1], linewidth=0.9, linestyle=dashes, label="loss floor")


def _drawn(losses: Sequence[float | None]) -> list[float]:
    return [float("nan") if loss is None else loss for loss in losses]


FIGURES.add(FigureSpec("losses", from_options, draw_losses))
