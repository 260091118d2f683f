"""Terminals and files that cannot hold every character."""

from __future__ import annotations

import io
import sys

import pytest

from pconv.cli import main
from pconv.store.sqlite import Store
from tests.fakes import fake_result, tiny, with_census

ENCODINGS = ("latin-1", "cp1252", "ascii")


def printed(monkeypatch: pytest.MonkeyPatch, encoding: str, *arguments: str) -> str:
    """What a command prints to a stream of this encoding."""
    monkeypatch.setattr(sys, "argv", ["pconv", *arguments])
    raw = io.BytesIO()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_pattern_in_a_poor_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    shown = printed(monkeypatch, encoding, "theory", "-m", "16", "-B", "2")
    dot = "." if encoding == "ascii" else "·"
    assert f" 3  {dot} {dot} {dot}##" in shown
    assert ":: class 0" in shown


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_run_in_a_poor_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str, store: Store) -> None:
    config = tiny()
    store.claim(config, "me")
    store.finish(with_census(fake_result(config)), None, {}, "me")
    shown = printed(monkeypatch, encoding, "show", config.run_id, "--store", str(store.path))
    assert "confusion on all unseen numbers" in shown
    assert "0 ##" in shown


def test_the_kinds_of_classes_differ_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(monkeypatch, "utf-8", "theory", "-m", "16", "-B", "2")
    blocks = [word for word in shown.rstrip().splitlines()[-1].split() if not word.isascii()]
    assert blocks == ["░░", "▒▒", "▓▓", "██"]
