from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from pconv.certification.certify import certify
from pconv.certification.document import Interval, NetworkCertificate
from tests.certification.networks import SMALL, random_model


@pytest.fixture(scope="module")
def proved() -> NetworkCertificate:
    return certify(random_model(), width=0.5)


@pytest.fixture(scope="module")
def drawn() -> NetworkCertificate:
    return certify(random_model(), samples=60)


@pytest.mark.parametrize(
    ("ceiling", "shown"),
    [
        (Fraction(1, 7), "0.142858"),
        (Fraction(10, 11), "0.909091"),
        (Fraction(1, 8), "0.125"),
        (Fraction(1), "1"),
        (Fraction(10**9 - 1, 10**9), "1"),
    ],
)
def test_the_printed_ceiling_is_not_below_the_ceiling(
    proved: NetworkCertificate, ceiling: Fraction, shown: str
) -> None:
    assert Fraction(shown) >= ceiling
    certificate = replace(proved, ceiling=ceiling)
    assert certificate.sentences[-1] == f"No reader of the grid exceeds {shown}."


def test_both_intervals_of_a_sample_have_the_confidence_each_by_itself(
    proved: NetworkCertificate, drawn: NetworkCertificate
) -> None:
    (leaks,) = (sentence for sentence in drawn.sentences if sentence.startswith("Wrong for every"))
    assert leaks.endswith(
        f"; with the same confidence the density of these integers is in {drawn.leaks} "
        "(each of the two intervals by itself)."
    )
    assert "confidence" not in str(proved)


def test_what_a_representation_declares_is_a_condition_of_the_statement(
    proved: NetworkCertificate, drawn: NetworkCertificate
) -> None:
    condition = ", provided that the representation mine shows what it declares: the density of right"
    for certificate in (proved, drawn):
        own = replace(certificate, config={**certificate.config, "representation": "mine"})
        assert str(own).count("provided that") == 1
        assert condition in own.sentences[0]
        for name in ("exponents", "capped", "capped-2", "capped-3", "residues"):
            built_in = replace(certificate, config={**certificate.config, "representation": name})
            assert "provided" not in str(built_in)
    assert SMALL.representation == "exponents"


def test_numbers_with_more_digits_than_python_reads_are_shown(drawn: NetworkCertificate) -> None:
    long = Fraction(1, 10**5_000)
    (first, *_), place = drawn.examples, 10**5_000 + 1
    certificate = replace(
        drawn,
        right=Interval(long, 1 - long),
        examples=(replace(first, number=place, share=long),),
        details={**drawn.details, "covered": "1"},
    )
    assert "is in [0, 1]" in str(certificate)
    assert len(certificate.rows()[0][0]) == 5_001
    assert len(certificate.to_dict()["low_fraction"]) == 5_003
    assert "smallest n" in certificate._repr_html_()
