"""Crucial experiments of the built-in pair, and of any two predictions."""

from __future__ import annotations

from pconv.theory import Problem, crucial_experiments, theory_named
from pconv.theory.crucial import differing_classes, smallest_first
from pconv.theory.observations import observation_4_exponent

OURS, THEIRS = theory_named("signature"), theory_named("paper")


def test_the_first_crucial_experiment_is_sixteen_through_three_rows() -> None:
    found = next(crucial_experiments(OURS, THEIRS, smallest_first(100, range(2, 11))))
    assert (found.problem.modulus, found.problem.successors) == (16, 2)
    assert found.classes == (2, 3, 4, 6, 7, 8, 10, 11, 12)
    assert (float(found.first.ceiling), float(found.second.ceiling)) == (0.625, 0.4375)
    assert found.to_dict()["ceilings"] == {"signature": 0.625, "paper": 0.4375}


def test_smallest_come_first() -> None:
    found = [d.problem for d in crucial_experiments(OURS, THEIRS, smallest_first(100, [5, 2, 3]))]
    order = [(problem.modulus, problem.rows) for problem in found]
    assert order == sorted(order)
    assert len(order) == len(set(order))


def test_disagreements_are_those_of_the_groups() -> None:
    for problem in smallest_first(60, range(2, 8)):
        ours, theirs = OURS.predict(problem), THEIRS.predict(problem)
        assert ours is not None
        assert theirs is not None
        expected = [c for c in range(problem.modulus) if ours.group_of(c) != theirs.group_of(c)]
        assert list(differing_classes(ours, theirs)) == expected


def test_the_patterns_differ_exactly_where_two_powers_or_more_are_unsolved() -> None:
    """The patterns modulo an unsolved p^a are equal iff a = j + 1 (proved in docs/theory.md)."""
    tried = 0
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23):
        for exponent in range(1, 13):
            if prime**exponent > 5_000:
                continue
            for count in range(0, 31):
                problem = Problem(prime**exponent, range(count + 1))
                ours, theirs = OURS.predict(problem), THEIRS.predict(problem)
                assert ours is not None
                assert theirs is not None
                if not ours.solved:
                    tried += 1
                    j = observation_4_exponent(prime, exponent, count)
                    rows = (exponent - j - 1) * (count + 1)
                    assert ours.distinguishable - theirs.distinguishable == rows
                    assert (differing_classes(ours, theirs) == ()) == (exponent == j + 1)
    assert tried > 690


def test_theories_that_do_not_apply_are_passed_over() -> None:
    assert not list(crucial_experiments(OURS, THEIRS, [Problem(16, [0, 1, 5])]))
    assert len(list(crucial_experiments(OURS, theory_named("grid"), [Problem(16, [0, 1, 5])]))) == 1
