"""What one training gave: the record of a run, and JSON both ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from pconv.config import RunConfig
from pconv.errors import InputError

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Epoch:
    """One pass over the training batches; epochs count from 1."""

    epoch: int
    loss: float  # mean over the epoch's steps
    accuracy: float  # on the validation numbers, after the epoch
    seconds: float


@dataclass(frozen=True)
class Evaluation:
    """Answers against truth: confusion[i][j] counts numbers of class i that were called j."""

    confusion: Matrix

    @property
    def size(self) -> int:
        return sum(map(sum, self.confusion))

    @property
    def right(self) -> int:
        return sum(row[i] for i, row in enumerate(self.confusion))

    @property
    def accuracy(self) -> float:
        return self.right / self.size

    @property
    def largest_class(self) -> float:
        """The accuracy of always naming the most frequent class."""
        return max(map(sum, self.confusion)) / self.size

    def to_dict(self) -> dict[str, Any]:
        confusion = [list(row) for row in self.confusion]
        return {"size": self.size, "accuracy": self.accuracy, "confusion": confusion}

    @classmethod
    def from_lists(cls, confusion: list[list[int]]) -> Self:
        return cls(tuple(tuple(map(int, row)) for row in confusion))


@dataclass(frozen=True)
class Environment:
    """How a run was computed. It may change the rounding, never the mathematics."""

    engine: str
    device: str
    threads: int
    versions: Mapping[str, str]


@dataclass(frozen=True)
class RunResult:
    """A finished run. The test set is judged at the best epoch's weights, and no choice is made on it."""

    config: RunConfig
    losses: tuple[float, ...]  # of every step, before the step; or means over `loss_width` steps
    epochs: tuple[Epoch, ...]
    best_epoch: int
    validation: Evaluation  # at the best epoch
    test: Evaluation
    gap: Evaluation | None  # the test numbers whose windows share no number with a training window
    environment: Environment
    loss_width: int = 1  # more where a result was told in short

    @property
    def run_id(self) -> str:
        return self.config.run_id

    @property
    def best_accuracy(self) -> float:
        return self.validation.accuracy

    def to_dict(self) -> dict[str, Any]:
        """The document that `pconv train --json` prints."""
        return {
            "run_id": self.run_id,
            "config": self.config.to_dict(),
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "best_epoch": self.best_epoch,
            "best_accuracy": self.best_accuracy,
            "confusion": [list(row) for row in self.validation.confusion],
            "test": self.test.to_dict(),
            "gap": self.gap.to_dict() if self.gap else None,
            "losses": list(self.losses),
            "loss_width": self.loss_width,
            "environment": asdict(self.environment),
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
                gap=Evaluation.from_lists(data["gap"]["confusion"]) if data["gap"] else None,
                environment=Environment(**data["environment"]),
                loss_width=data.get("loss_width", 1),
            )
        except (KeyError, TypeError) as error:
            raise InputError("result", "document", f"is not a run's result ({error!r})") from None
        if data.get("run_id", result.run_id) != result.run_id:
            raise InputError("result", data["run_id"], f"its configuration is that of run {result.run_id}")
        return result

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError("result", "document", f"is not JSON ({error})") from None
        return cls.from_dict(data)
