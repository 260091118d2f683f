"""Ctrl-C or SIGTERM at any moment: one line, exit code 130 or 143, nothing left behind; a second one disturbs
nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from torch import nn

from pconv.cli.interrupts import Interrupted, handle_interrupts
from pconv.models import pconv as network
from pconv.store.sqlite import Store
from tests.cli.conftest import Run

TINY = ("train", "-m5", "-B3", "-N8", "-k3", "-r40", "-s64", "-t3", "--test-size=500", "--limit=20000")


either = pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


@pytest.fixture
def handler() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = sys.unraisablehook
    handle_interrupts()
    yield
    for number, each in handlers.items():
        signal.signal(number, each)
    sys.unraisablehook = before


@either
def test_set_up_is_interrupted_between_two_pieces(
    pconv: Run, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int
) -> None:
    """The weights of the first linear layer are drawn in many pieces; the signal comes in the second."""
    drawn: list[int] = []
    draw = nn.init.kaiming_uniform_

    def interrupted(weights: Any, **settings: Any) -> None:
        draw(weights, **settings)
        drawn.append(weights.numel())
        if len(drawn) == 2 + 1:  # the convolution's come first
            signal.raise_signal(number)

    monkeypatch.setattr(nn.init, "kaiming_uniform_", interrupted)
    monkeypatch.setattr(network, "_DRAWN_AT_ONCE", 640)
    done = pconv(*TINY)
    assert drawn == [36, 640, 640]
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "pconv: interrupted\n")
    assert json.loads(pconv("runs", "--json").stdout) == [], "its claim is given back"


@either
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_interrupt_does_not_disturb_the_first_ones_end(
    pconv: Run, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int, second: signal.Signals
) -> None:
    def interrupted(self: Store, *arguments: object, **settings: object) -> None:
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(second)

    monkeypatch.setattr(Store, "claim", interrupted)
    done = pconv(*TINY)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "pconv: interrupted\n")


@pytest.mark.usefixtures("handler")
def test_clean_up_is_done_to_its_end() -> None:
    done: list[str] = []
    with pytest.raises((Interrupted, KeyboardInterrupt)) as ended:  # the latter would end pytest itself
        _interrupted_three_times(done)
    assert ended.type is Interrupted
    assert done == ["inner", "outer"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # another command in the same process can be interrupted, too


def _interrupted_three_times(done: list[str]) -> None:
    try:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            signal.raise_signal(signal.SIGINT)
            done.append("inner")
            raise Interrupted("interrupted") from None
    finally:
        signal.raise_signal(signal.SIGINT)
        done.append("outer")


@pytest.mark.usefixtures("handler")
def test_a_job_in_the_background_keeps_ignoring_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handle_interrupts()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)  # it can be ended nevertheless


@either
@pytest.mark.parametrize("start", [("-m", "pconv"), ("-c", "from pconv.cli import main; main()")])
def test_the_first_imports_can_be_interrupted(
    tmp_path: Path, start: tuple[str, ...], number: signal.Signals, code: int
) -> None:
    """While typer is imported, by `python -m pconv` and by the script that pip installs, and while a text is
    executed, as the decorators of dataclasses do."""
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'typer':\n"
        f"            exec('signal.raise_signal({number:d})')\n"
        "sys.meta_path.insert(0, Interrupting())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, *start], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "pconv: interrupted\n")
