"""Trends of time over moduli and epochs, and the fastest kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pconv.config import RunConfig
from pconv.result import Epoch
from pconv.store.run import JudgedRun
from pconv.studies.analyses import NOT_RUN
from pconv.studies.analyses.cost import fastest_kernel, time_over_epochs, time_over_moduli
from tests.report.fakes import result


def timed(seconds: float, count: int = 3, slower: float = 0.0, **fields: Any) -> JudgedRun:
    made = result(RunConfig(**fields))
    epochs = tuple(Epoch(i, 1.0 / i, 0.9, seconds + slower * i) for i in range(1, count + 1))
    return JudgedRun(replace(made, epochs=epochs, best_epoch=1))


def test_time_over_moduli() -> None:
    def over(slope: float, kernel: int) -> list[JudgedRun]:
        return [
            timed(2.0 * (1 + slope * m) * (1 + 0.02 * (m % 3)), modulus=m, kernel=(kernel,))
            for m in range(2, 31)
        ]

    answer = time_over_moduli([*over(0, 3), *over(0, 7)])
    assert answer.sentence.startswith("58 runs in 2 setups")
    change, low, high = _figures(answer.sentence)
    assert low <= 0 <= high
    assert abs(change) < 5
    change, low, _ = _figures(time_over_moduli([*over(0.05, 3), *over(0.05, 7)]).sentence)
    assert change > 50
    assert low > 0
    assert time_over_moduli(over(0, 3)[:1]).sentence == NOT_RUN


def _figures(sentence: str) -> tuple[int, int, int]:
    """The change and its interval, in percent."""
    import re

    found = re.search(r"changes by ([+-]\d+)% \(99% interval ([+-]\d+)% to ([+-]\d+)%", sentence)
    assert found, sentence
    change, low, high = map(int, found.groups())
    return change, low, high


def test_setups_are_not_mixed() -> None:
    """A newer engine is slower at the moduli that it was run on: no trend."""
    old = [timed(1.0, modulus=m) for m in range(2, 12)]
    new = [timed(3.0, modulus=m) for m in range(12, 22)]
    newer = [
        JudgedRun(replace(run.result, environment=replace(run.result.environment, revision=1))) for run in new
    ]
    assert _figures(time_over_moduli([*old, *newer]).sentence) == (0, 0, 0)
    assert _figures(time_over_moduli([*old, *new]).sentence)[0] > 50


def test_time_over_epochs() -> None:
    even, growing = timed(2.0, 50, modulus=11), timed(0.1, 50, slower=1.0, modulus=13)
    assert (
        "changes by +0.0% every ten epochs (99% interval +0.0% to +0.0%" in time_over_epochs([even]).sentence
    )
    assert "changes by +0.0%" not in time_over_epochs([growing]).sentence
    assert time_over_epochs([even]).rows[0] == ("m=11, B=8, k=7", "20.0", "100.0", "5.00", "5.0")


def test_epochs_without_a_time_are_left_out() -> None:
    """An imported document may give 0 seconds."""
    never = [timed(0.0, 50, modulus=m) for m in range(2, 31)]
    assert time_over_moduli(never).sentence == NOT_RUN
    assert time_over_epochs(never).sentence == NOT_RUN
    some = [timed(2.0, 50, modulus=m) for m in range(2, 31)]
    assert time_over_moduli([*never, *some]).sentence.startswith("29 runs in 1 setup")
    late = some[0].result
    first = tuple(replace(epoch, seconds=2.0 * (epoch.epoch > 10)) for epoch in late.epochs)
    both = time_over_epochs([JudgedRun(replace(late, epochs=first)), *never, some[1]])
    assert [row[1:] for row in both.rows] == [
        ("0.0", "80.0", "–", "5.0"),
        ("20.0", "100.0", "5.00", "5.0"),
    ]


def test_the_fastest_kernel() -> None:
    def falling(kernel: int, power: float) -> JudgedRun:
        made = result(RunConfig(modulus=7, kernel=(kernel,), early_stop=False))
        return JudgedRun(replace(made, epochs=tuple(Epoch(i, i**-power, 0.9, 1.0) for i in range(1, 11))))

    assert "in 1 of 1 comparison," in fastest_kernel([falling(3, 1), falling(5, 2), falling(7, 3)]).sentence
    assert "in 0 of 1 comparison," in fastest_kernel([falling(3, 4), falling(5, 2), falling(7, 3)]).sentence
    assert fastest_kernel([falling(3, 4), falling(5, 2)]).sentence == NOT_RUN


def test_runs_of_one_epoch_have_no_second() -> None:
    runs = [timed(1.0, 1, modulus=7, kernel=(k,), early_stop=False, epochs=1) for k in (3, 5, 7)]
    answer = fastest_kernel(runs)
    assert answer.rows[0][1:] == ("1.0000", "–", "1.0000", "none", "1.0000")
    assert {len(row) for row in answer.rows} == {len(answer.header)}


def test_names_from_files_are_text() -> None:
    runs = [timed(1.0, modulus=m) for m in range(2, 12)]
    how = replace(runs[0].result.environment, engine="a|b", versions={"cpu": "<c>"})
    answer = time_over_moduli([JudgedRun(replace(run.result, environment=how)) for run in runs])
    assert answer.rows[0][0].endswith("a&#124;b, revision 0, 1 thread, &lt;c&gt;")
