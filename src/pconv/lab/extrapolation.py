"""A trained network on numbers far past those it was trained on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

SIZE = 2_000
"""Numbers drawn from each range."""
EXPONENTS = (7, 9, 12, 15, 18)
"""The ranges end at these powers of ten and begin a power lower. Classes are equally likely there."""


@dataclass(frozen=True)
class Beyond:
    """The accuracy on numbers between two powers of ten."""

    low: int
    high: int
    size: int
    right: int
    ceiling: float

    @property
    def accuracy(self) -> float:
        return self.right / self.size

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "accuracy": self.accuracy}


def beyond(weights: Path) -> Iterator[Beyond]:
    """How the network does in each range, on numbers that its run's seed draws."""
    from pconv.learn.weights import Model
    from pconv.theory.registry import predict

    model = Model.load(weights)
    config = model.config
    ceiling = float(predict(config.modulus, config.offsets, config.primes).ceiling)
    for exponent in EXPONENTS:
        low, high = 10 ** (exponent - 1), 10**exponent
        raw = np.random.PCG64([config.seed, exponent]).random_raw(SIZE)
        numbers = [low + int(word) % (high - low) for word in raw]
        answers = model.probabilities(numbers).argmax(axis=1)
        right = int((answers == np.array(numbers) % config.modulus).sum())
        yield Beyond(low, high, SIZE, right, ceiling)
