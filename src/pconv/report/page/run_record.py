"""What the page embeds of one run: a document that its scripts draw from."""

from __future__ import annotations

from typing import Any

from pconv.evaluate.assessment import NothingBeyond
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.evaluate.verdict import Verdict
from pconv.probes.report import ProbeReport
from pconv.report.figures.confusion import AnswerSet, answer_sets, run_confusion
from pconv.report.figures.losses import loss_curve
from pconv.report.names import window_name
from pconv.report.values import finite
from pconv.store.rows import sparse
from pconv.store.run import JudgedRun

_PARTS: dict[str, tuple[str, ...]] = {
    "separated": ("holds", "worst_class", "worst_rate", "low", "high", "leaked"),
    "attained": ("holds", "accuracy", "ceiling", "low", "high"),
    "nothing_beyond": ("holds", "known", "low", "high"),
    "loss": ("holds", "loss", "floor", "tolerance", "low", "high"),
}
"""The figures of each part of a verdict, in the order that the page expects."""


def run_document(run: JudgedRun) -> dict[str, Any]:
    """The document of a run, as JSON values."""
    result, config = run.result, run.config
    confusion, curve = run_confusion(run), loss_curve(run)
    prediction = predict_run(config)
    return {
        "id": result.run_id,
        "m": config.modulus,
        "config": config.to_dict(),
        "window": window_name(config.offsets).replace("$", ""),
        "kinds": "".join(kind[0] for kind in confusion.kinds),
        "labels": confusion.labels,
        "epochs": [
            [finite(e.loss), e.accuracy, round(e.seconds, 2), finite(e.held_out_loss)] for e in result.epochs
        ],
        "best_epoch": result.best_epoch,
        "loss_epoch": result.loss_epoch,
        "accuracy": result.best_accuracy,
        "test_accuracy": result.test.accuracy,
        "census_accuracy": result.census.accuracy if result.census else None,
        "answers": list(map(_answers, answer_sets(result))),
        "losses": curve.losses,
        "width": curve.width,
        "floor": curve.floor,
        "verdicts": {name: verdict_record(verdict) for name, verdict in run.verdicts.items()},
        "silence": prediction.reason if isinstance(prediction, NotApplicable) else None,
        "probe": _probe(run.probe),
        "environment": {
            "engine": result.environment.engine,
            "device": result.environment.device,
            "threads": result.environment.threads,
            **result.environment.versions,
        },
    }


def _answers(answered: AnswerSet) -> list[Any]:
    return [answered.numbers, answered.epoch, sparse(answered.answers.confusion)]


def verdict_record(verdict: Verdict) -> list[Any]:
    """The status of a verdict, its conclusion in words, and its four parts."""
    return [str(verdict.status), verdict.conclusion, _parts(verdict)]


def _parts(verdict: Verdict) -> dict[str, Any]:
    found = verdict.assessment
    return {
        "size": found.size,
        "complete": found.complete,
        "tolerance": verdict.settings.tolerance,
        "training": finite(verdict.training_loss),
        **{
            part: [_short(getattr(getattr(found, part), name)) for name in names]
            for part, names in _PARTS.items()
        },
        "strongest": _strongest(found.nothing_beyond),
    }


def _strongest(beyond: NothingBeyond) -> list[Any] | None:
    """The group in which the network knows most, if the part 'nothing beyond' fails."""
    group = beyond.strongest
    if beyond.holds != "no" or group is None:
        return None
    figures = group.correct, group.expected, group.effect, group.low
    return [list(group.classes), *map(_short, figures)]


def _short(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _probe(report: ProbeReport | None) -> dict[str, Any] | None:
    """The findings and maps of a probe; values that are not finite become None."""
    if report is None:
        return None
    maps = [
        {**heat, "values": [[finite(v) for v in row] for row in heat["values"]]}
        for heat in (heat.to_dict() for heat in report.maps)
    ]
    findings = [[f.what, f.predicted, f.observed, f.agrees, f.n] for f in report.findings]
    return {"findings": findings, "maps": maps}
