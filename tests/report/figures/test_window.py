"""Window figures against plain definitions."""

from __future__ import annotations

import pytest

from pconv.errors import InputError
from pconv.report.figures.window import window_figure
from pconv.theory import Problem
from tests.report.plain import exponent


@pytest.mark.parametrize(("modulus", "count", "residue"), [(11, 8, 1), (27, 8, 1), (36, 2, 5), (7, 8, 3)])
def test_windows_that_look_the_same_have_the_same_marks(modulus: int, count: int, residue: int) -> None:
    figure = window_figure(Problem(modulus, range(count + 1)), residue)
    assert figure.classes[0] == residue
    for c, window in zip(figure.classes, figure.exponents, strict=True):
        for offset, row in zip(figure.offsets, window, strict=True):
            assert row == tuple(exponent(c + offset, p, a) for p, a in figure.factors)
    assert len(set(figure.exponents)) == 1
    assert len(figure.classes) == (1 if modulus == 7 else 2)


def test_a_window_of_no_class() -> None:
    with pytest.raises(InputError, match="must be from 0 to 10"):
        window_figure(Problem(11, range(9)), 11)
