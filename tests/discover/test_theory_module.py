"""A found law is a theory like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv.data.representations import ColumnContent
from pconv.discover.theory_module import formula_theory, write_theory
from pconv.errors import InputError
from pconv.theory import Problem, gcd_groups, predict


@pytest.mark.parametrize("problem", [Problem(16, range(3)), Problem(60, [-1, 4]), Problem(97, range(5))])
def test_the_law_of_the_window_is_the_signature_theory(problem: Problem) -> None:
    prediction = formula_theory("found", "gcd(n+o, m)").predict(problem)
    assert prediction is not None
    assert prediction.groups == gcd_groups(problem)
    assert prediction.ceiling == predict(problem.modulus, problem.offsets).ceiling


def test_it_applies_to_what_it_was_found_on() -> None:
    exponents, capped = (formula_theory("x", "n % p", name) for name in ("exponents", "capped"))
    assert exponents.predict(Problem(6, range(3), cap=1)) is None
    assert capped.predict(Problem(6, range(3), cap=1)) is not None
    assert capped.predict(Problem(6, range(3))) is None
    assert exponents.predict(Problem(22, range(3), primes=4)) is None  # 11 has no column
    assert exponents.predict(Problem(6, range(3), shows=ColumnContent.OTHER)) is None
    assert exponents.predict(Problem(2**61 - 1, range(3))) is None


def test_names_that_a_theory_cannot_have(tmp_path: Path) -> None:
    for name in ("signature", "two words", "Upper", "1st", "../up"):
        with pytest.raises(InputError):
            write_theory(name, "n", "exponents", tmp_path)
    assert list(tmp_path.iterdir()) == []
    write_theory("mine", "n % p", "capped", tmp_path)
    with pytest.raises(InputError, match="exists already"):
        write_theory("mine", "n % p", "capped", tmp_path)
