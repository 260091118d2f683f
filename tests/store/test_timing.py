"""Estimated times: more work takes longer, and the store's own times are believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pconv.config import RunConfig
from pconv.store.timing import Timing, estimated_seconds, guessed_epoch

QUICK = RunConfig(modulus=11)


@pytest.mark.parametrize("more", [{"primes": 64}, {"channels": (8,)}, {"batches": 800}, {"batch_size": 512}])
def test_more_work_takes_longer(more: dict[str, object]) -> None:
    assert guessed_epoch(replace(QUICK, **more)) > guessed_epoch(QUICK)  # type: ignore[arg-type]


def test_the_same_shape_takes_what_it_took() -> None:
    known = [Timing(replace(QUICK, modulus=m), 3.0) for m in (7, 13)] + [
        Timing(RunConfig(modulus=7, primes=5000), 500.0)
    ]
    assert estimated_seconds(QUICK, known) == pytest.approx(30)
    assert estimated_seconds(replace(QUICK, batches=200), known) == pytest.approx(15)


def test_other_shapes_are_scaled_from_the_nearest() -> None:
    slow = [Timing(QUICK, 2 * guessed_epoch(QUICK))]
    other = replace(QUICK, primes=64)
    assert estimated_seconds(other, slow) == pytest.approx(2 * estimated_seconds(other, []))
