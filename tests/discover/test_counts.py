"""The law of the number of groups, found from counts."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.discover.counts import CountCase, Counted, counted, discover_counts
from pconv.discover.derived import accuracies, group_loss, losses
from pconv.discover.observation import Observation, observe
from pconv.discover.parser import parse
from pconv.discover.simulation import simulated
from tests.discover import plain


def shown(modulus: int, offsets: tuple[int, ...]) -> Observation:
    groups = plain.groups(parse("gcd(n+o, m)"), modulus, offsets)
    seen = observe(simulated(RunConfig(modulus=modulus, offsets=offsets), groups, 1_000))
    assert isinstance(seen, Observation)
    return seen


def test_runs_modulo_prime_powers_with_consecutive_rows_are_counted() -> None:
    seen = [shown(9, (0, 1)), shown(12, (0, 1)), shown(8, (0, 2)), shown(5, (2, 3))]
    assert [(run.case, run.groups) for run in counted(seen)] == [
        (CountCase(3, 2, 2), 5),
        (CountCase(5, 1, 2), 3),
    ]


def test_the_totient_sum_is_found_from_counts() -> None:
    """The counts are those of a brute force over the classes."""
    powers = [(2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3), (5, 1), (5, 2), (7, 1), (11, 1)]
    runs = [
        Counted("", CountCase(p, a, W), len(set(plain.groups(parse("gcd(n+o, m)"), p**a, tuple(range(W))))))
        for p, a in powers
        for W in (1, 2, 3, 5, 8)
    ]
    first, *others = discover_counts(runs, 7)
    assert str(first.formula) == "sum_i(min(phi(p^i), W))"
    assert first.explained.all()
    assert not any(law.explained.all() for law in others if law.size < first.size)


def test_counts_without_a_law_have_none() -> None:
    cases = [CountCase(p, 1, W) for p in (11, 13, 17, 19) for W in (2, 3, 5)]
    runs = [Counted("", case, 2 + (case.p * case.W * 7919) % 7) for case in cases]
    assert all(law.saved < 20 for law in discover_counts(runs, 4))


def test_accuracy_and_loss_follow_from_the_partition() -> None:
    seen = [shown(11, (0, 1, 2)), shown(9, (0, 1)), shown(4, (0, 1, 2, 3))]
    assert len(accuracies(seen).observed) == 2  # the last run distinguishes every class
    assert all(abs(each) < 0.03 for each in accuracies(seen).differences)
    assert all(abs(each) < 1e-9 for each in losses(seen).differences)
    assert group_loss(seen[2]) == 0
