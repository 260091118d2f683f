"""Explanations say what is so, and certificates can be checked by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.theory import Problem, explain_class, explain_modulus, explain_number, law_of, predict
from pconv.theory.certificate import Certificate, certificate

fixed = settings(derandomize=True, deadline=None, max_examples=150)
windows = st.sets(st.integers(-20, 40), min_size=1, max_size=10)


def exponent(number: int, prime: int) -> int:
    found = 0
    while number % prime == 0:
        number, found = number // prime, found + 1
    return found


def check_by_hand(found: Certificate, cap: int = 10**9) -> None:
    """Two numbers, different classes, positive windows, the same exponents at every seen prime of m."""
    problem = found.problem
    assert found.first % problem.modulus != found.second % problem.modulus
    for offset in problem.offsets:
        rows = found.first + offset, found.second + offset
        assert min(rows) >= 1
        for factor in problem.factors:
            if problem.sees(factor.prime):
                first, second = (min(exponent(row, factor.prime), cap) for row in rows)
                assert first == second


@fixed
@given(st.integers(2, 300), windows)
def test_certificates_exist_exactly_for_mixed_classes(modulus: int, offsets: set[int]) -> None:
    problem = Problem(modulus, offsets)
    prediction = predict(modulus, offsets)
    for residue in range(0, modulus, 7):
        found = certificate(problem, residue)
        assert (found is None) == (len(prediction.group_of(residue)) == 1)
        if found is not None:
            check_by_hand(found)
            assert found.classes[0] == residue
            assert found.classes[1] in prediction.group_of(residue)
    assert (certificate(problem) is None) == prediction.solved


@fixed
@given(st.integers(2, 2**63 - 1), windows)
def test_huge_moduli_have_certificates_too(modulus: int, offsets: set[int]) -> None:
    found = certificate(Problem(modulus, offsets))
    assert (found is None) == predict(modulus, offsets).solved
    if found is not None:
        check_by_hand(found)


def test_certificates_of_what_cannot_be_seen() -> None:
    missing = certificate(Problem(11, range(20), primes=4))
    assert missing is not None
    check_by_hand(missing)
    capped = certificate(Problem(16, range(20), cap=2))
    assert capped is not None
    check_by_hand(capped, cap=2)


def test_the_sentence_a_student_reads() -> None:
    text = str(explain_class(Problem(11, range(9)), 1))
    alike = "Modulo 11 no multiple of 11 is among n..n+8 when n is 1 or 2 modulo 11, so the two look alike."
    assert alike in text
    assert "class 1 modulo 11 is not identified" in text
    assert "n = 1" in text
    assert "n = 2" in text


@pytest.mark.parametrize(
    ("problem", "residue", "message"),
    [
        (Problem(11, range(9)), 3, "row n+8 is a multiple of 11 only when n is 3 modulo 11"),
        (Problem(16, range(3)), 3, "row n+1 is a multiple of 4 but not of 8 when n is 3 or 11 modulo 16"),
        (Problem(16, range(3)), 6, "row n+2 is a multiple of 8 but not of 16 only when n is 6 modulo 16"),
        (Problem(3, range(2)), 1, "no multiple of 3 is among n, n+1 only when n is 1 modulo 3"),
        (Problem(2, range(6)), 1, "rows n+1, n+3 and n+5 are multiples of 2 only when n is 1 modulo 2"),
        (Problem(11, range(9), primes=3), 1, "The prime 11 is not among the columns"),
        (Problem(16, range(9), cap=2), 4, "higher exponents than 2 are not shown"),
        (Problem(101, range(3)), 50, "(98 classes) modulo 101, so these 98 classes look alike"),
    ],
)
def test_why_a_class_is_identified_or_not(problem: Problem, residue: int, message: str) -> None:
    assert message in str(explain_class(problem, residue))


@fixed
@given(st.integers(2, 120), windows, st.integers(0, 1_000))
def test_verdicts_in_words_are_those_of_the_groups(modulus: int, offsets: set[int], number: int) -> None:
    prediction = predict(modulus, offsets)
    residue = number % modulus
    text = str(explain_class(Problem(modulus, offsets), residue))
    alone = len(prediction.group_of(residue)) == 1
    assert (f"So class {residue} modulo {modulus} is identified." in text) == alone
    alike = f"{len(prediction.group_of(residue))} classes look alike, this one included"
    assert (alike in text) == (not alone)


def test_a_modulus_is_explained_component_by_component() -> None:
    text = str(explain_modulus(Problem(22, range(9))))
    assert "Modulo 2 all classes are identified: phi(2) = 1 is at most 9 rows." in text
    assert (
        "The 11 classes modulo 11 form 10 groups, because phi(11) = 10 is more than 9 rows: "
        "9 are identified, the other 2 are mixed in 1 group." in text
    )
    assert (
        "So the 22 classes modulo 22 form 20 groups: 18 are identified, the other 4 are mixed in 2 groups."
        in text
    )
    assert "For example: modulo 16" in str(explain_modulus(Problem(16, range(3))))
    assert "All 11 classes modulo 11 are mixed." in str(explain_modulus(Problem(11, range(9), primes=4)))
    capped = str(explain_modulus(Problem(4, range(2), cap=1)))
    assert "The 4 classes modulo 4 form 2 groups: all are mixed in 2 groups." in capped
    assert "each has a signature of its own" in str(explain_modulus(Problem(3, [0, 5])))


@fixed
@given(st.integers(2, 120), windows, st.integers(1, 20))
def test_the_classes_in_words_are_counted_as_in_the_groups(
    modulus: int, offsets: set[int], primes: int
) -> None:
    groups = predict(modulus, offsets, primes).groups
    alone = sum(len(group) == 1 for group in groups)
    text = str(explain_modulus(Problem(modulus, offsets, primes)))
    if len(groups) == modulus:
        assert "mixed in" not in text
    elif len(groups) == 1:
        assert f"ll {modulus} classes modulo {modulus} are mixed" in text
    else:
        assert f"classes modulo {modulus} form {len(groups)} groups" in text
        assert (f"the other {modulus - alone} are mixed in {len(groups) - alone} group" in text) == (
            alone > 0
        )


def test_numbers_that_are_their_own_classes_are_not_reduced() -> None:
    small = str(explain_modulus(Problem(16, range(3))))
    assert "To check by hand: the windows of 4 and 12 show the same exponents at every prime of 16" in small
    large = str(explain_class(Problem(16, range(-20, -17)), 5))
    assert "To check by hand: 21 is 5 and 33 is 1 modulo 16, and their windows show" in large


@pytest.mark.parametrize("shows", [ColumnContent.VALUATIONS, ColumnContent.RESIDUES])
def test_every_explanation_begins_with_the_law(shows: ColumnContent) -> None:
    problem = Problem(22, [-1, 0, 4], primes=4, shows=shows)
    explained = explain_modulus(problem), explain_class(problem, 3), explain_number(problem, 25)
    for explanation in explained:
        assert explanation.law == law_of(problem)
        assert str(explanation).splitlines()[1] == explanation.law
        assert explanation.law not in explanation.sentences
        assert explanation.to_dict()["law"] == explanation.law
        assert "<p>Two classes c and c&#x27; modulo 22" in explanation._repr_html_()
    silent = explain_modulus(Problem(22, [0], shows=ColumnContent.OTHER))
    assert silent.law is None
    assert silent.paragraphs == silent.sentences


def test_a_number_is_explained_by_its_rows() -> None:
    known = str(explain_number(Problem(11, range(9)), 123_456))
    assert "row n+8 is a multiple of 11: n is 3 modulo 11" in known
    assert "123464" in known
    still_open = str(explain_number(Problem(11, range(9)), 12))
    assert "no row is a multiple of 11: n is 1 or 2 modulo 11; which of them remains open" in still_open
    assert "2 classes remain open" in still_open


def test_explanations_speak_html_and_json() -> None:
    explanation = explain_class(Problem(16, range(3)), 3)
    page = explanation._repr_html_()
    assert page.count("<table>") == page.count("</table>") == 1
    assert "<td>11</td>" in page
    data = json.loads(json.dumps(explanation.to_dict()))
    assert data["certificate"]["numbers"] == [3, 11]
    assert "<td>" in explain_number(Problem(16, range(3)), 3)._repr_html_()


@pytest.mark.parametrize("residue", [-1, 11])
def test_a_class_is_one_of_the_classes(residue: int) -> None:
    with pytest.raises(InputError, match=f"class {residue}: must be from 0 to 10"):
        explain_class(Problem(11, range(9)), residue)


def test_a_number_needs_a_positive_window() -> None:
    with pytest.raises(InputError, match="number 0"):
        explain_number(Problem(11, range(9)), 0)
    with pytest.raises(InputError, match="number 3"):
        explain_number(Problem(11, [-3, 0]), 3)
