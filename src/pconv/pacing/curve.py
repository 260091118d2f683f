"""The excess loss of a training as a function of steps: a log-logistic curve.

The excess is (loss - floor) / (ln m - floor): 1 for a network that guesses, 0 at the theory's floor. After s
steps it is 1 / (1 + (s / half)^sharpness). The loss stays at ln m while s is well below `half` (a plateau,
the longer the larger the sharpness) and ends in a power of s.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray
from scipy.special import hyp2f1

FloatArray = NDArray[np.float64]
LOG_SHARPNESS = (0.0, 3.5)
"""The range of the logarithm of the sharpness: from a loss that ends as 1 / steps to one that falls so fast
that the means of epochs do not show it."""


@dataclass(frozen=True)
class Curve:
    """A log-logistic curve.

    Parameters
    ----------
    log_half
        The logarithm of the steps after which the excess is 1/2.
    log_sharpness
        The logarithm of the exponent.

    Examples
    --------
    >>> from math import log
    >>> curve = Curve(log(200), log(2))
    >>> round(float(curve.excess(200)), 3), round(float(curve.excess(600)), 3), round(curve.steps_to(0.1))
    (0.5, 0.1, 600)
    """

    log_half: float
    log_sharpness: float

    @property
    def half(self) -> float:
        """The steps after which the excess is 1/2."""
        return exp(self.log_half)

    @property
    def sharpness(self) -> float:
        return exp(self.log_sharpness)

    def excess(self, steps: float | FloatArray) -> FloatArray:
        """The excess after so many steps."""
        return np.asarray(1 / (1 + (np.asarray(steps, dtype=float) / self.half) ** self.sharpness))

    def mean_excess(self, batches: int, epochs: int) -> FloatArray:
        """The mean excess of each epoch.

        >>> curve = Curve(5.0, 0.5)
        >>> summed = curve.excess(np.arange(300) + 0.5).mean()
        >>> bool(np.isclose(curve.mean_excess(300, 1)[0], summed, rtol=1e-4))
        True
        """
        s = np.arange(epochs + 1) * (batches / self.half)
        area = s * hyp2f1(1, 1 / self.sharpness, 1 + 1 / self.sharpness, -(s**self.sharpness))
        return np.asarray(np.diff(area) * self.half / batches)

    def steps_to(self, share: float) -> float:
        """The steps after which the excess is this share, between 0 and 1."""
        return exp(self.log_steps_to(share))

    def log_steps_to(self, share: float) -> float:
        """The logarithm of the steps after which the excess is this share."""
        return self.log_half + float(np.log(1 / share - 1)) / self.sharpness
