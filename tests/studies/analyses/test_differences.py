"""Cells that differ from the paper: their seeds, their curves, and the other size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pconv.config import RunConfig
from pconv.result import Epoch, Evaluation
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.differences import differences
from pconv.window import successor_window
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import judged


def trained(accuracies: list[float], losses: list[float], **fields: Any) -> JudgedRun:
    """A run with these accuracies and losses by epoch; the best epoch is that of the highest accuracy."""
    made = result(RunConfig(**fields))
    epochs = tuple(
        Epoch(i, loss, accuracy, 1.0)
        for i, (loss, accuracy) in enumerate(zip(losses, accuracies, strict=True), start=1)
    )
    right = round(512 * max(accuracies))
    counts = [[0] * made.config.modulus for _ in range(made.config.modulus)]
    counts[0][:2] = [right, 512 - right]
    best = accuracies.index(max(accuracies)) + 1
    return judged(replace(made, epochs=epochs, best_epoch=best, validation=Evaluation.from_lists(counts)))


SEVENTEEN: dict[str, Any] = {"modulus": 17, "offsets": successor_window(16), "kernel": (3,)}


def test_seeds_plateaus_and_epochs_with_the_papers_figure() -> None:
    """The paper has 0.07 at m=17, B=16, k=3."""
    escaped = trained([0.08, 0.07, 0.66], [2.85, 2.83, 1.2], **SEVENTEEN)
    stuck = trained([0.06, 0.07, 0.07], [2.83, 2.83, 2.83], **SEVENTEEN, seed=1)
    large = trained([0.07, 0.08, 0.08], [2.83, 2.83, 2.83], **SEVENTEEN, primes=5_000)
    answer = differences([escaped, stuck, large])
    assert answer.sentence.startswith(
        "Fisher's exact test at 1% finds a difference in 0 of 1 compared cell at N=5,000; 1 of 1 compared "
        "cell at N=32. Ours is higher in 1 of 1. Seeds: 1 of them have runs of several seeds, and in 1 of"
    )
    assert "Size: 1 were run at the other size too, and 1 agree there." in answer.sentence
    assert "in 1 the paper's figure is that of guessing" in answer.sentence
    [row] = answer.rows
    assert row[:4] == ("m=17, B=16, k=3", "0.07", "1.000", "0.660, 0.070")
    assert row[4:8] == ("1 of 2", "0.080, agrees", "2, 3", "1, 2")


def test_nothing_to_list() -> None:
    assert differences([]).sentence == NOT_RUN
    answer = differences([trained([1.0], [0.1], modulus=7)])
    assert answer.sentence.endswith("finds a difference in 0 of 1 compared cell at N=32.")
    assert answer.rows == ()
