"""The signature theory against its definition, and the properties it must have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.factorization import PrimePower, prime_powers
from pconv.data.representations import ColumnContent, representation_named
from pconv.errors import InputError
from pconv.theory import Problem, predict, theory_named
from pconv.theory.laws import splitting_law, totient_law
from pconv.theory.signature import SignaturePartition, parts
from tests.theory.partitions import refines

Groups = tuple[tuple[int, ...], ...]
fixed = settings(derandomize=True, deadline=None, max_examples=150)
moduli = st.integers(2, 400)
windows = st.sets(st.integers(-30, 60), min_size=1, max_size=12)
columns = st.none() | st.integers(1, 12) | st.sets(st.sampled_from([2, 3, 5, 7, 11, 13, 17, 19]))
caps = st.none() | st.integers(1, 5)
small_powers = st.sampled_from([(p, a) for p in (2, 3, 5, 7, 11, 101) for a in range(1, 9) if p**a <= 1_000])


def plain_groups(modulus: int, offsets: set[int], primes: set[int], cap: int = 99) -> Groups:
    """By definition: compare min(v_p(c+o), a, cap) for every p^a exactly dividing m, class by class."""
    powers = {p: max(a for a in range(1, 10) if modulus % p**a == 0) for p in primes if modulus % p == 0}
    alike: dict[tuple[int, ...], list[int]] = {}
    for c in range(modulus):
        shown = [
            sum((c + o) % p**i == 0 for i in range(1, min(a, cap) + 1))
            for p, a in sorted(powers.items())
            for o in sorted(offsets)
        ]
        alike.setdefault(tuple(shown), []).append(c)
    return tuple(tuple(group) for group in alike.values())


@fixed
@given(moduli, windows, columns, caps)
def test_groups_are_those_of_the_definition(
    modulus: int, offsets: set[int], primes: int | set[int] | None, cap: int | None
) -> None:
    divisors = {p for p in range(2, modulus + 1) if modulus % p == 0 and all(p % d for d in range(2, p))}
    first = [p for p in range(2, 40) if all(p % d for d in range(2, p))]
    if primes is None:
        seen = divisors
    else:
        seen = divisors & (set(first[:primes]) if isinstance(primes, int) else primes)
    prediction = predict(modulus, offsets, primes, cap)
    expected = plain_groups(modulus, offsets, seen, 99 if cap is None else cap)
    assert prediction.groups == expected
    assert prediction.distinguishable == len(expected)
    assert prediction.ceiling == Fraction(len(expected), modulus)


@fixed
@given(small_powers, windows, st.integers(0, 9))
def test_digits_count_and_sight_agree_with_the_groups(
    power: tuple[int, int], offsets: set[int], wanted: int
) -> None:
    factor = PrimePower(*power)
    levels = min(wanted, factor.exponent)
    part = SignaturePartition(factor, tuple(sorted(offsets)), levels)
    groups: dict[int, list[int]] = {}
    labels = part.labels().tolist()
    for c, label in enumerate(labels):
        groups.setdefault(label, []).append(c)
    assert part.count == splitting_law(factor.prime, levels, part.offsets) == len(groups)
    for c in range(factor.power):
        visible = part.visibility(c)
        assert visible.size == len(groups[labels[c]])
        assert list(visible.alike) == groups[labels[c]][: len(visible.alike)]
        assert all((c + o) % factor.prime**visible.depth == 0 for o in visible.rows)
    mixed = part.mixed_class()
    assert (mixed is None) == part.solved
    if mixed is not None:
        assert len(groups[labels[mixed]]) > 1


@fixed
@given(small_powers, windows)
def test_consecutive_rows_tell_the_most_classes_apart(power: tuple[int, int], offsets: set[int]) -> None:
    prime, exponent = power
    most = totient_law(prime, exponent, len(offsets))
    assert splitting_law(prime, exponent, offsets) <= most
    assert splitting_law(prime, exponent, range(-7, len(offsets) - 7)) == most


@fixed
@given(moduli, windows, st.integers(-30, 60), columns, caps)
def test_another_offset_never_merges_groups(
    modulus: int, offsets: set[int], extra: int, primes: int | set[int] | None, cap: int | None
) -> None:
    more, fewer = (
        predict(modulus, offsets | {extra}, primes, cap),
        predict(modulus, offsets, primes, cap),
    )
    assert refines(more.labels, fewer.labels)


@fixed
@given(moduli, windows, st.sets(st.sampled_from([2, 3, 5, 7, 11])), st.sampled_from([2, 3, 5, 7, 11]), caps)
def test_another_prime_never_merges_groups(
    modulus: int, offsets: set[int], primes: set[int], extra: int, cap: int | None
) -> None:
    assert refines(
        predict(modulus, offsets, primes | {extra}, cap).labels,
        predict(modulus, offsets, primes, cap).labels,
    )


@fixed
@given(moduli, windows, st.integers(1, 6))
def test_another_exponent_level_never_merges_groups(modulus: int, offsets: set[int], cap: int) -> None:
    finer = predict(modulus, offsets, cap=cap + 1).labels
    assert refines(finer, predict(modulus, offsets, cap=cap).labels)
    assert refines(predict(modulus, offsets).labels, finer)


@fixed
@given(moduli, windows, columns, caps)
def test_the_ceiling_is_one_exactly_where_all_is_solved(
    modulus: int, offsets: set[int], primes: int | set[int] | None, cap: int | None
) -> None:
    prediction = predict(modulus, offsets, primes, cap)
    assert (
        prediction.solved == (prediction.ceiling == 1) == all(len(group) == 1 for group in prediction.groups)
    )


@fixed
@given(moduli, windows, st.integers(-100, 100))
def test_shifting_all_offsets_permutes_the_classes(modulus: int, offsets: set[int], shift: int) -> None:
    groups = predict(modulus, offsets).groups
    shifted = predict(modulus, {o + shift for o in offsets}).groups
    assert {frozenset((c - shift) % modulus for c in group) for group in groups} == set(
        map(frozenset, shifted)
    )


@fixed
@given(st.integers(2, 2**63 - 1), windows)
def test_huge_moduli_answer_without_listing(modulus: int, offsets: set[int]) -> None:
    prediction = predict(modulus, offsets)
    assert 1 <= prediction.distinguishable <= modulus
    assert prediction.solved == (prediction.ceiling == 1)
    whole = predict(modulus, range(min(offsets), max(offsets) + 1))
    assert prediction.distinguishable <= whole.distinguishable


def test_sixteen_through_three_rows() -> None:
    prediction = predict(16, range(3))
    alike = ((0,), (1, 5, 9, 13), (2, 10), (3, 11), (4, 12), (6,), (7,), (8,), (14,), (15,))
    assert prediction.groups == alike
    assert prediction.ceiling == Fraction(5, 8)


def test_labels_of_a_square_do_not_collide_beside_another_prime() -> None:
    assert predict(18, range(9)).groups == tuple((c,) for c in range(18))


def test_prime_past_the_columns_tells_nothing() -> None:
    assert predict(22, range(9), primes=4).groups == ((*range(0, 22, 2),), (*range(1, 22, 2),))
    assert predict(22, range(9), primes=5).groups == predict(22, range(9)).groups


@pytest.mark.parametrize("modulus", [10**6, 2**19, 3**12, 999_983, 510_510])
def test_a_million_classes_are_grouped_in_seconds(modulus: int) -> None:
    prediction = predict(modulus, range(9))
    assert len(prediction.groups) == prediction.distinguishable


def test_the_largest_modulus_answers_at_once() -> None:
    prediction = predict(2**63 - 1, range(25))
    assert not prediction.solved
    assert (
        prediction.distinguishable == (1 + 6 + 25) * 26**5
    )  # 7^2 shows 1 + 6 + 25 classes, the five primes 1 + 25
    assert [tuple(f) for f in prime_powers(2**63 - 1)] == [
        (7, 2),
        (73, 1),
        (127, 1),
        (337, 1),
        (92_737, 1),
        (649_657, 1),
    ]


@fixed
@given(st.integers(2, 150), windows, columns)
def test_residues_show_n_modulo_each_seen_prime(
    modulus: int, offsets: set[int], primes: int | set[int] | None
) -> None:
    """By definition: two classes look alike iff all rows agree modulo every seen prime of m."""
    problem = Problem(modulus, offsets, primes, shows=ColumnContent.RESIDUES)
    seen = [factor.prime for factor in problem.factors if problem.sees(factor.prime)]
    alike: dict[tuple[int, ...], list[int]] = {}
    for c in range(modulus):
        alike.setdefault(tuple((c + o) % p for p in seen for o in sorted(offsets)), []).append(c)
    prediction = theory_named("signature").predict(problem)
    assert prediction is not None
    assert prediction.groups == tuple(map(tuple, alike.values()))
    assert prediction.distinguishable == len(alike)
    for part in parts(problem):
        labels = part.labels().tolist()
        for c in range(part.modulus):
            visible = part.visibility(c)
            group = [other for other in range(part.modulus) if labels[other] == labels[c]]
            assert (visible.size, list(visible.alike)) == (len(group), group[: len(visible.alike)])
            assert all(part.signature(other) == part.signature(c) for other in group)
        mixed = part.mixed_class()
        assert (mixed is None) == part.solved
        assert mixed is None or labels.count(labels[mixed]) > 1


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(2, 50), st.integers(0, 3), st.sampled_from([2, 3, 5]))
def test_what_is_predicted_is_what_the_grids_of_a_representation_share(
    modulus: int, successors: int, columns: int
) -> None:
    """Classes are mixed iff two of their grids agree in the columns of m's primes, be these exponents, capped
    exponents or residues."""
    first = [2, 3, 5, 7, 11][:columns]
    powers = {i: max(a for a in range(9) if modulus % p**a == 0) for i, p in enumerate(first)}
    kept = [i for i, a in powers.items() if a]
    numbers = np.arange(1, 3 * modulus**2 + 1)
    window = tuple(range(successors + 1))
    for name in ("exponents", "capped", "residues"):
        representation = representation_named(name)
        problem = Problem(modulus, window, columns, representation.cap, representation.shows)
        prediction = theory_named("signature").predict(problem)
        assert prediction is not None
        grids = representation.grid(numbers, window, columns).dense()[:, :, kept]
        if name == "exponents":  # exponents beyond those of m differ between numbers of one class
            grids = np.minimum(grids, np.array([powers[i] for i in kept], dtype=np.float32))
        found: dict[bytes, set[int]] = {}
        for n, grid in zip(numbers.tolist(), grids, strict=True):
            found.setdefault(grid.tobytes(), set()).add(n % modulus)
        assert sorted(map(tuple, map(sorted, found.values()))) == sorted(prediction.groups)


def test_what_no_theory_of_primes_speaks_of() -> None:
    problem = Problem(8, range(9), 32, shows=ColumnContent.OTHER)
    assert [theory_named(name).predict(problem) is None for name in ("signature", "paper", "grid")] == [
        True,
        True,
        False,
    ]
    assert theory_named("paper").predict(Problem(8, range(9), 32, shows=ColumnContent.RESIDUES)) is None
    with pytest.raises(InputError, match="shows"):
        Problem(8, range(9), shows="letters")  # type: ignore[arg-type]
