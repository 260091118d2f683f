"""What follows from groups: ceilings, patterns, blocks."""

from __future__ import annotations

from collections import Counter
from math import gcd

import numpy as np
import pytest

from pconv.data.domain import Domain
from pconv.errors import InputError
from pconv.theory import Prediction, Problem, predict, theory_named
from pconv.theory.blocks import pattern_kinds, unsolved_parts

EXACT_CEILINGS = {
    8: {11: 0.911, 13: 0.774, 17: 0.595, 19: 0.533, 23: 0.442, 29: 0.351}
    | {25: 0.564, 27: 0.668, 22: 0.911, 26: 0.774},
    16: {19: 0.948, 23: 0.785, 29: 0.624, 25: 0.885, 27: 0.965},
    24: {29: 0.898},
}


@pytest.mark.parametrize(
    ("count", "modulus", "ceiling"),
    [(count, m, value) for count, cells in EXACT_CEILINGS.items() for m, value in cells.items()],
)
def test_exact_ceilings_on_the_default_domain(count: int, modulus: int, ceiling: float) -> None:
    exact = predict(modulus, range(count + 1)).exact_ceiling()
    assert exact is not None
    assert round(exact, 3) == ceiling


def test_exact_ceiling_is_what_the_best_guess_in_every_group_earns() -> None:
    domain = Domain(limit=3_000, smooth=20)
    prediction = predict(44, [0, 1, 5])
    drawn = Counter((n % 44) for n in domain.members.tolist())
    right = sum(max(drawn[c] for c in group) for group in prediction.groups)
    assert prediction.exact_ceiling(domain) == right / domain.size


def test_exact_ceiling_of_a_solved_modulus_is_one() -> None:
    assert predict(30, range(9)).exact_ceiling() == 1.0


def test_no_exact_ceiling_on_a_domain_smaller_than_m() -> None:
    assert predict(2**63 - 1, range(25)).exact_ceiling() is None
    assert predict(900_001, range(9)).exact_ceiling() is None
    assert predict(12, range(9)).exact_ceiling(Domain(limit=12, smooth=0)) is None


def test_pattern_is_free_inside_groups_and_empty_elsewhere() -> None:
    prediction = predict(16, range(3))
    expected = np.zeros((16, 16), dtype=bool)
    for group in prediction.groups:
        expected[np.ix_(group, group)] = True
    assert (prediction.pattern == expected).all()
    with pytest.raises(InputError, match="modulus 5000"):
        _ = predict(5_000, range(3)).pattern


def test_group_of_a_class() -> None:
    assert predict(16, range(3)).group_of(3) == (3, 11)
    assert predict(16, range(3)).group_of(-5) == (3, 11)


def members(prediction: Prediction) -> dict[str, list[int]]:
    """The classes of each kind."""
    kinds = pattern_kinds(prediction)
    return {str(kind): [c for c, other in enumerate(kinds) if other is kind] for kind in sorted(set(kinds))}


def spacing(prediction: Prediction) -> int:
    """The distance of the diagonals on which all free cells lie."""
    rows, columns = np.nonzero(prediction.pattern)
    return gcd(*(rows - columns).tolist())


def test_kinds_modulo_a_prime_are_the_papers() -> None:
    prediction = predict(13, range(9))
    assert members(prediction) == {"zero": [0], "last": list(range(5, 13)), "mixed": [1, 2, 3, 4]}
    assert spacing(prediction) == 1


def test_mixed_classes_of_a_prime_power_lie_on_diagonals() -> None:
    prediction = predict(27, range(9))
    assert spacing(prediction) == 9
    assert members(prediction)["mixed"] == list(range(1, 19))


def test_classes_identified_outside_the_window_have_a_kind() -> None:
    ours = predict(16, range(3))
    theirs = theory_named("paper").predict(Problem(16, range(3)))
    assert theirs is not None
    assert members(ours)["other"] == [6, 7, 8]
    assert set(members(theirs)) == {"zero", "last", "mixed"}
    assert spacing(ours) == spacing(theirs) == 4


def test_a_splitting_modulus_shows_copies_of_its_unknown_component() -> None:
    assert pattern_kinds(predict(26, range(9))) == 2 * pattern_kinds(predict(13, range(9)))
    assert [part.modulus for part in unsolved_parts(predict(26, range(9)))] == [13]


def test_accuracy_range_is_about_the_ceiling_unless_told_otherwise() -> None:
    prediction = predict(16, range(3))
    low, high = prediction.accuracy_range(512)
    assert low < 0.625 < high
    assert prediction.accuracy_range(512, accuracy=1.0) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((1, range(3)), "modulus 1"),
        ((0, range(3)), "modulus 0"),
        ((2**63, range(3)), "modulus 9223372036854775808"),
        ((2.5, range(3)), "modulus 2.5"),
        ((True, range(3)), "modulus True"),
        ((7, []), "offsets"),
        ((7, [1, 1]), "offsets 1,1"),
        ((7, [0], 0), "primes 0"),
        ((7, [0], {4}), "primes 4: is not a prime"),
        ((7, [0], None, 0), "cap 0"),
    ],
)
def test_what_cannot_be_asked_is_named(arguments: tuple[object, ...], named: str) -> None:
    with pytest.raises(InputError, match=named):
        Problem(*arguments)  # type: ignore[arg-type]
