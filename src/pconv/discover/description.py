"""Description lengths: the bits of a law and its exceptions, against those of the observations alone.

Without a law, a partition costs the logarithm of the number of partitions into groups of the same sizes. With
a law, only its formula and its exceptions have to be described. If the classes of every run are renamed at
random (or, where only an accuracy is seen, if that is drawn at random), the probability that *any* formula
saves s bits is at most 2^-s, however many formulas are tried: by Kraft's inequality a code cannot be shorter
than the logarithm of a probability by s bits more often.
"""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from pconv.discover.formula import Formula, Variables

FOUND = 20.0
"""A law is reported as found if it saves this many bits: by chance less often than once in a million."""


def exception_bits(exceptions: NDArray[np.int64] | int, runs: int) -> NDArray[np.float64]:
    """The bits that say which of the runs are exceptions: their number, then their choice.

    >>> exception_bits(0, 7).item(), round(exception_bits(2, 7).item(), 2)
    (3.0, 7.39)
    """
    from scipy.special import gammaln

    count = np.asarray(exceptions, dtype=np.float64)
    choices = lgamma(runs + 1) - gammaln(count + 1) - gammaln(runs - count + 1)
    return np.asarray((log(runs + 1) + choices) / log(2))


def saved_bits(
    formula: Formula, variables: Variables, explained: NDArray[np.bool_], bits: NDArray[np.float64]
) -> float:
    """How much shorter the description of all runs is with a law than without one.

    Parameters
    ----------
    formula
        The law.
    variables
        The variables of its kind, which determine the bits of a symbol.
    explained
        Which of the runs it explains.
    bits
        What each run costs without a law.

    Examples
    --------
    >>> from pconv.discover.formula import CLASS_VARIABLES
    >>> saved_bits(Formula("n"), CLASS_VARIABLES, np.array([True] * 3), np.array([10.0] * 3)).__round__(1)
    23.3
    """
    exceptions = int(len(explained) - explained.sum())
    return float(
        bits[explained].sum() - formula.bits(variables) - exception_bits(exceptions, len(explained)).item()
    )
