"""What the theory reads from a network's grid, as the page embeds it: groups of classes and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data.examples import class_count, labels_of
from pconv.data.tasks import task_named
from pconv.errors import InputError
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.probes.reader import SignatureReader
from pconv.theory import BasePrediction

ARCHITECTURES = ("pconv", "mlp")
"""The networks that the page can compute."""


@dataclass(frozen=True)
class Reading:
    """The signature theory on the grids of a run.

    Parameters
    ----------
    config
        The configuration of the network.
    prediction
        What the theory predicts about its labels.

    Examples
    --------
    >>> reading = Reading.of(RunConfig(modulus=11, primes=8))
    >>> reading.leaves_group(np.array([3, 12, 12]), np.array([3, 2, 3])).tolist()
    [False, False, True]
    """

    config: RunConfig
    prediction: BasePrediction

    @classmethod
    def of(cls, config: RunConfig) -> Reading:
        """The reading of a run; an `InputError` if the page cannot compute it or no theory applies."""
        if config.architecture not in ARCHITECTURES:
            raise InputError("architecture", config.architecture, _allowed(ARCHITECTURES))
        if config.representation != RunConfig.representation:
            raise InputError("representation", config.representation, _allowed([RunConfig.representation]))
        if not task_named(config.task).of_residue:
            raise InputError("task", config.task, "cannot be shown live: it is no function of n mod m")
        prediction = predict_run(config)
        if isinstance(prediction, NotApplicable):
            raise InputError("task", config.task, f"cannot be shown live: {prediction.reason}")
        return cls(config, prediction)

    @cached_property
    def reader(self) -> SignatureReader:
        return SignatureReader(self.config.modulus, self.config.offsets, self.config.primes)

    @cached_property
    def labels(self) -> IntArray:
        """The label of each class modulo m: the class itself, unless the run has another task."""
        return labels_of(self.config, np.arange(self.config.modulus))

    @cached_property
    def _allowed(self) -> NDArray[np.bool_]:
        """Which labels the classes of each group have: (groups, labels)."""
        groups = self.reader.labels
        found = np.zeros((int(groups.max()) + 1, class_count(self.config)), dtype=bool)
        found[groups, self.labels] = True
        return found

    def leaves_group(self, numbers: IntArray, answers: IntArray) -> NDArray[np.bool_]:
        """Which answers are the label of no class that looks like the number.

        Parameters
        ----------
        numbers, answers
            The numbers, and the network's answer to each.
        """
        groups = self.reader.labels[numbers % self.config.modulus]
        return np.asarray(~self._allowed[groups, answers])


def _allowed(names: Sequence[str]) -> str:
    return f"cannot be shown live; must be one of: {', '.join(names)}"
