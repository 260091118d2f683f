"""What the page embeds of one run: a document that its scripts draw from."""

from __future__ import annotations

from typing import Any

from pconv.evaluate.sentence import CONCLUSIONS, remembered
from pconv.evaluate.verdict import Memory, silence
from pconv.report.figures.confusion import AnswerSet, answer_sets, run_confusion
from pconv.report.figures.losses import loss_curve
from pconv.report.names import window_name
from pconv.report.values import finite
from pconv.store.rows import sparse
from pconv.store.run import Document, JudgedRun

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
        "verdicts": {name: verdict_record(document) for name, document in run.verdicts.items()},
        "silence": silence(config),
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


def verdict_record(verdict: Document) -> list[Any]:
    """The status of a verdict, its reason as a sentence, and its four parts if the document has them."""
    status, parts = str(verdict["status"]), _parts(verdict)
    if parts is None or status not in CONCLUSIONS:
        return [status, str(verdict.get("sentence", "")), parts]
    memory = verdict["memory"]
    return [status, CONCLUSIONS[status] + remembered(Memory(**memory) if memory else None), parts]


def _parts(verdict: Document) -> dict[str, Any] | None:
    found = verdict.get("assessment")
    if not found:
        return None
    return {
        "size": found["size"],
        "complete": found["complete"],
        "tolerance": verdict["tolerance"],
        "training": finite(verdict["training_loss"]),
        **{part: [_short(found[part].get(name)) for name in names] for part, names in _PARTS.items()},
        "strongest": _strongest(found["nothing_beyond"]),
    }


def _strongest(beyond: Document) -> list[Any] | None:
    """The group in which the network knows most, if the part 'nothing beyond' fails."""
    if beyond["holds"] != "no" or not beyond["groups"]:
        return None
    group = max(beyond["groups"], key=lambda each: (each["low"], each["effect"]))
    figures = (group[name] for name in ("correct", "expected", "effect", "low"))
    return [list(group["classes"]), *map(_short, figures)]


def _short(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _probe(document: Document | None) -> dict[str, Any] | None:
    """The findings and maps of a probe; values that are not finite become None."""
    if document is None:
        return None
    maps = [
        {**heat, "values": [[finite(v) for v in row] for row in heat["values"]]} for heat in document["maps"]
    ]
    shown = ("what", "predicted", "observed", "agrees", "n")
    findings = [[finding[name] for name in shown] for finding in document["findings"]]
    return {"findings": findings, "maps": maps}
