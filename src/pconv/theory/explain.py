"""Explanations: why classes are identified or mixed, for a modulus, a class or one number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import prod
from typing import Any

from pconv._text import pluralize
from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.theory import signature
from pconv.theory.certificate import Certificate, certificate
from pconv.theory.law import law_of
from pconv.theory.problem import Problem, row_name
from pconv.theory.signature import SignaturePartition, valuation
from pconv.theory.table import Table
from pconv.theory.why import choices, multiples_in_words, why

SHOWN_ROWS = 64
_NOT_APPLICABLE = (
    "The columns show neither exponents of primes nor residues modulo them: the theory does not apply."
)


@dataclass(frozen=True)
class Explanation:
    """Why classes are identified or mixed, in words, with a table or a certificate as evidence.

    Parameters
    ----------
    title
        What is explained.
    sentences
        What follows from the law.
    table
        The rows that decide, for one number.
    certificate
        Two numbers of different classes whose windows agree.
    law
        Which classes are mixed, in one sentence; None where the theory does not apply.
    """

    title: str
    sentences: tuple[str, ...]
    table: Table | None = None
    certificate: Certificate | None = None
    law: str | None = None

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The law, where there is one, and the sentences."""
        return (self.law, *self.sentences) if self.law else self.sentences

    @property
    def tables(self) -> tuple[Table, ...]:
        shown = (self.table, self.certificate.table() if self.certificate else None)
        return tuple(table for table in shown if table is not None)

    def __str__(self) -> str:
        return "\n\n".join(["\n".join([self.title, *self.paragraphs]), *map(str, self.tables)])

    def _repr_html_(self) -> str:
        paragraphs = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.paragraphs)
        tables = "".join(table._repr_html_() for table in self.tables)
        return f"<h4>{escape(self.title)}</h4>{paragraphs}{tables}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "law": self.law,
            "sentences": list(self.sentences),
            "table": None if self.table is None else self.table.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
        }


def explain(
    modulus: int,
    offsets: Iterable[int],
    primes: int | Iterable[int] | None = None,
    *,
    residue: int | None = None,
    number: int | None = None,
) -> Explanation:
    """Why classes modulo m are identified or mixed: all of them, one class, or the class of one number.

    Parameters
    ----------
    modulus, offsets, primes
        The problem, as in `predict`: the modulus, the rows of the window, its columns (None: all primes).
    residue
        Explain this class alone.
    number
        Explain the class of this number. At most one of `residue` and `number` can be given.

    Examples
    --------
    >>> print(explain(11, range(9), residue=3).sentences[-1])
    So class 3 modulo 11 is identified.
    """
    problem = Problem(modulus, offsets, primes)
    if number is not None and residue is not None:
        raise InputError("class", residue, f"cannot be combined with --number {number}: give one of the two")
    if residue is not None:
        return explain_class(problem, residue)
    return explain_modulus(problem) if number is None else explain_number(problem, number)


def explain_modulus(problem: Problem) -> Explanation:
    """Which classes modulo m the window distinguishes, and why not all.

    >>> print(explain_modulus(Problem(6, range(2))))
    The classes modulo 6 through n, n+1
    Two classes c and c' modulo 6 are mixed iff gcd(c+o, 6) = gcd(c'+o, 6) for every row n+o of n, n+1.
    Modulo 2 all classes are identified: phi(2) = 1 is at most 2 rows.
    Modulo 3 all classes are identified: phi(3) = 2 is at most 2 rows.
    So every class modulo 6 is identified.
    """
    title = f"The classes modulo {problem.modulus} through {problem.window}"
    if not problem.shows.of_primes:
        return Explanation(title, (_NOT_APPLICABLE,))
    parts = signature.parts(problem)
    sentences = [sentence for part in parts for sentence in _component(problem, part)]
    if all(part.solved for part in parts):
        sentences.append(f"So every class modulo {problem.modulus} is identified.")
    elif len(parts) > 1:
        sentences.append(f"So {_in_groups(problem.modulus, parts)}.")
    found = certificate(problem)
    sentences = [*sentences, *_certified(found)]
    return Explanation(title, tuple(sentences), certificate=found, law=law_of(problem))


def explain_class(problem: Problem, residue: int) -> Explanation:
    """Why a class modulo m is identified or not."""
    if not 0 <= residue < problem.modulus:
        raise InputError("class", residue, f"must be from 0 to {problem.modulus - 1}")
    title = f"Class {residue} modulo {problem.modulus} through {problem.window}"
    if not problem.shows.of_primes:
        return Explanation(title, (_NOT_APPLICABLE,))
    parts = signature.parts(problem)
    found = certificate(problem, residue)
    alike = prod(part.visibility(residue).size for part in parts)
    verdict = (
        "is identified" if alike == 1 else f"is not identified: {alike} classes look alike, this one included"
    )
    return Explanation(
        title,
        (
            *(why(problem, part, residue) for part in parts),
            f"So class {residue} modulo {problem.modulus} {verdict}.",
            *_certified(found),
        ),
        certificate=found,
        law=law_of(problem),
    )


