"""Estimated times: more work takes longer, and the store's own times are believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pconv.config import RunConfig
from pconv.store.timing import Timing, estimated_seconds, guessed_epoch, set_up_seconds

QUICK = RunConfig(modulus=11)


@pytest.mark.parametrize("more", [{"primes": 64}, {"channels": (8,)}, {"batches": 800}, {"batch_size": 512}])
def test_more_work_takes_longer(more: dict[str, object]) -> None:
    assert guessed_epoch(replace(QUICK, **more)) > guessed_epoch(QUICK)  # type: ignore[arg-type]


def test_the_same_shape_takes_what_it_took() -> None:
    known = [Timing(replace(QUICK, modulus=m), 3.0) for m in (7, 13)] + [
        Timing(RunConfig(modulus=7, primes=5000), 500.0)
    ]
    more = estimated_seconds(replace(QUICK, batches=800), known) - estimated_seconds(QUICK, known)
    assert more == pytest.approx(10 * 3.0), "400 batches more in each of ten epochs"


def test_other_shapes_are_scaled_from_the_nearest() -> None:
    slow = [Timing(QUICK, 2 * guessed_epoch(QUICK))]
    other = replace(QUICK, primes=64)
    times = [estimated_seconds(other, known) - set_up_seconds(other) for known in (slow, [])]
    assert times[0] == pytest.approx(2 * times[1])


def test_a_short_training_is_not_all_that_there_is() -> None:
    """A run of 80 steps takes a tenth of a second; its census of the domain some seconds."""
    short = replace(QUICK, primes=8, kernel=(3,), batches=20, batch_size=32, epochs=4)
    assert 3 < estimated_seconds(short, []) < 12
    assert estimated_seconds(short, [], census=False) < 2
    assert estimated_seconds(replace(short, limit=100_000), []) < 2


MEASURED = {
    (2, 9, 4, 256): 3.64,
    (8, 9, 4, 256): 4.75,
    (16, 9, 4, 256): 5.99,
    (32, 9, 4, 256): 7.69,
    (64, 9, 4, 256): 10.19,
    (128, 9, 4, 256): 13.55,
    (32, 3, 4, 256): 4.33,
    (32, 17, 4, 256): 13.19,
    (32, 25, 4, 256): 18.49,
    (32, 9, 1, 256): 5.24,
    (32, 9, 8, 256): 11.74,
    (64, 9, 16, 256): 27.04,
    (32, 9, 4, 32): 1.77,
    (1_000, 9, 4, 256): 25.27,
    (5_000, 9, 4, 256): 59.73,
}
"""Milliseconds of CPU time of a step by columns, rows, channels and batch size, on one core."""


@pytest.mark.parametrize("size", list(MEASURED), ids=str)
def test_guesses_are_within_a_fifth_of_what_was_measured(size: tuple[int, int, int, int]) -> None:
    columns, rows, channels, batch = size
    config = RunConfig(
        modulus=11,
        offsets=tuple(range(rows)),
        primes=columns,
        channels=(channels,),
        batch_size=batch,
        batches=1,
    )
    assert 1000 * guessed_epoch(config) == pytest.approx(MEASURED[size], rel=0.2)
