"""Confusion figures against plain definitions and against the runs they show."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pconv.report.figures.confusion import (
    answer_sets,
    block_kinds,
    confusion_figure,
    draw_confusion,
    run_confusion,
)
from pconv.result import Evaluation
from pconv.store.run import JudgedRun
from pconv.theory import predict
from tests.report.fakes import run
from tests.report.plain import signature

SMALL: dict[str, Any] = {"batches": 4, "epochs": 2, "test_size": 2_000}


@pytest.mark.parametrize(("modulus", "count"), [(11, 8), (16, 2), (22, 8), (25, 8), (36, 2), (7, 8), (64, 0)])
def test_confusion_shows_what_looks_alike(modulus: int, count: int) -> None:
    figure = confusion_figure(predict(modulus, range(count + 1)))
    signatures = [signature(modulus, count, c) for c in range(modulus)]
    sizes = Counter(signatures)
    for i in range(modulus):
        assert (figure.kinds[i] in ("mixed", "apart")) == (sizes[signatures[i]] > 1)
        for j in range(modulus):
            assert figure.free(i, j) == (signatures[i] == signatures[j])


def test_the_papers_colours() -> None:
    kinds = block_kinds(predict(11, range(9)))
    assert kinds == ("zero", "mixed", "mixed", *["last"] * 8)
    assert block_kinds(predict(22, range(9))) == kinds * 2
    apart = block_kinds(predict(16, range(3)))
    assert [c for c in range(16) if apart[c] == "other"] == [6, 7, 8]


def test_a_confusion_keeps_the_counts() -> None:
    counts = Evaluation(((3, 1), (0, 4)))
    assert confusion_figure(predict(2, range(2)), counts).counts == ((3, 1), (0, 4))


def test_a_confusion_is_that_of_the_census() -> None:
    made = run(modulus=11, census=30_000, **SMALL)
    assert made.result.census is not None
    figure = run_confusion(made)
    assert figure.counts == made.result.census.answers.confusion
    assert figure.title == "$m=11$, $B=8$, $k=7$\nall 30,000 unseen numbers"
    whole = replace(made.result, census=replace(made.result.census, numbers="all"))
    assert run_confusion(JudgedRun(whole)).title.endswith("\nall 30,000 numbers of the domain")


def test_a_confusion_without_a_census_is_that_of_the_test_set() -> None:
    made = run(modulus=11, **SMALL)
    figure = run_confusion(made)
    assert figure.counts == made.result.test.confusion
    assert figure.title == "$m=11$, $B=8$, $k=7$\n2,000 test numbers, no census"


def test_sets_of_answers_are_by_epoch_after_that_of_the_verdict() -> None:
    """A snapshot of the best epoch is the test set itself."""
    made = run(modulus=7, census=3_000, snapshots=(3, 1), batches=4, epochs=3, test_size=500).result
    assert [(each.numbers, each.epoch) for each in answer_sets(made)] == [
        ("all 3,000 unseen numbers", 1),
        ("500 test numbers", 1),
        ("500 test numbers", 3),
    ]
    without = answer_sets(replace(made, census=None))
    assert [(each.numbers, each.epoch) for each in without] == [
        ("500 test numbers, no census", 3),
        ("500 test numbers", 1),
    ]
    assert without[1].answers == made.snapshots[1].test


def test_a_large_matrix_is_one_image() -> None:
    prediction = predict(101, range(9))
    axes = draw_confusion(confusion_figure(prediction)).axes[0]
    (image,) = axes.images
    filled = (np.asarray(image.get_array()) < 1).any(axis=2)
    assert (filled == prediction.pattern).all()
    assert not axes.patches
