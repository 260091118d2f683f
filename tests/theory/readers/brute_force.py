"""Plain references: evidence by factoring every number, Bayes accuracy by counting in dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from math import gcd, log, prod

from sympy import factorint

from pconv.config import RunConfig
from pconv.data.domain import Domain
from pconv.data.primes import first_primes


@cache
def factors(n: int) -> dict[int, int]:
    return {int(p): int(e) for p, e in factorint(n).items()}


def moebius(n: int) -> int:
    return 0 if any(e > 1 for e in factors(n).values()) else (-1) ** len(factors(n))


def _least(n: int, m: int) -> int:
    named = first_primes(m - 1).tolist()
    least = min(factors(n), default=0)
    return named.index(least) if least in named else m - 1


LABELS: dict[str, Callable[[int, int], int]] = {
    "residue": lambda n, m: n % m,
    "omega": lambda n, m: sum(factors(n).values()) % m,
    "omega-distinct": lambda n, m: min(len(factors(n)), m - 1),
    "primality": lambda n, m: int(list(factors(n).values()) == [1]),
    "mobius": lambda n, m: moebius(n) + 1,
    "squarefree": lambda n, m: abs(moebius(n)),
    "liouville": lambda n, m: sum(factors(n).values()) % 2,
    "smoothness": lambda n, m: int(max(factors(n), default=1) <= m),
    "least-factor": _least,
    "divisors": lambda n, m: min(prod(e + 1 for e in factors(n).values()), m) - 1,
}
"""The label of every task that ships and needs no residue classes beyond n modulo m itself."""


def shown_row(number: int, config: RunConfig) -> tuple[int, ...]:
    """What a row shows, as the representation describes it."""
    primes = first_primes(config.primes).tolist()
    if config.representation == "residues":
        return tuple(number % p for p in primes)
    if config.representation == "binary":
        return tuple(number >> i & 1 for i in range(config.primes))
    cap = 1 if config.representation == "capped" else number
    return tuple(min(factors(number).get(p, 0), cap) for p in primes)


def grid(n: int, config: RunConfig) -> Hashable:
    return tuple(shown_row(n + offset, config) for offset in config.offsets)


def local(n: int, config: RunConfig) -> Hashable:
    """For exponents: the function of the visible part of n; of residues, the gcds of the law."""
    if config.task == "residue":
        visible = prod(p**e for p, e in factors(config.modulus).items() if p in first_primes(config.primes))
        return tuple(gcd(n + offset, visible) for offset in config.offsets)
    part = prod(p**e for p, e in factors(n).items() if p in first_primes(config.primes))
    if config.task == "primality":
        return min(2, sum(factors(part).values()))
    return LABELS[config.task](part, config.modulus)


def bayes(evidence: Sequence[Hashable], labels: Sequence[int]) -> tuple[float, float]:
    """Accuracy and cross-entropy of the best reader of the evidence."""
    table: dict[Hashable, Counter[int]] = defaultdict(Counter)
    for seen, label in zip(evidence, labels, strict=True):
        table[seen][label] += 1
    correct = sum(max(counts.values()) for counts in table.values())
    nats = sum(c * log(counts.total() / c) for counts in table.values() for c in counts.values())
    return correct / len(labels), nats / len(labels)


def numbers_of(config: RunConfig) -> list[int]:
    lowest = min(0, config.offsets[0])
    allowed = set(first_primes(config.smooth).tolist()) if config.smooth else None
    return [
        n for n in range(1 - lowest, config.limit) if allowed is None or all(p in allowed for p in factors(n))
    ]


def same_partition(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


def domain_matches(config: RunConfig) -> bool:
    return bool(Domain.of(config).members.tolist() == numbers_of(config))
