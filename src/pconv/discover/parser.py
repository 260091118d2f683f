"""The text of a formula as a tree: a recursive-descent parser. Text is never evaluated as a program.

formula    = sum [("<" | "=") sum]
sum        = product {("+" | "-") product}
product    = power {("*" | "//" | "%") power}
power      = primary {"^" primary}
primary    = number | variable | name "(" formula {"," formula} ")" | "(" formula ")"
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pconv._text import shortened
from pconv.discover.formula import AGGREGATES, CLASS_VARIABLES, Formula, Variables
from pconv.discover.operations import BOUND, operations
from pconv.errors import InputError

_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<sign>//|[-+*%^<=(),]))")
_LONGEST, _DEEPEST = 1_000, 50
_LEVELS = (("<", "="), ("+", "-"), ("*", "//", "%"), ("^",))
"""The operators from the one that binds least to the one that binds most."""


class _Token(NamedTuple):
    text: str
    position: int  # from 1


def parse(text: str, variables: Variables = CLASS_VARIABLES) -> Formula:
    """The formula of a text; an `InputError` names the position of a mistake.

    Parameters
    ----------
    text
        Such as "gcd(n+o, m)". Operators are + - * // % ^ < =, functions gcd, v, min, max, rad and phi.
        sum_o, min_o and max_o go over the rows, sum_p, min_p and max_p over the primes of m.
    variables
        The variables that it may have.

    Examples
    --------
    >>> str(parse("gcd( n + o,m )"))
    'gcd(n+o, m)'
    >>> parse("gcd(n+o m)")
    Traceback (most recent call last):
    ...
    pconv.errors.InputError: formula gcd(n+o m): expected , at position 9
    """
    return _Parser(text, variables).parse()


class _Parser:
    """A position in the tokens of a text."""

    def __init__(self, text: str, variables: Variables) -> None:
        self.text = text
        self.variables = variables
        if len(text) > _LONGEST:
            raise InputError("formula", shortened(text), f"has more than {_LONGEST} characters")
        self.tokens = self._tokens()
        self.next = 0
        self.depth = 0

    def parse(self) -> Formula:
        formula = self._level(0)
        if self._token.text:
            raise self._error("expected an operator or the end")
        return formula

    def _tokens(self) -> list[_Token]:
        found, position = [], 0
        end = len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                start = position + len(self.text[position:]) - len(self.text[position:].lstrip())
                raise self._error_at(f"unknown character {self.text[start]!r}", start + 1)
            token = match[match.lastgroup or 0]
            position = match.end()
            found.append(_Token(token, position - len(token) + 1))
        return [*found, _Token("", end + 1)]

    @property
    def _token(self) -> _Token:
        return self.tokens[self.next]

    def _take(self, *allowed: str) -> str | None:
        """The next token, if it is one of these."""
        if self._token.text not in allowed or not self._token.text:
            return None
        self.next += 1
        return self.tokens[self.next - 1].text

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"expected {sign}")

    def _level(self, level: int) -> Formula:
        """Operators of one level, grouped from the left; comparisons do not chain."""
        if level == len(_LEVELS):
            return self._primary()
        formula = self._level(level + 1)
        while operator := self._take(*_LEVELS[level]):
            formula = Formula(operator, (formula, self._level(level + 1)))
            if level == 0 and self._token.text in _LEVELS[0]:
                raise self._error("comparisons do not chain, expected parentheses")
        return formula

    def _primary(self) -> Formula:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error(f"more than {_DEEPEST} parentheses in one another")
        formula = self._parenthesis() if self._take("(") else self._named()
        self.depth -= 1
        return formula

    def _parenthesis(self) -> Formula:
        formula = self._level(0)
        self._expect(")")
        return formula

    def _named(self) -> Formula:
        """A number, a variable or a function with its arguments."""
        token = self._token
        if not token.text or not token.text[0].isalnum():
            raise self._error("expected a number, a variable or a function")
        self.next += 1
        if token.text.isdigit():
            if int(token.text) >= BOUND:
                raise self._error_at(f"a number must be below {BOUND}", token.position)
            return Formula(str(int(token.text)))
        if token.text in self.variables.names:
            return Formula(token.text)
        arity = self._arity(token)
        self._expect("(")
        arguments = [self._level(0)]
        for _ in range(arity - 1):
            self._expect(",")
            arguments.append(self._level(0))
        self._expect(")")
        return Formula(token.text, tuple(arguments))

    def _arity(self, token: _Token) -> int:
        known = {name: each.arity for name, each in operations().items() if not each.binding}
        known |= {f"{kind}_{bound}": 1 for kind in AGGREGATES for bound in self.variables.bound}
        if token.text not in known:
            names = ", ".join((*self.variables.names, *known))
            raise self._error_at(f"unknown name {token.text}", token.position, f"; there are {names}")
        return known[token.text]

    def _error(self, problem: str) -> InputError:
        return self._error_at(problem, self._token.position)

    def _error_at(self, problem: str, position: int, more: str = "") -> InputError:
        return InputError("formula", shortened(self.text), f"{problem} at position {position}{more}")
