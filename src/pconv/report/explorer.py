"""What the page's explorer looks up: every theory's groups for all (m, B), computed here and embedded.

Groups are written as a string, one character a class: classes with the same character are in one group.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from string import ascii_letters, digits
from typing import Any

from pconv.arithmetic.domain import Domain
from pconv.arithmetic.factorization import prime_powers
from pconv.config import successors
from pconv.report.records import block_kinds
from pconv.theory import Prediction, Question, Theory, design_window, theories, totient_law

MODULI = range(2, 65)
SUCCESSORS = range(33)
ALPHABET = digits + ascii_letters + "-_"
"""A character for each of up to 64 groups."""
IDENTIFIED = ""
"""Instead of the groups: every class is one."""
AS_FIRST = "="
"""Instead of the groups: as the first theory says."""


def explorer_data() -> dict[str, Any]:
    """All that the explorer knows."""
    return _data(tuple(theories().values()))


@lru_cache(maxsize=1)  # seconds of work, and the same for every page
def _data(known: tuple[Theory, ...]) -> dict[str, Any]:
    domain = Domain()
    return {
        "moduli": [MODULI[0], MODULI[-1]],
        "successors": [SUCCESSORS[0], SUCCESSORS[-1]],
        "alphabet": ALPHABET,
        "theories": [{"name": theory.name, "claim": theory.claim} for theory in known],
        "factors": {m: [list(factor) for factor in prime_powers(m)] for m in MODULI},
        "sums": {m: [_sums(m, count + 1) for count in SUCCESSORS] for m in MODULI},
        "answers": {m: [_answers(m, count, known, domain) for count in SUCCESSORS] for m in MODULI},
        "solved_from": {m: design_window(m).successors for m in MODULI},
    }


def _sums(modulus: int, rows: int) -> list[list[int]]:
    """For each prime power of m the summands of the totient law."""
    return [
        [1] + [totient_law(p, i, rows) - totient_law(p, i - 1, rows) for i in range(1, a + 1)]
        for p, a in prime_powers(modulus)
    ]


def _answers(modulus: int, count: int, known: Iterable[Theory], domain: Domain) -> list[Any]:
    """The kind of each class (its first letter), the ceiling on the domain, and each theory's groups."""
    question = Question(modulus, successors(count))
    says = [theory.predict(question) for theory in known]
    first = says[0]
    assert first is not None, "the signature applies to every question"
    kinds = "".join(kind[0] for kind in block_kinds(first))
    exact = first.exact_ceiling(domain)
    assert exact is not None, "the domain has numbers of every class"
    return [kinds, round(exact, 4), *(_groups(rival, first) for rival in says)]


def _groups(says: Prediction | None, first: Prediction) -> str | None:
    if says is None:
        return None
    if says.solved:
        return IDENTIFIED
    if says is not first and (says.labels == first.labels).all():
        return AS_FIRST
    return "".join(ALPHABET[label] for label in says.labels.tolist())
