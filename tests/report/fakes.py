"""Runs made up for pictures: readers who do exactly as the signature theory predicts, and hostile names."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from pconv.config import RunConfig
from pconv.result import Census, Environment, Epoch, Evaluation, RunResult, Snapshot
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from pconv.theory import predict

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"


def result(
    config: RunConfig, engine: str = "dense", census: int = 0, snapshots: Sequence[int] = ()
) -> RunResult:
    """An ideal reader: it answers at random inside the group of the true class.

    A `census` of so many numbers is taken at the first epoch, the one of the lowest held-out loss.
    """
    chance = random.Random(config.run_id)
    floor = predict(config.modulus, config.offsets).loss_floor
    epochs = tuple(
        Epoch(i, 2.0 / i, 0.5 + 0.04 * i, 1.25, floor + 0.001 * i if census else None)
        for i in range(1, config.epochs + 1)
    )
    return RunResult(
        config=config,
        losses=tuple(2.0 / (1 + i / 40) for i in range(config.batches * config.epochs)),
        epochs=epochs,
        best_epoch=config.epochs,
        validation=_answers(config, 512, chance),
        test=_answers(config, config.test_size, chance),
        disjoint_test=None,
        environment=Environment(engine, "cpu", 1, {"python": "3", "torch": "2"}),
        census=Census("unseen", 1, floor + 0.001, _answers(config, census, chance), None, ())
        if census
        else None,
        snapshots=tuple(Snapshot(epoch, _answers(config, config.test_size, chance)) for epoch in snapshots),
    )


def run(census: int = 0, snapshots: Sequence[int] = (), **fields: Any) -> JudgedRun:
    """A run with its verdicts."""
    made = result(RunConfig(**fields), census=census, snapshots=snapshots)
    return JudgedRun(made, verdicts_on(made))


def _answers(config: RunConfig, size: int, chance: random.Random) -> Evaluation:
    prediction = predict(config.modulus, config.offsets)
    groups = [prediction.group_of(c) for c in range(config.modulus)]
    counts = [[0] * config.modulus for _ in range(config.modulus)]
    for _ in range(size):
        c = chance.randrange(config.modulus)
        counts[c][chance.choice(groups[c])] += 1
    return Evaluation.from_lists(counts)
