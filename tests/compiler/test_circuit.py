"""The description of a circuit."""

from __future__ import annotations

from pconv import compile_network
from pconv.compiler.circuit import Bit, Digit


def test_hidden_units_are_named_by_index() -> None:
    circuit = compile_network(50, range(9)).circuit
    assert circuit.bits == (Bit(0, 0), *(Bit(1, place) for place in range(4)))  # 2 groups, 14 groups
    assert circuit.digits == (Digit(0, 0), Digit(1, 0))
    assert [circuit.digit_of(Digit(0, 0), k) for k in range(4)] == [0, 1, 0, 1]
    assert circuit.groups == 2 * 14
    lines = str(circuit).splitlines()
    parts = (circuit.channels, circuit.units, circuit.bits, circuit.digits)
    assert len(lines) == sum(map(len, parts))
    assert lines[-1] == "linear.act3, unit 1: digit 0 of the number of the group modulo 25"


def test_a_large_group_number_has_two_digits() -> None:
    circuit = compile_network(64, range(32), architecture="mlp").circuit
    assert circuit.groups == 64
    assert circuit.digits == (Digit(0, 0), Digit(0, 1))
    assert [circuit.digit_of(d, 63) for d in circuit.digits] == [31, 1]
