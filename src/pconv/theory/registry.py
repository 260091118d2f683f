"""The theories: the three that are built in, and those that users add.

A theory is a function from a problem to partitions for coprime moduli whose product is m, or None where it
does not apply. A program adds one with the decorator `register_theory`::

    @register_theory("parity", claim="only the parity of n is ever seen")
    def parity(problem):
        return [Listed(c % 2 for c in range(problem.modulus))]

An installed package adds one through an entry point, and every command knows it::

    [project.entry-points."pconv.theories"]
    parity = "my_package:parity"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pconv._arrays import IntArray
from pconv.config import DEFAULT_THEORY
from pconv.data.factorization import PrimePower
from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.registry import Registry
from pconv.theory import signature
from pconv.theory.observations import observation_4_count, observation_4_labels, observation_4_sizes
from pconv.theory.partition import Discrete, Partition
from pconv.theory.prediction import Prediction
from pconv.theory.problem import Problem

Partitioner = Callable[[Problem], Sequence[Partition] | None]


@dataclass(frozen=True)
class Theory:
    """A name, a claim in one line, and the function from a problem to partitions."""

    name: str
    claim: str
    partition: Partitioner

    def predict(self, problem: Problem) -> Prediction | None:
        """The theory's prediction; None where it does not apply."""
        parts = self.partition(problem)
        return None if parts is None else Prediction(self.name, problem, tuple(parts))


_theories = Registry("theory", Theory, "pconv.theories")


def register_theory(name: str, claim: str) -> Callable[[Partitioner], Theory]:
    """Decorator that adds a theory, given as a function from a problem to partitions.

    Every comparison of theories includes it from then on.
    """

    def add(partition: Partitioner) -> Theory:
        return _theories.add(Theory(name, claim, partition))

    return add


def theories() -> Registry[Theory]:
    """All theories by name, the built-in ones first.

    >>> list(theories())[:3]
    ['signature', 'paper', 'grid']
    """
    return _theories


def theory_named(name: str) -> Theory:
    """The theory of this name."""
    return _theories.named(name)


def predict(
    modulus: int,
    offsets: Iterable[int],
    primes: int | Iterable[int] | None = None,
    cap: int | None = None,
    shows: ColumnContent = ColumnContent.VALUATIONS,
) -> Prediction:
    """The prediction of the signature theory; an error where it does not apply to the columns.

    Parameters
    ----------
    modulus
        The modulus m.
    offsets
        The rows of the window: n+o for each offset o.
    primes
        The primes that have a column, or how many of the first primes do; by default all.
    cap
        The largest exponent that a column shows; by default exponents are shown as they are.
    shows
        What a column shows of n+o.

    Examples
    --------
    >>> predict(16, range(3)).ceiling
    Fraction(5, 8)
    """
    problem = Problem(modulus, offsets, primes, cap, shows)
    if not problem.shows.of_primes:
        raise InputError("shows", shows, "the signature theory does not apply to it")
    return Prediction(DEFAULT_THEORY, problem, signature.parts(problem))


@register_theory(
    DEFAULT_THEORY, claim="classes are mixed iff their columns agree at every prime of m, row by row"
)
def _signature(problem: Problem) -> Sequence[Partition] | None:
    """Applies to columns of exponents and of residues modulo the primes."""
    return signature.parts(problem) if problem.shows.of_primes else None


@dataclass(frozen=True)
class _Observation4:
    """The paper's error pattern modulo one prime power; Observation 3 is its case a = 1."""

    factor: PrimePower
    successors: int

    @property
    def modulus(self) -> int:
        return self.factor.power

    @property
    def count(self) -> int:
        return observation_4_count(*self.factor, self.successors)

    def labels(self) -> IntArray:
        return observation_4_labels(*self.factor, self.successors)

    def sizes(self) -> Mapping[int, int]:
        return observation_4_sizes(*self.factor, self.successors)


@register_theory("paper", claim="Experimental Observations 1-4; unsolved components combine as a product")
def _paper(problem: Problem) -> Sequence[Partition] | None:
    """Applies to n and its B successors, if every prime of m has a column of exponents without a cap."""
    if problem.shows is not ColumnContent.VALUATIONS:
        return None
    complete = all(problem.levels(factor) == factor.exponent for factor in problem.factors)
    if problem.successors is None or not complete:
        return None
    return [_Observation4(factor, problem.successors) for factor in problem.factors]


@register_theory("grid", claim="whoever reads the whole grid knows n, so every class is identified")
def _grid(problem: Problem) -> Sequence[Partition] | None:
    """Applies where there is at least one column."""
    return None if problem.primes == frozenset() else [Discrete(problem.modulus)]
