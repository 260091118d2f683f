"""A sweep without a terminal: a line at the start, when loops are compiled, and every ten seconds."""

from __future__ import annotations

from concurrent.futures import Executor, Future

import pytest

from pconv.cli.views.live import live
from pconv.store.sqlite import Store
from pconv.sweeps.job import Job, Progress
from pconv.sweeps.runner import Capacity, Running, Sweep
from tests.fakes import fake_result, tiny


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Its only entry is the time."""
    now = [100.0]
    monkeypatch.setattr("pconv.cli.views.progress.time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def sweep(store: Store) -> Sweep:
    store.finish(fake_result(tiny(0)), None, {}, "me")
    capacity = Capacity(2, 2, 1)
    return Sweep(store=store, executor=Executor(), capacity=capacity, owner="me", worker_lost=())


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
        assert lines[0].endswith(": epoch 1/2, accuracy 0.500")
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
