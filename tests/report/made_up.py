"""Runs made up for pictures: readers who do exactly as the signature says, and hostile names."""

from __future__ import annotations

import random
from typing import Any

from pconv.config import RunConfig
from pconv.lab.source import Run
from pconv.result import Environment, Epoch, Evaluation, RunResult
from pconv.theory import predict
from pconv.verify.comparison import compare

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"


def result(config: RunConfig, engine: str = "dense") -> RunResult:
    """An ideal reader: it answers at random inside the group of the true class."""
    chance = random.Random(config.run_id)
    epochs = tuple(Epoch(i, 2.0 / i, 0.5 + 0.04 * i, 1.25) for i in range(1, config.epochs + 1))
    return RunResult(
        config=config,
        losses=tuple(2.0 / (1 + i / 40) for i in range(config.batches * config.epochs)),
        epochs=epochs,
        best_epoch=config.epochs,
        validation=_answers(config, 512, chance),
        test=_answers(config, config.test_size, chance),
        gap=None,
        environment=Environment(engine, "cpu", 1, {"python": "3", "torch": "2"}),
    )


def run(**fields: Any) -> Run:
    """A run with its verdicts."""
    made = result(RunConfig(**fields))
    return Run(made, {verdict.theory: verdict.to_dict() for verdict in compare(made).verdicts})


def _answers(config: RunConfig, size: int, chance: random.Random) -> Evaluation:
    prediction = predict(config.modulus, config.offsets)
    groups = [prediction.group_of(c) for c in range(config.modulus)]
    counts = [[0] * config.modulus for _ in range(config.modulus)]
    for _ in range(size):
        c = chance.randrange(config.modulus)
        counts[c][chance.choice(groups[c])] += 1
    return Evaluation.from_lists(counts)
