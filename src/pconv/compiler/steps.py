"""The group of n modulo a prime power as a sum of steps: the fewest exponents that have to be read.

By the splitting law (docs/theory.md, Theorem 1) a class x modulo p^(i-1) splits, at level i, into one group
for each class modulo p^i above it that contains -o for some row o, and one for the rest. So one threshold
"p^i divides n+o" for each of these classes suffices, and where all p of them are hit one fewer: S - 1
thresholds for S groups. Any function of the group is a constant plus a step at each threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pconv.theory.problem import Problem, row_name


class Value(NamedTuple):
    """A weighted sum of the exponents of a prime in the rows of a window.

    >>> print(Value(2, ((3, 1),)), Value(7, ((0, 2), (1, -1))), sep="; ")
    v_2(n+3); 2 v_7(n) - v_7(n+1)
    """

    prime: int
    weights: tuple[tuple[int, int], ...]  # (offset, weight)

    def of(self, exponents: Mapping[int, int]) -> int:
        """The sum for a window, from the exponents of the prime by offset."""
        return sum(weight * exponents[offset] for offset, weight in self.weights)

    def __str__(self) -> str:
        text = ""
        for offset, weight in self.weights:
            sign = (" - " if weight < 0 else " + ") if text else ("-" if weight < 0 else "")
            factor = "" if abs(weight) == 1 else f"{abs(weight)} "
            text += f"{sign}{factor}v_{self.prime}({row_name(offset)})"
        return text


class Step(NamedTuple):
    """That a value is at least `bound`, and the group index below and from this bound on."""

    value: Value
    bound: int
    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.value} >= {self.bound}"


@dataclass(frozen=True)
class PrimeCode:
    """A numbering of the groups modulo p^levels, from 0 in the order of their least classes.

    The number of a group is `start`, plus `after - before` for every step whose value reaches its bound. A
    code may give one number to several groups; the codes of a prime together distinguish all of them.

    Parameters
    ----------
    prime, levels
        The prime power p^levels.
    labels
        The number of the group of each class modulo p^levels.
    start
        The group where no value reaches a bound.
    steps
        The steps.
    """

    prime: int
    levels: int
    labels: tuple[int, ...]
    start: int
    steps: tuple[Step, ...]

    def read(self, exponents: Mapping[int, int]) -> int:
        """The number of the group of a window, from the exponents of the prime by offset."""
        return self.start + sum(
            step.after - step.before for step in self.steps if step.value.of(exponents) >= step.bound
        )

    @property
    def power(self) -> int:
        """p^levels."""
        return len(self.labels)

    @cached_property
    def count(self) -> int:
        """How many numbers there are."""
        return max(self.labels) + 1

    @property
    def bits(self) -> int:
        """The number of binary digits of a group's number."""
        return (self.count - 1).bit_length()


def prime_codes(problem: Problem) -> tuple[PrimeCode, ...]:
    """The codes of the prime powers of m whose primes are among the columns.

    >>> [(code.prime, code.levels, code.count) for code in prime_codes(Problem(12, range(9)))]
    [(2, 2, 4), (3, 1, 3)]
    """
    found = ((factor.prime, problem.levels(factor)) for factor in problem.factors)
    return tuple(prime_code(prime, levels, problem.offsets) for prime, levels in found if levels)


def prime_code(prime: int, levels: int, offsets: Sequence[int]) -> PrimeCode:
    """The groups modulo p^levels as a sum of steps.

    Parameters
    ----------
    prime, levels
        The prime power.
    offsets
        The rows of the window.

    Examples
    --------
    >>> code = prime_code(5, 1, range(3))
    >>> code.labels, [str(step) for step in code.steps]
    ((0, 1, 1, 2, 3), ['v_5(n) >= 1', 'v_5(n+1) >= 1', 'v_5(n+2) >= 1'])
    """
    chosen = list(_thresholds(prime, levels, offsets))

    def reached(number: int, up_to: int) -> frozenset[tuple[int, int]]:
        """The thresholds up to a level that a number reaches."""
        return frozenset((i, o) for i, o in chosen if i <= up_to and (number + o) % prime**i == 0)

    numbers: dict[frozenset[tuple[int, int]], int] = {}
    labels = tuple(numbers.setdefault(reached(c, levels), len(numbers)) for c in range(prime**levels))
    # The thresholds below level i that -o reaches are those of a group: see the proof of Theorem 9.
    steps = (
        Step(Value(prime, ((o, 1),)), i, numbers[reached(-o, i - 1)], numbers[reached(-o, i)])
        for i, o in chosen
    )
    return PrimeCode(prime, levels, labels, numbers[frozenset()], tuple(steps))


def _thresholds(prime: int, levels: int, offsets: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs (i, o): for each class modulo p^(i-1), the first row in each class modulo p^i above it; the last
    of these rows is left out where all p classes are hit."""
    for i in range(1, levels + 1):
        first: dict[int, dict[int, int]] = {}
        for o in offsets:
            first.setdefault(-o % prime ** (i - 1), {}).setdefault(-o % prime**i, o)
        for rows in first.values():
            yield from ((i, o) for o in list(rows.values())[: prime - 1])
