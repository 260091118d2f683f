"""Each view of a cell, without a run and with one or several seeds."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from pconv.config import RunConfig
from pconv.result import Epoch
from pconv.studies import axes
from pconv.studies.cell import CellResult, Replicated, StudyCell
from pconv.studies.views import ACCURACY, CONFUSION, EXTRAPOLATION, LOSS, NARROW, THEORIES, TIME

CELL = StudyCell("m=11", "B=8", RunConfig(modulus=11), paper=0.92, minutes=25)
RUN = CellResult(
    CELL,
    ceiling=0.911,
    accuracy=0.9,
    census_accuracy=0.91,
    verdicts={"signature": "confirmed", "paper": "refuted"},
    seconds=12.34,
    epochs=(Epoch(1, 2.0, 0.5, 6.0), Epoch(2, 0.25, 0.9, 6.34)),
    confusion=((9, 1, 0), (0, 10, 0), (0, 0, 10)),
)
NO_RUN = CellResult(CELL, ceiling=0.911)


def test_accuracy() -> None:
    assert ACCURACY.lines([RUN]) == ["0.900 (census 0.910) / 0.92 / 0.911", "confirmed"]
    assert ACCURACY.lines([NO_RUN]) == ["- / 0.92 / 0.911"]
    assert ACCURACY.lines([replace(RUN, accuracy=0.5, census_accuracy=None)]) == [
        "≠ 0.500 / 0.92 / 0.911",
        "confirmed (no census)",
    ]
    own = replace(RUN, cell=replace(CELL, paper=None))
    assert ACCURACY.lines([own])[0] == "0.900 (census 0.910) / 0.911"


def test_several_seeds() -> None:
    over_seeds = Replicated("mixed", "")
    second = replace(
        RUN, accuracy=0.92, census_accuracy=None, verdicts={"signature": "undecided"}, replicates=over_seeds
    )
    assert ACCURACY.lines([RUN, second]) == [
        "0.910 (0.900..0.920) (census 0.910) / 0.92 / 0.911",
        "1 confirmed, 1 undecided (no census)",
        "over all seeds: mixed",
    ]


def test_narrow() -> None:
    assert NARROW.lines([RUN]) == ["0.900", "(census 0.910)", "≤ 0.911", "confirmed"]
    assert NARROW.lines([replace(RUN, ceiling=None, verdicts={})]) == ["0.900", "(census 0.910)", "no theory"]


def test_times_and_losses() -> None:
    assert TIME.lines([RUN]) == ["12.3 s / 25 min"]
    assert TIME.lines([replace(NO_RUN, cell=replace(CELL, minutes=None))]) == ["- / -"]
    assert LOSS.lines([RUN]) == ["█▂", "2.000 → 0.2500"]
    assert LOSS.lines([NO_RUN]) == ["-"]
    assert LOSS.lines([replace(RUN, epochs=(Epoch(1, 0.0, 1.0, 1.0),))]) == ["▁", "0.000 → 0.0000"]


def test_confusions_and_theories() -> None:
    assert CONFUSION.lines([RUN]) == ["{0,1}", "confirmed"]
    assert CONFUSION.lines([NO_RUN]) == ["-"]
    assert THEORIES.lines([RUN]) == [
        "0.900 (census 0.910) / 0.911",
        "signature: confirmed",
        "paper: refuted",
    ]


def test_windows_that_are_not_successors() -> None:
    """B says nothing about them; the offsets do."""
    config = RunConfig(modulus=7, offsets=(-1, 0, 2))
    document = CellResult(StudyCell("", "", config), None).to_dict()
    assert (document["successors"], document["offsets"]) == (None, [-1, 0, 2])
    assert CellResult(CELL, None).to_dict()["successors"] == 8
    assert [axes.successors(RunConfig(modulus=7, offsets=o)) for o in ((0, 1), (1, 2))] == [
        "B=1",
        "offsets 1,2",
    ]


def test_extrapolation() -> None:
    found: Any = SimpleNamespace(what="10^18", predicted="accuracy 1", observed="99%", agrees=False)
    lines = EXTRAPOLATION.lines([replace(RUN, beyond=(found,))])
    assert lines[-1] == "10^18: accuracy 1: 99%, does not"
