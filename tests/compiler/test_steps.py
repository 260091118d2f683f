"""Groups as sums of steps, against the partition of the signature theory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.compiler.steps import prime_code, prime_codes
from pconv.data.factorization import PrimePower
from pconv.theory.problem import Problem
from pconv.theory.signature import SignaturePartition, valuation

POWERS = [(p, a) for p in (2, 3, 5, 7, 11, 31, 101, 1021) for a in range(1, 11) if p**a <= 1024]
windows = st.lists(st.integers(-60, 60), min_size=1, max_size=14, unique=True).map(sorted)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(power=st.sampled_from(POWERS), offsets=windows, n=st.integers(10**6, 2**62))
def test_the_steps_add_up_to_the_group(power: tuple[int, int], offsets: list[int], n: int) -> None:
    prime, levels = power
    code = prime_code(prime, levels, offsets)
    partition = SignaturePartition(PrimePower(prime, levels), tuple(offsets), levels)
    labels = partition.labels().tolist()
    assert len(set(zip(code.labels, labels, strict=True))) == code.count == partition.count
    assert len(code.steps) == code.count - 1  # as many as the splitting law has splits
    for number in (n, -offsets[0] + prime**levels * n):  # the second hits the first row at every level
        exponents = {o: valuation(number + o, prime, 62) for o in offsets}
        assert code.read(exponents) == code.labels[number % code.power]


def test_a_prime_without_a_column_has_no_code() -> None:
    assert [code.prime for code in prime_codes(Problem(22, range(9), primes=4))] == [2]
    assert prime_codes(Problem(11, range(9), primes=4)) == ()
