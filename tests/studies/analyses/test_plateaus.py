"""Plateaus at the start of a training: the lowest printed cell, and binary digits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pconv.config import RunConfig
from pconv.result import Epoch
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.plateaus import binary_digits, lowest_printed_cell, plateau
from pconv.window import successor_window
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import ideal, judged, knowing


def test_the_lowest_printed_cell() -> None:
    cell = {"modulus": 17, "offsets": successor_window(16)}
    runs = [ideal(**cell, kernel=(3,)), knowing(0.5, **cell, kernel=(5,)), ideal(**cell, kernel=(3,), seed=1)]
    answer = lowest_printed_cell(runs)
    assert answer.sentence.startswith("2 runs: best of 512 from 1.000 to 1.000; 0 of them agree")
    assert len(answer.rows) == 2


def on_plateau(losses: list[float], **fields: Any) -> JudgedRun:
    made = result(RunConfig(**fields))
    epochs = tuple(Epoch(i, loss, 0.07, 1.0) for i, loss in enumerate(losses, start=1))
    return judged(replace(made, epochs=epochs, best_epoch=1))


def test_plateaus_are_counted_from_the_start() -> None:
    cell: dict[str, Any] = {"modulus": 17, "offsets": successor_window(16), "kernel": (3,)}
    escaped = on_plateau([2.86, 2.83, 2.81, 1.2, 2.83], **cell)
    stuck = on_plateau([2.83] * 5, **cell, seed=1)
    assert (plateau(escaped), plateau(stuck)) == (3, 5)
    answer = lowest_printed_cell([escaped, stuck])
    assert (
        "for up to 5 epochs (m=17, B=16, k=3, seed 1, where the accuracy on the 512 numbers is 0.070 to "
        "0.070)" in answer.sentence
    )
    assert answer.sentence.endswith("1 of ours did.")
    never = lowest_printed_cell([on_plateau([2.7, 1.0], **cell)])
    assert "No run's loss stays within 0.05 nats of ln 17 for an epoch." in never.sentence


def test_binary_digits_that_stayed_on_the_plateau_prove_nothing() -> None:
    learned = on_plateau([1.2, 1.1, 0.2], modulus=6, representation="binary", architecture="mlp")
    stuck = on_plateau([1.1, 1.1, 1.1], modulus=3, representation="binary", architecture="mlp")
    power = on_plateau([1.1, 0.0, 0.0], modulus=4, representation="binary")
    guess = knowing(1 / 3, modulus=3)
    stuck = JudgedRun(replace(stuck.result, test=guess.result.test))
    answer = binary_digits([learned, stuck, power])
    assert answer.sentence.startswith("3 runs, 1 of them modulo a power of two. Of the other 2, 1 are right")
    assert "m=6, B=8, mlp, binary after epoch 2" in answer.sentence
    assert "1 were still on that plateau" in answer.sentence
    assert binary_digits([power]).sentence == NOT_RUN
