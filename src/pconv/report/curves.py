"""Loss curves of runs: in training, held out, and the floor that the theory sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.report.results import assessed, finite, name_parts, setting_parts
from pconv.store.rows import means
from pconv.store.run import JudgedRun


@dataclass(frozen=True)
class Curve:
    """The losses of a run: in training, averaged over `width` steps at a time, and held out."""

    label: str
    width: int
    losses: tuple[float | None, ...]  # None: not a finite number
    floor: float | None  # the least loss of a reader of the groups; None where no theory applies
    held_out: tuple[tuple[int, float | None], ...] = ()  # a step, and the held-out loss after it
    chosen: int | None = None  # the step of the lowest held-out loss


@dataclass(frozen=True)
class LossFigure:
    """Loss curves side by side."""

    title: str
    curves: tuple[Curve, ...]


def loss_curve(run: JudgedRun, points: int = 200, label: str = "") -> Curve:
    """The loss of every step, thinned to about so many points, and the held-out loss of every epoch."""
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
    """The floor that the run was judged by, or that of its domain."""
    found = assessed(run)
    return finite(found.loss.floor) if found else loss_floor(run.config)


def loss_floor(config: RunConfig) -> float | None:
    """The signature theory's loss floor on the numbers of a run, in nats; None where it does not apply.

    Where there are fewer numbers than classes it is that on equally likely classes.

    >>> loss_floor(RunConfig(modulus=11)), loss_floor(RunConfig(modulus=7))
    (0.1232, 0.0)
    """
    prediction = predict_run(config)
    if isinstance(prediction, NotApplicable):
        return None
    exact = prediction.exact_loss_floor(Domain.of(config))
    return finite(prediction.loss_floor if exact is None else exact)


def loss_figure(runs: Sequence[JudgedRun]) -> LossFigure:
    """The curves of runs side by side, as in the paper's figure.

    The title names what the runs have in common, the label of a curve what sets its run apart.
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
    """The runs that differ in nothing but the kernel, by kernel; curves need runs that did not stop early."""
    found: dict[RunConfig, list[JudgedRun]] = {}
    for run in runs:
        if not run.config.early_stop:
            found.setdefault(replace(run.config, kernel=RunConfig.kernel), []).append(run)
    ordered = (sorted(members, key=lambda run: run.config.kernel) for members in found.values())
    return tuple(tuple(members) for members in ordered if len(members) > 1)
