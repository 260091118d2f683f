"""The progress of a sweep without a terminal: lines at the start, when loops are compiled, and at times."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pconv.cli.views.live import Display, duration, live
from pconv.store.sqlite import Store
from pconv.sweeps.job import Job, Progress
from pconv.sweeps.runner import Capacity, Running, Sweep
from pconv.training.options import RunOptions
from tests.fakes import fake_result, tiny


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Its only entry is the time."""
    now = [100.0]
    # the clock of these modules alone: event loops of other tests may run in this process
    for module in ("live", "progress"):
        monkeypatch.setattr(f"pconv.cli.views.{module}.time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.fixture
def sweep(store: Store) -> Sweep:
    """Without a census: the time left is that of epochs."""
    store.finish(fake_result(tiny(0)), None, {}, "me")
    return Sweep(
        store=store,
        executor=Executor(),
        capacity=Capacity(2, 2, 1),
        owner="me",
        worker_lost=(),
        options=RunOptions(census=False),
    )


def test_lines_of_a_sweep(sweep: Sweep, clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [tiny(seed) for seed in range(3)]
    with live(sweep, wanted, quiet=False):
        assert sweep.on_poll is not None
        sweep.finished, sweep.waiting = [tiny(0)], [tiny(2)]
        sweep.running[Future()] = Running(Job(tiny(1)), 0.0)
        sweep.on_poll()
        plan = capsys.readouterr().err
        assert plan.startswith("pconv: 2 runs to be computed, 1 in the store already; in about ")
        sweep.on_progress(Progress(tiny(1).run_id, stage="compiling the training loops"))
        for _ in range(3):
            sweep.on_poll()
        assert capsys.readouterr().err == "pconv: compiling the training loops\n"
        sweep.on_progress(Progress(tiny(1).run_id, 1, 0.5))
        for _ in range(25):
            clock[0] += 0.9
            sweep.on_poll()
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 2, "in 22 seconds"
        assert lines[0].startswith("pconv: 1 of 3 cells done, 1 running; -m 3 -B 3 ")
        assert lines[0].endswith(": epoch 1.0/2, accuracy 0.500")
        for _ in range(300):
            clock[0] += 1
            sweep.on_poll()
        assert len(capsys.readouterr().err.splitlines()) == 8, "4 in the first minute, then 4 of 260 seconds"
    assert capsys.readouterr().out == ""


def test_quiet_has_no_lines(sweep: Sweep) -> None:
    with live(sweep, [tiny()], quiet=True):
        assert sweep.on_poll is None


def test_a_long_line_names_some_of_the_running_jobs(
    sweep: Sweep, clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with live(sweep, [tiny(seed) for seed in range(20)], quiet=False):
        assert sweep.on_poll is not None
        for seed in range(20):
            sweep.running[Future()] = Running(Job(tiny(seed)), 0.0)
        clock[0] += 60
        sweep.on_poll()
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.count(": starting") == 4
    assert line.endswith("; and 16 more")


@pytest.mark.parametrize("resumed", [0, 4])
def test_time_left_counts_the_part_of_the_epoch_that_is_running_and_no_earlier_epochs(
    sweep: Sweep, clock: list[float], resumed: int
) -> None:
    config = replace(tiny(), epochs=10)
    sweep.running[Future()] = Running(Job(config), 0.0)
    display = Display(sweep, 1)
    sweep.on_progress(Progress(config.run_id, stage="compiling the training loops"))
    shown = [display.summary().plain]
    sweep.on_progress(Progress(config.run_id, resumed, share=0.01))
    for quarter in range(1, 8):
        clock[0] += 15
        shown.append(display.summary().plain)
        sweep.on_progress(Progress(config.run_id, resumed + quarter // 4, share=quarter % 4 / 4))
    shown.append(display.summary().plain)
    assert set(shown[:5]) == {"0 of 1 cells done, 1 running"}, "until an epoch is done"
    minutes = 10 - resumed - 1.75
    assert shown[-1].endswith(f"about {duration(60 * minutes)} left")


def test_time_left_counts_the_epochs_before_the_first_line(sweep: Sweep, clock: list[float]) -> None:
    config = replace(tiny(), epochs=10)
    sweep.running[Future()] = Running(Job(config), 0.0)
    display = Display(sweep, 1)
    for epoch, share in ((0, 0.01), (1, 0.0), (1, 0.5)):
        sweep.on_progress(Progress(config.run_id, epoch, share=share))
    clock[0] += 90
    assert display.summary().plain.endswith(f"about {duration(60 * 8.5)} left")


def test_time_left_counts_the_share_of_the_census(sweep: Sweep, clock: list[float]) -> None:
    sweep.options = RunOptions()
    config = replace(tiny(), epochs=10)
    sweep.running[Future()] = Running(Job(config), 0.0)
    display = Display(sweep, 1)
    sweep.on_progress(Progress(config.run_id, share=0.01))
    clock[0] += 3600
    sweep.on_progress(Progress(config.run_id, 10))
    before = display.summary().plain
    sweep.on_progress(Progress(config.run_id, 10, stage="census 3 of 4", census=0.75))
    after = display.summary().plain
    sweep.on_progress(Progress(config.run_id, 10, stage="census 4 of 4", census=1.0))
    assert len({before, after, display.summary().plain}) == 3
    assert display.summary().plain == "0 of 1 cells done, 1 running, about 0 s left"
