"""The limit law of a function that splits over the primes: n drawn uniformly from the profinite integers.

The exponents of different primes are then independent, p^e exactly dividing n with probability
p^-e (1 - 1/p). So the state of the visible primes and that of the hidden ones are independent, and each is a
product of laws. Infinitely many hidden primes divide n, almost all with exponent 1; docs/readers.md proves
what their product converges to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import IntArray
from pconv.config import MAX_PRIMES
from pconv.data.primes import first_primes
from pconv.data.splitting import PrimeFactors, Splitting

Law = NDArray[np.float64]
_SINGLE = 1_000  # the smallest hidden primes are taken one by one, those from here on all at once
_NEGLIGIBLE = 1e-15  # probability of the exponents that are left out


@dataclass(frozen=True)
class LimitLaw:
    """The laws of states in the limit of all integers, for the first `columns` primes visible.

    >>> from pconv.data.arithmetic import SQUAREFREE
    >>> law = LimitLaw(SQUAREFREE, 4)  # 2, 3, 5 and 7 are visible
    >>> law.hidden.round(4).tolist()  # 6/pi^2 over (1 - 1/4)(1 - 1/9)(1 - 1/25)(1 - 1/49)
    [0.9697, 0.0303]
    """

    splitting: Splitting
    columns: int

    @cached_property
    def visible(self) -> Law:
        """The law of the state of the visible primes, shown without a cap."""
        law = self._start()
        for prime in first_primes(self.columns).tolist():
            law = self._times(law, prime, 1)
        return np.asarray(law / law.sum())

    @cached_property
    def hidden(self) -> Law:
        """The law of the state of the hidden primes."""
        law = self._prime_cycle()
        for prime in self._hidden_primes[: self._single].tolist():
            law = self._times(law, prime, 1 if prime < self.splitting.settled else 2)
        square = int(_exponent_law(self.splitting, self._settled, 2)[0][0])
        none = float(np.prod(1 - self._large**-2.0))  # no square of a large prime divides n
        law = law * none + np.bincount(self.splitting.table[:, square], law * (1 - none), minlength=len(law))
        return np.asarray(law / law.sum())

    @cached_property
    def error(self) -> float:
        """A bound of the total variation distance between `hidden` and the exact law.

        It adds up the probabilities that n is divisible by the square of a prime past the table (Rosser and
        Schoenfeld's bound on the number of primes), by the cube of a large prime, or by the squares of two
        of them. It is 0 where squares do not change the law.
        """
        cycle = self._prime_cycle()
        squares, _ = _exponent_law(self.splitting, self._settled, 2)
        moved = (
            np.bincount(self.splitting.table[:, s], cycle, minlength=len(cycle)) for s in squares.tolist()
        )
        if all(np.array_equal(cycle, law) for law in moved):
            return 0.0
        last = float(first_primes(MAX_PRIMES)[-1])
        pairs = float(np.sum(self._large**-2.0)) ** 2 / 2
        return 2.52 / (last * log(last)) + float(np.sum(self._large**-3.0)) + pairs

    @property
    def _settled(self) -> int:
        return max(2, self.splitting.settled)

    @cached_property
    def _hidden_primes(self) -> IntArray:
        return first_primes(MAX_PRIMES)[self.columns :]

    @property
    def _single(self) -> int:
        """How many hidden primes are taken one by one: the small ones and those that are not settled."""
        return int(np.searchsorted(self._hidden_primes, max(_SINGLE, self._settled)))

    @property
    def _large(self) -> NDArray[np.float64]:
        return self._hidden_primes[self._single :].astype(np.float64)

    def _start(self) -> Law:
        law = np.zeros(self.splitting.states)
        law[self.splitting.identity] = 1.0
        return law

    def _prime_cycle(self) -> Law:
        """The law of the product of infinitely many single primes: uniform on the cycle of its powers."""
        step = int(_exponent_law(self.splitting, self._settled, 1)[0][0])
        found = [self.splitting.identity]
        while (state := int(self.splitting.table[found[-1], step])) not in found:
            found.append(state)
        cycle = found[found.index(state) :]
        law = np.zeros(self.splitting.states)
        law[cycle] = 1 / len(cycle)
        return law

    def _times(self, law: Law, prime: int, least: int) -> Law:
        """The law times that of one prime; exponents below `least` do not change it."""
        states, shares = _exponent_law(self.splitting, prime, least)
        product: Law = law * (1 - shares.sum())
        for state, share in zip(states.tolist(), shares.tolist(), strict=True):
            product += np.bincount(self.splitting.table[:, state], law * share, minlength=len(law))
        return product

    def labels_given(self, classes: int) -> Law:
        """The law of the label given each state of the visible primes, (states, labels)."""
        return self.labels_of(np.eye(self.splitting.states), classes)

    def labels_of(self, laws: Law, classes: int) -> Law:
        """The laws of the label, one of `classes`, given laws of the state of the visible primes."""
        states = self.splitting.states
        label = np.asarray(self.splitting.label(np.arange(states)), dtype=np.int64)
        matrix = np.zeros((states, classes))  # from visible states to labels
        rows = np.repeat(np.arange(states), states)
        np.add.at(matrix, (rows, label[self.splitting.table.ravel()]), np.tile(self.hidden, states))
        return np.asarray(laws @ matrix)

    def given_divisors(self, shown: PrimeFactors, count: int, cap: int) -> Law:
        """The law of the state of the visible primes, given exponents that are capped: (count, states).

        Parameters
        ----------
        shown
            The prime powers that are shown; an exponent `cap` means `cap` or more.
        count
            The number of rows.
        cap
            The largest exponent that is shown.

        Examples
        --------
        >>> from pconv.data.arithmetic import SQUAREFREE
        >>> six = PrimeFactors(np.array([0, 0]), np.array([2, 3]), np.array([1, 1]))
        >>> LimitLaw(SQUAREFREE, 2).given_divisors(six, 1, cap=1).round(4).tolist()  # (1 - 1/2)(1 - 1/3)
        [[0.3333, 0.6667]]
        """
        laws = np.repeat(self._start()[None, :], count, axis=0)
        order = np.lexsort((shown.exponents, shown.primes))
        powers = np.stack([shown.primes, shown.exponents])[:, order]
        starts = np.flatnonzero(np.any(np.diff(powers, axis=1, prepend=0), axis=0))
        for chosen in np.split(order, starts[1:]) if len(order) else ():  # one prime power each
            prime, exponent = int(shown.primes[chosen[0]]), int(shown.exponents[chosen[0]])
            of = shown.number[chosen]
            laws[of] = self._given(laws[of], prime, exponent, exponent >= cap)
        return laws

    def _given(self, laws: Law, prime: int, exponent: int, capped: bool) -> Law:
        states, shares = _exponent_law(self.splitting, prime, exponent)
        if not capped:
            states, shares = states[:1], shares[:1]
        product = np.zeros_like(laws)
        for state, share in zip(states.tolist(), (shares / shares.sum()).tolist(), strict=True):
            for source, target in enumerate(self.splitting.table[:, state].tolist()):
                product[:, target] += laws[:, source] * share
        return product


def _exponent_law(splitting: Splitting, prime: int, least: int) -> tuple[IntArray, Law]:
    """The states of p^least, p^(least + 1), .. and their probabilities, as far as they matter."""
    exponents = np.arange(least, max(least, int(-log(_NEGLIGIBLE) / log(prime))) + 1)
    states = np.asarray(splitting.of_power(np.full_like(exponents, prime), exponents), dtype=np.int64)
    return states, np.asarray(float(prime) ** -exponents * (1 - 1 / prime), dtype=np.float64)


@lru_cache(maxsize=32)
def limit_law(splitting: Splitting, columns: int) -> LimitLaw:
    """The limit law, computed once."""
    return LimitLaw(splitting, columns)
