"""The theories: the three that ship, and those that users add.

A theory is a function from a question to partitions for coprime moduli whose product is m, or None where it
does not apply. In a program it is added with the decorator `register`::

    @register("parity", claim="only the parity of n is ever seen")
    def parity(question):
        return [Listed(c % 2 for c in range(question.modulus))]

An installed package makes its theory known to every command through an entry point::

    [project.entry-points."pconv.theories"]
    parity = "my_package:parity"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pconv.data.factorization import PrimePower
from pconv.data.primes import IntArray
from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.registry import Registry
from pconv.theory import signature
from pconv.theory.laws import observation_4_count, observation_4_labels, observation_4_sizes
from pconv.theory.partition import Discrete, Partition
from pconv.theory.prediction import Prediction
from pconv.theory.problem import Problem

Partitioner = Callable[[Problem], Sequence[Partition] | None]


@dataclass(frozen=True)
class Theory:
    """A name, a claim in one line, and the function from a question to partitions."""

    name: str
    claim: str
    partition: Partitioner

    def predict(self, problem: Problem) -> Prediction | None:
        """What the theory says; None where it does not apply."""
        parts = self.partition(problem)
        return None if parts is None else Prediction(self.name, problem, tuple(parts))


_theories = Registry("theory", Theory, "pconv.theories")


def register(name: str, claim: str) -> Callable[[Partitioner], Theory]:
    """Add a theory: decorate the function from a question to partitions. Every comparison picks it up."""

    def add(partition: Partitioner) -> Theory:
        return _theories.add(Theory(name, claim, partition))

    return add


def theories() -> Mapping[str, Theory]:
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
    """What the signature theory says; an error where columns show what it does not speak of.

    >>> predict(16, range(3)).ceiling
    Fraction(5, 8)
    """
    problem = Problem(modulus, offsets, primes, cap, shows)
    if problem.shows is ColumnContent.OTHER:
        raise InputError("shows", shows, "is nothing that the signature theory speaks of")
    return Prediction("signature", problem, signature.parts(problem))


@register("signature", claim="classes are mixed iff their columns agree at every prime of m, row by row")
def _signature(problem: Problem) -> Sequence[Partition] | None:
    """It speaks of exponents and of residues modulo the primes, and of nothing else."""
    return None if problem.shows is ColumnContent.OTHER else signature.parts(problem)


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


@register("paper", claim="Experimental Observations 1-4; unsolved components combine as a product")
def _paper(problem: Problem) -> Sequence[Partition] | None:
    """The paper speaks of n and its B successors, every prime of m a column, exponents shown as they are."""
    if problem.shows is not ColumnContent.VALUATIONS:
        return None
    complete = all(problem.levels(factor) == factor.exponent for factor in problem.factors)
    if problem.successors is None or not complete:
        return None
    return [_Observation4(factor, problem.successors) for factor in problem.factors]


@register("grid", claim="whoever reads the whole grid knows n, so every class is identified")
def _grid(problem: Problem) -> Sequence[Partition] | None:
    """Without a single column there is no grid to read."""
    return None if problem.primes == frozenset() else [Discrete(problem.modulus)]
