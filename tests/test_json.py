from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pconv._json import MOST_DIGITS, canonical_json, long_numbers, read_json, strict_json
from pconv.errors import InputError


def test_a_name_that_an_object_has_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text('{"a": 1, "b": [{"low": 2, "high": 1, "low": 3}]}')
    with pytest.raises(
        InputError, match=r"d.json: cannot be read as JSON \(an object has the name 'low' twice"
    ):
        read_json(path, "check")
    path.write_text('{"a": 1, "b": [{"a": 2}, {"a": 3}]}')
    assert read_json(path, "check") == {"a": 1, "b": [{"a": 2}, {"a": 3}]}


@pytest.mark.parametrize(("one", "other"), [(4, 4.0), (0, False), ([1], [True]), ("1", 1), (None, 0)])
def test_equal_values_of_other_types_are_told_apart(one: object, other: object) -> None:
    assert canonical_json({"x": one}) != canonical_json({"x": other})
    assert canonical_json({"x": one, "y": 2}) == canonical_json({"y": 2, "x": one})


@pytest.mark.parametrize("before", [4300, 640, 2 * MOST_DIGITS, 0])
def test_the_limit_of_digits_is_raised_and_restored(before: int) -> None:
    usual = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(before)
        with pytest.raises(KeyboardInterrupt), long_numbers(), long_numbers():
            _interrupted(10 ** (MOST_DIGITS - 1))
        assert sys.get_int_max_str_digits() == before
    finally:
        sys.set_int_max_str_digits(usual)


def _interrupted(number: int) -> None:
    assert len(str(number)) == MOST_DIGITS
    raise KeyboardInterrupt


def test_long_numbers_are_written() -> None:
    text = strict_json({"n": 10**5_000, "loss": float("inf")})
    with long_numbers():
        assert json.loads(text) == {"n": 10**5_000, "loss": None}
