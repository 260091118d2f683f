"""The law in one line against the signatures, and what follows from it, by brute force."""

from __future__ import annotations

import random
from math import gcd

import pytest

from pconv.data.factorization import prime_powers
from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.theory import Problem, gcd_groups, law_of, predict, visible_part

CASES = 4_000


def problems(seed: int, largest: int = 240) -> list[Problem]:
    """Windows with gaps and negative offsets; columns: all, the first N, any set; exponents capped or not."""
    chance = random.Random(seed)
    found = []
    for _ in range(CASES):
        modulus = chance.randint(2, largest)
        offsets = chance.sample(range(-300, 300), chance.randint(1, 9))
        if chance.random() < 0.4:
            offsets = list(range(offsets[0], offsets[0] + len(offsets)))
        columns = chance.choice([*[None] * 6, chance.randint(1, 8), {2, 3}, {5, 7, 11}, {2}, set()])
        if chance.random() < 0.2:
            found.append(Problem(modulus, offsets, columns, shows=ColumnContent.RESIDUES))
        else:
            found.append(Problem(modulus, offsets, columns, chance.choice([None, None, 1, 2, 3])))
    return found


def test_the_groups_of_signatures_are_those_of_the_greatest_common_divisors() -> None:
    less = 0
    for problem in problems(1):
        arguments = problem.modulus, problem.offsets, problem.primes, problem.cap, problem.shows
        assert predict(*arguments).groups == gcd_groups(problem)
        less += visible_part(problem) < problem.modulus
    assert CASES / 4 < less < 3 * CASES / 4


def test_two_classes_are_mixed_iff_the_law_says_so() -> None:
    """Without `gcd_groups` in between: the sentence, pair by pair."""
    for problem in problems(2, largest=40)[:300]:
        if problem.shows is ColumnContent.RESIDUES:
            continue
        prediction = predict(problem.modulus, problem.offsets, problem.primes, problem.cap)
        shown = visible_part(problem)
        for c in range(problem.modulus):
            for d in range(c):
                alike = all(gcd(c + o, shown) == gcd(d + o, shown) for o in problem.offsets)
                assert (prediction.labels[c] == prediction.labels[d]) == alike


def test_what_columns_do_not_show_multiplies_the_groups() -> None:
    """The groups modulo m are those modulo the visible part, read modulo it."""
    for problem in problems(3)[:1_000]:
        shown = visible_part(problem)
        if shown == 1 or problem.shows is ColumnContent.RESIDUES:
            continue
        whole = predict(problem.modulus, problem.offsets, problem.primes, problem.cap)
        seen = predict(shown, problem.offsets)
        assert whole.distinguishable == seen.distinguishable
        of_class = seen.labels[[c % shown for c in range(problem.modulus)]]
        assert whole.labels.tolist() == of_class.tolist()


def test_the_class_of_minus_o_always_stands_alone() -> None:
    """Theorem 7 (1), for all m and all windows: Observation 1 is the case of the offsets 0 .. B."""
    for problem in problems(4):
        prediction = predict(problem.modulus, problem.offsets)
        for offset in problem.offsets:
            assert prediction.group_of(-offset) == (-offset % problem.modulus,)


def test_a_class_stands_alone_iff_it_or_all_its_siblings_are_hit() -> None:
    """Theorem 7 (2) and (3), for all m and all windows."""
    for problem in problems(5)[:1_500]:
        prediction = predict(problem.modulus, problem.offsets)
        alone = {group[0] for group in prediction.groups if len(group) == 1}
        expected = set(range(problem.modulus))
        unsolved = False
        for p, a in prime_powers(problem.modulus):
            power, below = p**a, p ** (a - 1)
            hit = {-offset % power for offset in problem.offsets}
            mixed = {
                c
                for c in range(power)
                if c not in hit and any(d not in hit for d in range(c % below, power, below) if d != c)
            }
            unsolved |= bool(mixed)
            expected -= {c for c in range(problem.modulus) if c % power in mixed}
        assert alone == expected
        assert prediction.solved == (not unsolved)


@pytest.mark.parametrize(
    ("problem", "law"),
    [
        (
            Problem(22, [-1, 0, 4]),
            "Two classes c and c' modulo 22 are mixed iff gcd(c+o, 22) = gcd(c'+o, 22) "
            "for every row n+o of n-1, n, n+4.",
        ),
        (
            Problem(22, range(9), primes=4),
            "Two classes c and c' modulo 22 are mixed iff gcd(c+o, 2) = gcd(c'+o, 2) "
            "for every row n+o of n..n+8: 2 is the part of 22 that the columns show.",
        ),
        (
            Problem(72, range(2), cap=2),
            "Two classes c and c' modulo 72 are mixed iff gcd(c+o, 36) = gcd(c'+o, 36) "
            "for every row n+o of n, n+1: 36 is the part of 72 that the columns show.",
        ),
        (
            Problem(72, range(3), shows=ColumnContent.RESIDUES),
            "Two classes c and c' modulo 72 are mixed iff c+o and c'+o agree modulo 6 "
            "for every row n+o of n..n+2, that is, iff c and c' do.",
        ),
        (
            Problem(11, range(9), primes=4),
            "All classes modulo 11 are mixed: no prime of 11 is among the columns.",
        ),
    ],
)
def test_the_law_in_words(problem: Problem, law: str) -> None:
    assert law_of(problem) == law


def test_there_is_no_law_of_what_the_theory_does_not_speak_of() -> None:
    for arguments in (law_of, gcd_groups, visible_part):
        with pytest.raises(InputError, match="the signature theory does not apply to it"):
            arguments(Problem(8, range(3), shows=ColumnContent.OTHER))
