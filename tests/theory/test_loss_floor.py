"""The loss floor: closed forms against entropies by definition, and the identities that it must keep."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.domain import Domain
from pconv.data.representations import ColumnContent
from pconv.theory import Problem, predict, theory_named, visible_part
from pconv.theory.laws import (
    consecutive_sizes,
    loss_floor_by_totients,
    splitting_law,
    splitting_sizes,
    totient_law,
)
from pconv.theory.observations import observation_4_sizes
from pconv.theory.registry import theories

fixed = settings(derandomize=True, deadline=None, max_examples=150)
moduli = st.integers(2, 300)
windows = st.sets(st.integers(-30, 60), min_size=1, max_size=10)
columns = st.none() | st.integers(1, 12) | st.sets(st.sampled_from([2, 3, 5, 7, 11, 13]))
caps = st.none() | st.integers(1, 4)
numbers = st.lists(st.integers(0, 40), min_size=300, max_size=300)
POWERS = [(p, a) for p in (2, 3, 5, 7, 11, 13, 101) for a in range(1, 11) if p**a <= 1_100]


def entropy(counts: list[int]) -> float:
    """H of an outcome, each value of which was drawn so often."""
    total = sum(counts)
    return -sum(n / total * log(n / total) for n in counts if n)


def conditional(labels: list[int], counts: list[int]) -> float:
    """H(class | group) by definition: group by group, weighted by how often it is drawn."""
    total = sum(counts)
    floor = 0.0
    for label in set(labels):
        inside = [n for c, n in enumerate(counts) if labels[c] == label]
        if any(inside):
            floor += sum(inside) / total * entropy(inside)
    return floor


@pytest.mark.parametrize(("prime", "exponent"), POWERS)
def test_sizes_in_closed_form_are_those_of_the_groups(prime: int, exponent: int) -> None:
    power = prime**exponent
    for rows in [*range(1, 40), power - 1, power, power + 1]:
        sizes = consecutive_sizes(prime, exponent, rows)
        listed = Counter(len(group) for group in predict(power, range(rows)).groups)
        assert sizes == listed == splitting_sizes(prime, exponent, range(rows))
        assert sizes.total() == totient_law(prime, exponent, rows)
        plain = sum(groups * size * log(size) for size, groups in listed.items()) / power
        assert loss_floor_by_totients(power, rows) == pytest.approx(plain, abs=1e-12)


def test_a_prime_with_fewer_rows_has_one_mixed_group() -> None:
    for prime in (3, 5, 11, 101, 7919):
        for rows in range(1, min(prime, 50)):
            floor = (prime - rows) / prime * log(prime - rows)
            assert loss_floor_by_totients(prime, rows) == pytest.approx(floor, abs=1e-12)


@fixed
@given(st.sampled_from(POWERS), windows, st.integers(0, 10))
def test_sizes_of_any_window_are_those_of_the_groups(
    power: tuple[int, int], offsets: set[int], wanted: int
) -> None:
    prime, exponent = power
    levels = min(wanted, exponent)
    sizes = splitting_sizes(prime, levels, offsets)
    assert sizes.total() == splitting_law(prime, levels, offsets)
    shown = Counter(
        tuple(max(i for i in range(levels + 1) if (c + o) % prime**i == 0) for o in sorted(offsets))
        for c in range(prime**levels)
    )
    assert sizes == Counter(shown.values())


@pytest.mark.parametrize("successors", range(0, 20))
def test_sizes_of_the_papers_pattern_are_those_of_its_groups(successors: int) -> None:
    for prime, exponent in POWERS:
        prediction = theories()["paper"].predict(Problem(prime**exponent, range(successors + 1)))
        assert prediction is not None
        listed = Counter(len(group) for group in prediction.groups)
        assert observation_4_sizes(prime, exponent, successors) == listed


@fixed
@given(moduli, windows, columns, caps, st.sampled_from([ColumnContent.VALUATIONS, ColumnContent.RESIDUES]))
def test_the_floor_is_the_conditional_entropy(
    modulus: int, offsets: set[int], primes: int | set[int] | None, cap: int | None, shows: ColumnContent
) -> None:
    problem = Problem(modulus, offsets, primes, cap, shows)
    for name in ("signature", "paper", "grid"):
        prediction = theory_named(name).predict(problem)
        if prediction is None:
            continue
        plain = conditional(prediction.labels.tolist(), [1] * modulus)
        assert prediction.loss_floor == pytest.approx(plain, abs=1e-10)
        sizes = sum(len(group) * log(len(group)) for group in prediction.groups) / modulus
        assert prediction.loss_floor == pytest.approx(sizes, abs=1e-10)
        assert prediction.to_dict(1_000)["loss_floor"] == prediction.loss_floor


@fixed
@given(moduli, windows, columns, caps, numbers)
def test_the_floor_on_counts_is_the_conditional_entropy(
    modulus: int, offsets: set[int], primes: int | set[int] | None, cap: int | None, drawn: list[int]
) -> None:
    prediction, counts = predict(modulus, offsets, primes, cap), drawn[:modulus]
    found = prediction.loss_floor_on(np.array(counts))
    if not any(counts):
        assert found is prediction.ceiling_on(np.array(counts)) is None
        return
    assert found is not None
    assert found == pytest.approx(conditional(prediction.labels.tolist(), counts), abs=1e-10)
    best = sum(max(counts[c] for c in group) for group in prediction.groups)
    assert prediction.ceiling_on(np.array(counts)) == best / sum(counts)
    # chain rule: H(class | group) + H(group) = H(class), the group being a function of the class
    groups = [sum(counts[c] for c in group) for group in prediction.groups]
    assert found + entropy(groups) == pytest.approx(entropy(counts), abs=1e-10)


@fixed
@given(moduli, windows, columns, caps)
def test_the_floor_is_between_nothing_and_all(
    modulus: int, offsets: set[int], primes: int | set[int] | None, cap: int | None
) -> None:
    prediction = predict(modulus, offsets, primes, cap)
    assert 0 <= prediction.loss_floor <= log(modulus) + 1e-12
    assert (prediction.loss_floor == 0) == prediction.solved
    assert (prediction.loss_floor > log(modulus) - 1e-12) == (prediction.distinguishable == 1)
    assert prediction.loss_floor >= -log(prediction.ceiling) - 1e-12  # Jensen: E ln g >= -ln E(1/g)
    assert prediction.loss_floor_on(np.ones(modulus, dtype=np.int64)) == pytest.approx(
        prediction.loss_floor, abs=1e-10
    )


@fixed
@given(moduli, windows, st.integers(-30, 60), st.integers(1, 4), numbers)
def test_a_finer_partition_has_a_lower_floor(
    modulus: int, offsets: set[int], extra: int, cap: int, drawn: list[int]
) -> None:
    fine_to_coarse = [
        predict(modulus, offsets | {extra}),
        predict(modulus, offsets),
        predict(modulus, offsets, cap=cap),
        predict(modulus, offsets, primes=1, cap=cap),
    ]
    counts = np.array(drawn[:modulus]) + 1
    for fine, coarse in pairwise(fine_to_coarse):
        assert fine.loss_floor <= coarse.loss_floor + 1e-12
        low, high = fine.loss_floor_on(counts), coarse.loss_floor_on(counts)
        assert low is not None
        assert high is not None
        assert low <= high + 1e-12
        # chain rule: what the coarse groups leave open, less what the fine ones do, is H(fine | coarse)
        between = conditional(*_as_classes(fine.labels, coarse.labels, counts))
        assert high - low == pytest.approx(between, abs=1e-9)


def _as_classes(fine: np.ndarray, coarse: np.ndarray, counts: np.ndarray) -> tuple[list[int], list[int]]:
    """The coarse group of each fine group, and how many numbers the fine group has."""
    labels, totals = {}, Counter[int]()
    for one, other, n in zip(fine.tolist(), coarse.tolist(), counts.tolist(), strict=True):
        labels[one] = other
        totals[one] += n
    order = sorted(labels)
    return [labels[one] for one in order], [totals[one] for one in order]


@fixed
@given(st.integers(2, 60), st.integers(2, 60), windows)
def test_the_floor_adds_up_over_coprime_components(first: int, second: int, offsets: set[int]) -> None:
    if np.gcd(first, second) == 1:
        apart = predict(first, offsets).loss_floor + predict(second, offsets).loss_floor
        assert predict(first * second, offsets).loss_floor == pytest.approx(apart, abs=1e-12)


@fixed
@given(moduli, windows, columns, caps)
def test_what_columns_do_not_show_adds_its_logarithm(
    modulus: int, offsets: set[int], primes: int | set[int] | None, cap: int | None
) -> None:
    shown = visible_part(Problem(modulus, offsets, primes, cap))
    seen = predict(shown, offsets).loss_floor if shown > 1 else 0
    prediction = predict(modulus, offsets, primes, cap)
    assert prediction.loss_floor == pytest.approx(seen + log(modulus / shown), abs=1e-12)


@fixed
@given(st.integers(2, 2**63 - 1), windows)
def test_huge_moduli_have_a_floor_without_listing(modulus: int, offsets: set[int]) -> None:
    for name in ("signature", "paper", "grid"):
        prediction = theory_named(name).predict(Problem(modulus, offsets))
        if prediction is not None:
            assert -1e-12 <= prediction.loss_floor <= log(modulus) + 1e-9
            assert (prediction.loss_floor == 0) == prediction.solved


def test_the_largest_modulus_has_a_floor_at_once() -> None:
    """Through 25 rows one group of p - 25 classes remains modulo each of the five primes above 7."""
    prediction = predict(2**63 - 1, range(25))
    primes = sum((p - 25) / p * log(p - 25) for p in (73, 127, 337, 92_737, 649_657))
    assert prediction.loss_floor == pytest.approx(primes + loss_floor_by_totients(49, 25), abs=1e-9)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(2, 40), windows, numbers, st.integers(0, 2**32 - 1))
def test_no_reader_of_the_groups_has_a_lower_cross_entropy(
    modulus: int, offsets: set[int], drawn: list[int], seed: int
) -> None:
    """Gibbs: any answer to a group costs at least the floor, and the frequencies inside it cost just that."""
    prediction, counts = predict(modulus, offsets), np.array(drawn[:modulus]) + 1
    floor = prediction.loss_floor_on(counts)
    assert floor is not None
    frequencies = np.where(prediction.pattern, counts, 0.0)
    reader = np.random.default_rng(seed).dirichlet(np.ones(modulus), size=prediction.distinguishable)
    answers = {"best": frequencies / frequencies.sum(axis=1, keepdims=True), "any": reader[prediction.labels]}
    loss = {name: -float(np.average(np.log(np.diag(q)), weights=counts)) for name, q in answers.items()}
    assert loss["best"] == pytest.approx(floor, abs=1e-12)
    assert loss["any"] >= floor


def test_the_floor_on_the_default_domain_is_counted() -> None:
    domain = Domain(limit=3_000, smooth=20)
    prediction = predict(44, [0, 1, 5])
    drawn = Counter((n % 44) for n in domain.members.tolist())
    floor = conditional(prediction.labels.tolist(), [drawn[c] for c in range(44)])
    assert prediction.exact_loss_floor(domain) == pytest.approx(floor, abs=1e-12)
    assert predict(30, range(9)).exact_loss_floor() == 0
    assert predict(11, range(9)).exact_loss_floor() == pytest.approx(0.1232, abs=5e-5)


def test_no_exact_floor_on_a_domain_smaller_than_m() -> None:
    assert predict(2**63 - 1, range(25)).exact_loss_floor() is None
    assert predict(900_001, range(9)).exact_loss_floor() is None
    assert predict(12, range(9)).exact_loss_floor(Domain(limit=12, smooth=0)) is None