def explain_number(problem: Problem, number: int) -> Explanation:
    """The rows and primes that decide the class of one number, and what remains open."""
    if number + problem.offsets[0] < 1 or number < 1:
        raise InputError("number", number, f"it and all of {problem.window} must be positive")
    title = f"n = {number} modulo {problem.modulus} through {problem.window}"
    if not problem.shows.of_primes:
        return Explanation(title, (_NOT_APPLICABLE,))
    parts = signature.parts(problem)
    sentences = [_shown_at(problem, part, number) for part in parts]
    if all(part.visibility(number).size == 1 for part in parts):
        sentences.append(
            f"So the window tells that n is {number % problem.modulus} modulo {problem.modulus}."
        )
    else:
        alike = prod(part.visibility(number).size for part in parts)
        sentences.append(
            f"In truth n is {number % problem.modulus} modulo {problem.modulus}; "
            f"{alike} classes remain open, and a reader of these columns guesses among them."
        )
    return Explanation(title, tuple(sentences), table=_divisible_rows(problem, number), law=law_of(problem))


def _component(problem: Problem, part: SignaturePartition) -> list[str]:
    q, phi = part.modulus, part.factor.totient
    name = f"{part.factor.prime}^{part.factor.exponent}" if part.factor.exponent > 1 else str(q)
    rows = f"{problem.rows} row{'s' if problem.rows > 1 else ''}"
    if part.solved and problem.shows is ColumnContent.RESIDUES:
        return [f"Modulo {q} all classes are identified: its column shows n modulo {q}."]
    if part.solved:
        reason = f"phi({name}) = {phi} is at most {rows}"
        if not problem.consecutive:
            reason = f"each has a signature of its own in {rows}"
        return [f"Modulo {q} all classes are identified: {reason}."]
    because = ""
    exponents = problem.shows is ColumnContent.VALUATIONS
    if exponents and problem.consecutive and part.levels == part.factor.exponent:
        because = f", because phi({name}) = {phi} is more than {rows}"
    groups = _in_groups(q, [part], because)
    return [f"{groups[0].upper()}{groups[1:]}.", _example(problem, part)]


def _in_groups(modulus: int, parts: Sequence[SignaturePartition], because: str = "") -> str:
    """How many groups the classes form, and how many of the classes are identified.

    >>> _in_groups(22, signature.parts(Problem(22, range(9))))
    'the 22 classes modulo 22 form 20 groups: 18 are identified, the other 4 are mixed in 2 groups'
    """
    groups, identified = (prod(counts) for counts in zip(*map(_counts, parts), strict=True))
    if groups == 1:
        return f"all {modulus} classes modulo {modulus} are mixed{because}"
    mixed = f"mixed in {pluralize(groups - identified, 'group')}"
    split = f"{identified} {'is' if identified == 1 else 'are'} identified, "
    split = split + f"the other {modulus - identified} are {mixed}" if identified else f"all are {mixed}"
    return f"the {modulus} classes modulo {modulus} form {groups} groups{because}: {split}"


def _counts(part: SignaturePartition) -> tuple[int, int]:
    """The number of groups modulo p^a, and how many of them are one class."""
    return part.count, part.sizes().get(1, 0)


def _example(problem: Problem, part: SignaturePartition) -> str:
    """A group of several classes; called an example where it is not the only one."""
    mixed = part.mixed_class()
    assert mixed is not None, "only components that are not solved have examples"
    sentence = why(problem, part, mixed)
    only_ones = part.count == part.modulus - part.visibility(mixed).size + 1
    return sentence if only_ones else f"For example: {sentence[0].lower()}{sentence[1:]}"


def _certified(found: Certificate | None) -> tuple[str, ...]:
    if found is None:
        return ()
    m = found.problem.modulus
    first, second = found.classes
    same = f"show the same {found.what} at every prime of {m} that is seen"
    if (found.first, found.second) == (first, second):
        return (f"To check by hand: the windows of {first} and {second} {same}.",)
    return (
        f"To check by hand: {found.first} is {first} and {found.second} is {second} modulo {m}, "
        f"and their windows {same}.",
    )


def _shown_at(problem: Problem, part: SignaturePartition, number: int) -> str:
    """What the rows show of this number at one prime."""
    p, q = part.factor.prime, part.modulus
    if not problem.sees(p):
        return f"The prime {p} is not among the columns: n modulo {q} remains open."
    visible = part.visibility(number)
    known = p**visible.depth
    if problem.shows is ColumnContent.RESIDUES:
        shown = f"The column of {p} shows n modulo {p}"
    elif visible.depth == 0:
        shown = f"At the prime {p} no row is a multiple of {p}"
    else:
        shown = f"At the prime {p} {multiples_in_words(visible.rows)} of {known}"
        if visible.depth < part.levels:
            shown += f" but not of {known * p}"
    rest = "" if visible.size == 1 else "; which of them remains open"
    return f"{shown}: n is {choices(visible)} modulo {q}{rest}."


def _divisible_rows(problem: Problem, number: int) -> Table | None:
    """The rows that some seen prime of m divides, with the exponents in them; residues need no table."""
    if problem.shows is ColumnContent.RESIDUES:
        return None
    primes = [factor.prime for factor in problem.factors if problem.sees(factor.prime)]
    rows = []
    for offset in problem.offsets:
        exponents = [valuation(number + offset, prime, problem.cap) for prime in primes]
        if any(exponents):
            rows.append((row_name(offset), str(number + offset), *map(str, exponents)))
    if not rows:
        return None
    caption = "rows that a prime of m divides" + (
        f" (the first {SHOWN_ROWS})" if len(rows) > SHOWN_ROWS else ""
    )
    return Table(caption, ("row", "number", *map(str, primes)), tuple(rows[:SHOWN_ROWS]))
