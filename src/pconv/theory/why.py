"""Why a class modulo one prime power is identified or not, in a sentence."""

from __future__ import annotations

from pconv.data.representations import ColumnContent
from pconv.theory.problem import Problem, row_name
from pconv.theory.signature import SHOWN, SignaturePartition, Visibility


def why(problem: Problem, part: SignaturePartition, residue: int) -> str:
    """Why a class is identified modulo p^a, or why not.

    Parameters
    ----------
    problem
        The problem.
    part
        The component of its modulus, with power p^a.
    residue
        The class; it may be given modulo m.

    Examples
    --------
    >>> problem = Problem(11, range(9))
    >>> why(problem, SignaturePartition(problem.factors[0], problem.offsets, 1), 1)
    'Modulo 11 no multiple of 11 is among n..n+8 when n is 1 or 2 modulo 11, so the two look alike.'
    """
    q, p = part.modulus, part.factor.prime
    if not problem.sees(p):
        return f"The prime {p} is not among the columns, so n modulo {q} is not shown."
    visible = part.visibility(residue)
    if problem.shows is ColumnContent.RESIDUES:
        return _residue(part, residue, visible)
    if visible.depth == part.levels:
        return _multiple(part, residue, visible)
    seen = _seen(problem, p, visible)
    if visible.size == 1:
        c = residue % q
        return f"Modulo {q} {seen} only when n is {c} modulo {q}, so class {c} is identified."
    return f"Modulo {q} {seen} when n is {choices(visible)} modulo {q}, so {_these(visible.size)} look alike."


def choices(visible: Visibility) -> str:
    """The classes of a group: all of them if they are few.

    >>> choices(Visibility(0, (), 2, (1, 2))), choices(Visibility(0, (), 90, (1, 2, 3, 4, 5, 6)))
    ('1 or 2', '1, 2, 3, 4, 5, 6, ... (90 classes)')
    """
    names = [str(residue) for residue in visible.alike]
    if visible.size > SHOWN:
        return f"{', '.join(names)}, ... ({visible.size} classes)"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def multiples_in_words(offsets: tuple[int, ...]) -> str:
    """The rows of these offsets as the subject of "is a multiple".

    >>> multiples_in_words((2,))
    'row n+2 is a multiple'
    >>> multiples_in_words((0, 4)), multiples_in_words((0, 4, 8, 12, 16))
    ('rows n and n+4 are multiples', 'rows n, n+4, n+8, ... (5 rows) are multiples')
    """
    names = [row_name(offset) for offset in offsets]
    if len(names) == 1:
        return f"row {names[0]} is a multiple"
    if len(names) <= 4:
        return f"rows {', '.join(names[:-1])} and {names[-1]} are multiples"
    return f"rows {', '.join(names[:3])}, ... ({len(names)} rows) are multiples"


def _multiple(part: SignaturePartition, residue: int, visible: Visibility) -> str:
    """Some row is a multiple of the highest power that the exponents can show."""
    q, highest = part.modulus, part.factor.prime**part.levels
    seen = f"{multiples_in_words(visible.rows)} of {highest}"
    if highest == q:
        c = residue % q
        return f"Modulo {q} {seen} only when n is {c} modulo {q}, so class {c} is identified."
    return (
        f"Modulo {q} {seen} and higher exponents than {part.levels} are not shown when n is "
        f"{choices(visible)} modulo {q}, so {_these(visible.size)} look alike."
    )


def _residue(part: SignaturePartition, residue: int, visible: Visibility) -> str:
    """The column of p shows n modulo p, and nothing of higher powers."""
    q, p = part.modulus, part.factor.prime
    if visible.size == 1:
        return f"Modulo {q} its column shows n itself, so class {residue % q} is identified."
    return (
        f"Modulo {q} the column of {p} shows n modulo {p} alone, the same when n is {choices(visible)} "
        f"modulo {q}, so {_these(visible.size)} look alike."
    )


def _seen(problem: Problem, p: int, visible: Visibility) -> str:
    """What the window shows at p when no row is a multiple of the next power."""
    if visible.depth == 0:
        return f"no multiple of {p} is among {problem.window}"
    known, wanted = p**visible.depth, p ** (visible.depth + 1)
    return f"{multiples_in_words(visible.rows)} of {known} but not of {wanted}"


def _these(size: int) -> str:
    return "the two" if size == 2 else f"these {size} classes"
