"""The threads share out their calls, and leave the caller what is the caller's."""

from __future__ import annotations

import threading

import pytest

from pconv.engines.sparse.workers import Workers


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_call_is_made_once_and_the_caller_s_own_by_the_caller(threads: int) -> None:
    made: list[tuple[int, int]] = []
    taken = threading.Event()

    def note(number: int) -> None:
        made.append((number, threading.get_ident()))
        taken.set()

    def own() -> None:
        if threads > 1:
            assert taken.wait(60)  # others are at work already
        note(-1)

    Workers(threads).run([(note, number) for number in range(20)], (own,))
    assert sorted(number for number, _ in made) == list(range(-1, 20))
    assert dict(made)[-1] == threading.get_ident()


def test_an_error_in_another_thread_is_the_caller_s() -> None:
    def fail() -> None:
        raise ArithmeticError("lost")

    with pytest.raises(ArithmeticError, match="lost"):
        Workers(2).run([(fail,), (fail,)])
