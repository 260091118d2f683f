"""The result of a run, and its conversion to and from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Self

from pconv import _notebook_html as html
from pconv._field_types import check_field_types
from pconv._text import shortened
from pconv.config import MAX_LIMIT, RunConfig
from pconv.errors import InputError

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Epoch:
    """One pass over the training batches; epochs count from 1."""

    epoch: int
    loss: float  # mean over the epoch's steps
    accuracy: float  # on the 512 validation numbers, after the epoch
    seconds: float
    held_out_loss: float | None = None  # on the selection sample, after the epoch; None: not recorded


@dataclass(frozen=True)
class Evaluation:
    """A confusion matrix: confusion[i][j] counts the numbers of class i that were answered with j."""

    confusion: Matrix

    @property
    def size(self) -> int:
        return sum(map(sum, self.confusion))

    @property
    def correct(self) -> int:
        return sum(row[i] for i, row in enumerate(self.confusion))

    @property
    def accuracy(self) -> float:
        return self.correct / self.size

    @property
    def majority_baseline(self) -> float:
        """The accuracy of always answering with the most frequent class."""
        return max(map(sum, self.confusion)) / self.size

    def _repr_html_(self) -> str:
        caption = f"Answered, {self.size:,} numbers (row: class, column: answer)"
        return html.confusion(caption, self.confusion, lambda i, j: html.IDENTIFIED if i == j else html.MIXED)

    def to_dict(self) -> dict[str, Any]:
        confusion = [list(row) for row in self.confusion]
        return {"size": self.size, "accuracy": self.accuracy, "confusion": confusion}

    @classmethod
    def from_lists(cls, confusion: list[list[int]]) -> Self:
        return cls(tuple(tuple(map(int, row)) for row in confusion))


NeighbourCounts = tuple[tuple[int, int], ...]
"""For each class the number of numbers and of correct answers."""


@dataclass(frozen=True)
class Census:
    """The network's answers to every number of the domain that it was not trained or selected on.

    Parameters
    ----------
    numbers
        `unseen`: all but the training, validation and selection numbers; `all`: the whole domain.
    epoch
        The epoch whose weights were evaluated.
    loss
        The mean cross-entropy over the numbers, in nats.
    answers
        The confusion matrix of all numbers.
    far
        The confusion matrix of the numbers whose windows share no number with a training window; None if
        there are none.
    neighbours
        Counts by class for four sets of numbers: neither n-1 nor n+1 was a training number, n-1 alone was,
        n+1 alone was, both were.
    """

    numbers: str
    epoch: int
    loss: float
    answers: Evaluation
    far: Evaluation | None
    neighbours: tuple[NeighbourCounts, ...]

    @property
    def size(self) -> int:
        return self.answers.size

    @property
    def accuracy(self) -> float:
        return self.answers.accuracy

    @property
    def scope(self) -> str:
        """The numbers in words."""
        which = "unseen numbers" if self.numbers == "unseen" else "numbers of the domain"
        return f"all {self.size:,} {which}"

    def _repr_html_(self) -> str:
        figures = f"accuracy {self.accuracy:.4f}, loss {self.loss:.4f} on {self.scope}"
        return html.title("Census") + html.paragraph(figures) + self.answers._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The `census` of a run's JSON document."""
        return {
            "numbers": self.numbers,
            "epoch": self.epoch,
            "loss": self.loss,
            **self.answers.to_dict(),
            "far": self.far.to_dict() if self.far else None,
            "neighbours": [[list(counts) for counts in table] for table in self.neighbours],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        return cls(
            numbers=str(data["numbers"]),
            epoch=int(data["epoch"]),
            loss=float(data["loss"]),
            answers=Evaluation.from_lists(data["confusion"]),
            far=Evaluation.from_lists(data["far"]["confusion"]) if data["far"] else None,
            neighbours=tuple(
                tuple((int(count), int(correct)) for count, correct in table) for table in data["neighbours"]
            ),
        )


@dataclass(frozen=True)
class Snapshot:
    """The answers to the test numbers with the weights of one requested epoch."""

    epoch: int
    test: Evaluation

    def to_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "test": self.test.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(int(data["epoch"]), Evaluation.from_lists(data["test"]["confusion"]))


@dataclass(frozen=True)
class Environment:
    """How a run was computed. This affects the rounding of the results, and nothing else."""

    engine: str
    device: str
    threads: int
    versions: Mapping[str, str]
    revision: int = 0  # of the engine; revisions round differently; 0: not recorded


@dataclass(frozen=True)
class RunResult:
    """A finished run.

    Two epochs are selected. `best_epoch` has the highest accuracy on 512 validation numbers: the paper's
    rule, and the weights of `validation`, `test` and `disjoint_test`. `loss_epoch` has the lowest
    cross-entropy on the selection sample (up to 10,000 held-out numbers): the weights of the census, on which
    verdicts are based.
    """

    config: RunConfig
    losses: tuple[float, ...]  # of every step, before the step; or means over `loss_width` steps
    epochs: tuple[Epoch, ...]
    best_epoch: int
    validation: Evaluation  # at the best epoch
    test: Evaluation  # at the best epoch, on numbers that no choice was made on
    disjoint_test: Evaluation | None  # the test numbers whose windows share no number with a training window
    environment: Environment
    loss_width: int = 1  # more where a result was shortened for export
    census: Census | None = None  # at the epoch `loss_epoch`; None: not recorded
    snapshots: tuple[Snapshot, ...] = ()

    @property
    def run_id(self) -> str:
        return self.config.run_id

    @property
    def best_accuracy(self) -> float:
        return self.validation.accuracy

    @property
    def loss_epoch(self) -> int | None:
        """The epoch of the lowest held-out loss, the first of equals; None: not recorded."""
        recorded = [(e.held_out_loss, e.epoch) for e in self.epochs if e.held_out_loss is not None]
        return min(recorded)[1] if recorded else None

    @property
    def extras(self) -> frozenset[str]:
        """What a result may have or lack: a census, and the snapshots of epochs."""
        census = {"census"} if self.census else set()
        return frozenset(census | {f"epoch {snapshot.epoch}" for snapshot in self.snapshots})

    def to_dict(self) -> dict[str, Any]:
        """The document that `pconv train --json` prints."""
        return {
            "run_id": self.run_id,
            "config": self.config.to_dict(),
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "best_epoch": self.best_epoch,
            "best_accuracy": self.best_accuracy,
            "loss_epoch": self.loss_epoch,
            "confusion": [list(row) for row in self.validation.confusion],
            "test": self.test.to_dict(),
            "gap": self.disjoint_test.to_dict() if self.disjoint_test else None,
            "losses": list(self.losses),
            "loss_width": self.loss_width,
            "environment": asdict(self.environment),
            "census": self.census.to_dict() if self.census else None,
            "snapshots": [snapshot.to_dict() for snapshot in self.snapshots],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; what is derived in the document is derived again."""
        try:
            result = cls(
                config=RunConfig.from_dict(data["config"]),
                losses=tuple(data["losses"]),
                epochs=tuple(Epoch(**epoch) for epoch in data["epochs"]),
                best_epoch=data["best_epoch"],
                validation=Evaluation.from_lists(data["confusion"]),
                test=Evaluation.from_lists(data["test"]["confusion"]),
                disjoint_test=Evaluation.from_lists(data["gap"]["confusion"]) if data["gap"] else None,
                environment=Environment(**data["environment"]),
                loss_width=data.get("loss_width", 1),
                census=Census.from_dict(data["census"]) if data.get("census") else None,
                snapshots=tuple(Snapshot.from_dict(snapshot) for snapshot in data.get("snapshots", ())),
            )
            check_figures(result)
        except InputError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            reason = shortened(repr(error), 200)
            raise InputError("result", "document", f"is not a run's result ({reason})") from None
        if data.get("run_id", result.run_id) != result.run_id:
            raise InputError("result", data["run_id"], f"its configuration is that of run {result.run_id}")
        return result

    def _repr_html_(self) -> str:
        config, last, census = self.config, self.epochs[-1], self.census
        found = f"{census.accuracy:.4f} of {census.scope}, loss {census.loss:.4f}" if census else "none"
        facts = {
            "task": f"{config.task} modulo {config.modulus}, {config.rows} rows, {config.primes} primes",
            "network": f"{config.architecture} on {config.representation}, seed {config.seed}",
            "trained": f"best epoch {self.best_epoch} of {last.epoch}, last loss {last.loss:.4f}",
            "validation": f"{self.best_accuracy:.4f} of {self.validation.size:,} numbers",
            "test": f"{self.test.accuracy:.4f} of {self.test.size:,} numbers no choice was made on",
            "census": found,
        }
        picture = (census.answers if census else self.test)._repr_html_()
        return html.title(f"Run {self.run_id}") + html.side_by_side(html.facts(facts), picture)


def check_figures(result: RunResult) -> None:
    """Raise `TypeError` or `ValueError` for figures that no run can have."""
    check_field_types(result)
    epochs = [epoch.epoch for epoch in result.epochs]
    if not 1 <= len(epochs) <= result.config.epochs or epochs != list(range(1, len(epochs) + 1)):
        raise ValueError(f"{len(epochs)} epochs of {result.config.epochs}")
    if not 1 <= result.best_epoch <= len(epochs) or result.loss_width < 1:
        raise ValueError(f"best epoch {result.best_epoch}, losses of {result.loss_width} steps")
    if not all(0 <= epoch.accuracy <= 1 and 0 <= epoch.seconds < float("inf") for epoch in result.epochs):
        raise ValueError("an accuracy or a time that is none")
    losses = [*result.losses, *(epoch.loss for epoch in result.epochs)]
    losses += [epoch.held_out_loss for epoch in result.epochs if epoch.held_out_loss is not None]
    losses += [result.census.loss] if result.census else []
    if not all(map(isfinite, losses)):
        raise ValueError("a loss that is not finite")
    if len(result.losses) > result.config.epochs * result.config.batches:
        raise ValueError(f"{len(result.losses)} losses")
    classes = len(result.test.confusion)
    census = [result.census.answers, result.census.far] if result.census else []
    snapshots = [snapshot.test for snapshot in result.snapshots]
    samples = [result.validation, result.test, result.disjoint_test]
    for evaluation in filter(None, (*samples, *census, *snapshots)):
        _check_confusion(evaluation.confusion, classes)


def _check_confusion(confusion: Matrix, classes: int) -> None:
    if len(confusion) != classes or any(len(row) != classes for row in confusion):
        raise ValueError(f"a confusion matrix that is none of {classes} classes")
    if any(min(row) < 0 or max(row) > MAX_LIMIT for row in confusion):
        raise ValueError("a confusion matrix with a number that is no count")
    if not any(map(any, confusion)):
        raise ValueError("an empty confusion matrix")
