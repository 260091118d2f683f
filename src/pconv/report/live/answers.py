"""A network's answers for the page: its confusion, the numbers on which it errs, and whether half precision
keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.examples import class_count
from pconv.engines.base import Engine
from pconv.engines.census import Answers, Progress, ask
from pconv.engines.registry import AUTO, make_engine
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import PconvError
from pconv.models.weights import NOT_FINITE
from pconv.report.live.reading import Reading
from pconv.result import Evaluation

EXAMPLES = 60
"""The most numbers of each kind of error that the page has."""


@dataclass(frozen=True)
class Wrong:
    """Numbers with wrong answers: how many there are, and some of them from the whole range."""

    count: int
    examples: tuple[int, ...]

    @classmethod
    def of(cls, numbers: IntArray) -> Wrong:
        """
        >>> Wrong.of(np.arange(100, 400)).examples[:3]
        (100, 105, 110)
        """
        step = max(1, -(-len(numbers) // EXAMPLES))
        return cls(len(numbers), tuple(numbers[::step].tolist()))

    def to_dict(self) -> dict[str, Any]:
        return {"count": self.count, "examples": list(self.examples)}


@dataclass(frozen=True)
class LiveCensus:
    """The answers to every number of a domain, and those that are wrong.

    Parameters
    ----------
    scope
        The numbers in words.
    answers
        The confusion matrix.
    inside
        Wrong answers that the theory allows: another class of the group.
    outside
        Answers outside the group.
    """

    scope: str
    answers: Evaluation
    inside: Wrong
    outside: Wrong

    def to_dict(self) -> dict[str, Any]:
        """As the page embeds it."""
        return {
            "scope": self.scope,
            "inside": self.inside.to_dict(),
            "outside": self.outside.to_dict(),
        }


def census_of(reading: Reading, numbers: IntArray, answers: Answers, scope: str) -> LiveCensus:
    """The record of answers.

    Parameters
    ----------
    reading
        The theory's reading, which says which errors are inside the group.
    numbers, answers
        The numbers, and the answers to them.
    scope
        The numbers in words.
    """
    outside = reading.leaves_group(numbers, answers.answers)
    inside = (answers.answers != answers.labels) & ~outside
    return LiveCensus(
        scope,
        answers.evaluation(class_count(reading.config)),
        Wrong.of(numbers[inside]),
        Wrong.of(numbers[outside]),
    )


class Asker:
    """Asks the networks of one configuration, with whatever weights.

    Parameters
    ----------
    config
        The configuration.
    engine
        The engine's name.
    """

    def __init__(self, config: RunConfig, engine: str = AUTO) -> None:
        self.config = config
        self._threads = default_threads(config)
        self._engine: Engine = make_engine(config, engine, threads=self._threads)

    def ask(
        self, weights: Mapping[str, Tensor], numbers: IntArray, on_progress: Progress | None = None
    ) -> Answers:
        """The answers of a network with these weights.

        Parameters
        ----------
        weights
            Under PyTorch's names.
        numbers
            The numbers.
        on_progress
            Called after each chunk.
        """
        self._engine.load_weights(weights)
        with torch_threads(self._threads):
            answers = ask(self.config, self._engine, numbers, on_progress)
        if not np.isfinite(answers.losses).all():
            raise PconvError(NOT_FINITE)
        return answers


def changed(first: Answers, second: Answers) -> int:
    """How many answers differ."""
    different: NDArray[np.bool_] = first.answers != second.answers
    return int(different.sum())
