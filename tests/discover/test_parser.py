"""Text to formulas and back, and the position of mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pconv.discover.formula import COUNT_VARIABLES, Formula, claim
from pconv.discover.parser import parse
from pconv.errors import InputError
from tests.discover.strategies import formulas


@settings(max_examples=200, deadline=None)
@given(formulas)
def test_what_is_written_is_read_again(formula: Formula) -> None:
    assert parse(str(formula)) == formula


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("n-o-m", "(n-o)-m"),
        ("n-(o-m)", "n-(o-m)"),
        ("n+o*m^2", "n+(o*(m^2))"),
        ("n % m // 2", "(n % m) // 2"),
        ("n+1 < m", "(n+1) < m"),
        ("(n < m) < o", "(n < m) < (o)"),
        ("  gcd ( n + o , m ) ", "gcd(n+o,m)"),
    ],
)
def test_operators_bind_as_in_arithmetic(text: str, grouped: str) -> None:
    assert parse(text) == parse(grouped)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("gcd(n+o m)", "expected , at position 9"),
        ("gcd(n+o, m", "expected ) at position 11"),
        ("", "expected a number, a variable or a function at position 1"),
        ("n +", "expected a number, a variable or a function at position 4"),
        ("n $ m", "unknown character '$' at position 3"),
        ("foo(n)", "unknown name foo at position 1; there are n, m, o, p, gcd"),
        ("n < m < o", "comparisons do not chain, expected parentheses at position 7"),
        ("gcd(n = m = 1, o)", "comparisons do not chain, expected parentheses at position 11"),
        ("n m", "expected an operator or the end at position 3"),
        ("__import__('os')", "unknown character '_' at position 1"),
        ("99999999999", "a number must be below 2147483648 at position 1"),
        ("(" * 60 + "n", "more than 50 parentheses in one another at position 51"),
        ("n" * 2000, "has more than 1000 characters"),
    ],
)
def test_a_mistake_is_one_line_with_its_position(text: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert error.value.allowed.startswith(problem)


def test_other_variables_make_other_formulas() -> None:
    assert parse("sum_i(min(W, phi(p^i)))", COUNT_VARIABLES).names == {"W", "p"}
    with pytest.raises(InputError, match="unknown name W"):
        parse("W")


def test_a_claim_says_where_values_must_agree() -> None:
    assert claim(parse("gcd(n+o, m)")) == "classes are mixed iff gcd(n+o, m) is the same in every row n+o"
    assert claim(parse("v(n+o, p)")).endswith("in every row n+o and at every prime p of m")
    assert claim(parse("sum_o(gcd(n+o, m))")).endswith("is the same")
