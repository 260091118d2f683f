"""Progress where there is no terminal: lines, not too many, and none with --quiet."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count

import pytest

from pconv.cli.views import progress
from pconv.config import RunConfig
from pconv.training.trainer import Step
from tests.cli.conftest import Run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Its only entry is the time."""
    now = [100.0]
    monkeypatch.setattr("pconv.cli.views.progress.time.monotonic", lambda: now[0])
    return now


def test_a_training_logs_a_line_every_ten_seconds(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.training_progress(RunConfig(modulus=11, epochs=3), quiet=False) as on_step:
        assert on_step is not None
        for step in range(100):
            clock[0] += 0.25
            on_step(Step(2, step, 0.5, 0.875))
    assert capsys.readouterr().err.splitlines() == ["pconv: m=11, epoch 2/3, loss 0.5000, accuracy 0.875"] * 2


def test_a_census_logs_how_far_it_is(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress("census", "numbers", quiet=False) as update:
        assert update is not None
        for done in (1_000, 2_000, 3_000):
            clock[0] += 6
            update(done, 3_000)
    assert capsys.readouterr().err == "pconv: census: 2,000 of 3,000 numbers\n"


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("pconv.engines")
    with progress.training_progress(RunConfig(modulus=11), quiet=True) as on_step:
        assert on_step is None
    with progress.shown_log(quiet=True):
        log.info("compiling")
    assert capsys.readouterr().err == ""


def test_what_the_library_logs_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("pconv.engines")
    with progress.shown_log(quiet=False):
        log.info("compiling")
    log.info("not shown any more")
    assert capsys.readouterr().err == "pconv: compiling\n"


def test_probes_log_which_one_is_running(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress.probe_progress() as on_progress:
        for _ in range(5):
            clock[0] += 3
            on_progress("attribution", 4, 5)
    assert capsys.readouterr().err == "pconv: probe 4 of 5: attribution\n"


def test_what_a_command_is_doing_is_said_after_two_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Timer:
        """Runs out whenever the test wants it to."""

        daemon = cancelled = False

        def __init__(self, seconds: float, function: Callable[[str], None], arguments: list[str]) -> None:
            assert seconds == 2
            self.function, self.arguments = function, arguments
            timers.append(self)

        def start(self) -> None:
            pass

        def cancel(self) -> None:
            self.cancelled = True

    timers: list[Timer] = []
    monkeypatch.setattr(progress, "Timer", Timer)
    with progress.status("reading the runs"):
        (timer,) = timers
        assert capsys.readouterr().err == ""
        timer.function(*timer.arguments)
        assert capsys.readouterr().err == "pconv: reading the runs\n"
    assert timer.cancelled


def test_a_long_search_logs_how_far_it_is(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    now = count(0, 11)  # seconds between two looks at the clock
    monkeypatch.setattr("pconv.cli.views.progress.time.monotonic", now.__next__)
    done = pconv("crucial", "--max-modulus", 3, "-B", "2,3", "--json")
    assert done.stderr.splitlines() == [f"pconv: search: {n} of 4 problems" for n in range(4)]


def test_logged_messages_are_printable(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.shown_log(quiet=False):
        logging.getLogger("pconv.training").warning("a damaged file says %s", "a\0b\x1b[2J")
    assert capsys.readouterr().err == "pconv: a damaged file says a\\x00b\\x1b[2J\n"
