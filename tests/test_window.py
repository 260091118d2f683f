"""Windows as sets of offsets."""

from __future__ import annotations

from typing import Any

import pytest

import pconv
from pconv.errors import InputError
from pconv.window import canonical_offsets, parse_offsets, successor_count, successor_window


@pytest.mark.parametrize("text", ["", "a", "3:3", "5:2", "1:2:3", "1,,2", "1,1", "0:99999999", "1.5", ":"])
def test_invalid_offsets_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="offsets"):
        parse_offsets(text)


def test_offsets_are_a_set() -> None:
    assert canonical_offsets([3, -1, 0]) == (-1, 0, 3)
    assert parse_offsets("-2:1") == (-2, -1, 0)


def test_successors_are_counted_where_the_window_is_of_them() -> None:
    assert [successor_count(successor_window(count)) for count in (0, 1, 8)] == [0, 1, 8]
    assert [successor_count(offsets) for offsets in ((1, 2), (-1, 0, 1), (0, 2))] == [None, None, None]
    with pytest.raises(InputError, match="successors -1"):
        successor_window(-1)


@pytest.mark.parametrize("offsets", [8, "0:9", 2.5])
def test_a_window_is_a_sequence_of_offsets(offsets: Any) -> None:
    with pytest.raises(InputError, match="must be a sequence of offsets"):
        pconv.predict(11, offsets)
