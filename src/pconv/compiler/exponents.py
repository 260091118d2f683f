"""The columns of a prime that windows of numbers below 2^63 can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pconv.config import MAX_NUMBER
from pconv.theory.signature import valuation


def largest_exponent(prime: int) -> int:
    """The largest exponent of a prime in a number below 2^63.

    >>> largest_exponent(2), largest_exponent(7)
    (62, 22)
    """
    exponent, power = 0, prime
    while power <= MAX_NUMBER:
        exponent, power = exponent + 1, power * prime
    return exponent


def prime_columns(prime: int, offsets: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """The columns of exponents up to `most` that occur, each once or more.

    Let row s have the largest exponent, v > 0. Another row t differs from it by t - s, so its exponent is the
    smaller of v and that of t - s. No row may have a larger exponent than v: it would have a multiple of
    p^(v+1), which can be avoided unless the rows with exponent v fill all classes modulo p.

    Parameters
    ----------
    prime
        The prime.
    offsets
        The rows.
    most
        The largest exponent.

    Examples
    --------
    >>> sorted(set(prime_columns(3, [0, 1, 3], 2)))
    [(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 1), (1, 0, 2), (2, 0, 1)]
    """
    if len({o % prime for o in offsets}) < prime:
        yield (0,) * len(offsets)
    for s in offsets:
        for v in range(1, most + 1):
            exponents = tuple(valuation(t - s, prime, v) for t in offsets)
            classes = {(t - s) // prime**v % prime for t, e in zip(offsets, exponents, strict=True) if e == v}
            if len(classes) < prime:
                yield exponents
