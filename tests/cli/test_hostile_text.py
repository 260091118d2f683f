"""Texts from stores and files are data: never markup, commands to a terminal, or formulas."""

from __future__ import annotations

import csv
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from pconv.errors import PconvError
from pconv.report.load import one_run
from pconv.store.rows import row_of
from pconv.store.sqlite import Store
from tests.cli.conftest import Run
from tests.fakes import fake_result, tiny, with_census

ESCAPE = "\x1b]0;title\x07\x1b[2J\u202e\udc80"


def failed(store: Store, reason: str) -> str:
    config = tiny()
    store.claim(config, "me")
    store.fail(config, reason, "me")
    return config.run_id


@pytest.mark.parametrize("reason", ["[/x]", "[enforce fail at alloc_cpu.cpp:117]", "[bold]x", ":smile:"])
def test_brackets_in_a_failure_reason_are_shown(pconv: Run, store: Store, reason: str) -> None:
    run_id = failed(store, reason)
    assert reason in pconv("runs").stdout
    assert reason in pconv("show", run_id).stdout


def test_control_characters_are_shown_as_escape_sequences(pconv: Run, store: Store) -> None:
    run_id = failed(store, ESCAPE.replace("\udc80", ""))
    for command in (("runs",), ("show", run_id)):
        shown = pconv(*command).stdout
        assert "\\x1b]0;title\\x07\\x1b[2J\\u202e" in shown
        assert not set(shown) & set("\x1b\x07\u202e")


def test_an_error_message_has_no_control_characters(pconv: Run) -> None:
    done = pconv("theory", "-m", 7, "--task", ESCAPE.replace("\udc80", ""))
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


def test_a_formula_is_quoted_in_a_table(pconv: Run, store: Store, tmp_path: Path) -> None:
    failed(store, "=HYPERLINK(1)")
    assert pconv("export", "-o", "runs.csv").returncode == 0
    (row,) = csv.DictReader((tmp_path / "runs.csv").read_text("utf-8").splitlines())
    assert row["reason"] == "'=HYPERLINK(1)"
    assert row["config.offsets"] == "0,1,2,3"


def test_the_name_of_an_output_has_no_control_characters(pconv: Run, store: Store) -> None:
    done = pconv("export", "-o", "\x1b[2J")
    assert (done.returncode, done.stdout) == (0, "\\x1b[2J: 0 runs, 0 of them new\n")


def test_a_lone_surrogate_is_exported_escaped(pconv: Run, store: Store, tmp_path: Path) -> None:
    run_id = failed(store, "no")
    document = json.dumps({**tiny().to_dict(), "task": "\udc80"})
    store._connection.execute("UPDATE configs SET config = ? WHERE run_id = ?", (document, run_id))
    assert pconv("export", "-o", "runs.csv").returncode == 0
    assert "\\udc80" in (tmp_path / "runs.csv").read_text("utf-8")


def test_infinities_of_a_store_are_null_in_json(pconv: Run, store: Store) -> None:
    """JSON has no word for them."""
    store.finish(fake_result(tiny()), None, {}, "me")
    store._connection.execute("UPDATE results SET seconds = 9e999")
    (run,) = json.loads(pconv("runs", "--json").stdout, parse_constant=pytest.fail)
    assert run["seconds"] is None


def test_an_export_replaces_a_file_as_a_whole(
    pconv: Run, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed(store, "no")
    (tmp_path / "runs.jsonl").write_text("good")

    def full(self: object, run_id: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Store, "result", full)
    assert pconv("export", "-o", "runs.jsonl").returncode == 2
    assert (tmp_path / "runs.jsonl").read_text() == "good"
    assert sorted(p.name for p in tmp_path.glob("*runs*")) == ["runs.jsonl"]


def test_what_is_not_a_file_is_not_replaced(pconv: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.safetensors")  # stands for a device, which a failing test would destroy
    done = pconv("train", "-m", 3, "-N", 8, "-r", 1, "-t", 1, "--save", "fifo.safetensors")
    assert done.returncode == 2
    assert "is not a file" in done.stderr
    assert (tmp_path / "fifo.safetensors").is_fifo()


def results(tmp_path: Path, **changes: object) -> None:
    """A directory with one run, of which some fields are changed."""
    (tmp_path / "results").mkdir()
    row = {**row_of(with_census(fake_result(tiny()))), **changes}
    (tmp_path / "results" / "other.jsonl").write_text(json.dumps(row) + "\n")


def test_markup_in_results_is_text_in_the_document(pconv: Run, tmp_path: Path) -> None:
    results(tmp_path, engine="<script>a|b[x](y)", versions={"<b>": "`1`\n"})
    assert pconv("results").returncode == 0
    text = (tmp_path / "results.md").read_text("utf-8")
    assert "&lt;script&gt;a&#124;b&#91;x&#93;(y)" in text
    assert "<script>" not in text
    assert "<b>" not in text


EPOCH = [1.0, 0.5, 0.25]
DAMAGED: dict[str, dict[str, object]] = {
    "accuracy": {"epochs": [[1.0, float("nan"), 0.25], EPOCH]},
    "seconds": {"epochs": [[1.0, 0.5, float("nan")], EPOCH]},
    "epochs": {"epochs": [EPOCH] * 200_000},
    "name": {"config": {"modulus": 3, "architecture": "<script>"}},
}


@pytest.mark.parametrize("damage", list(DAMAGED))
def test_figures_that_no_run_has_are_refused(pconv: Run, tmp_path: Path, damage: str) -> None:
    results(tmp_path, **DAMAGED[damage])
    done = pconv("report", "--from", "results")
    assert done.returncode == 2
    assert "other.jsonl line 1: is damaged" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000, "1" * 5_000])
def test_a_line_that_is_no_document_is_refused(pconv: Run, tmp_path: Path, line: str) -> None:
    results(tmp_path)
    (tmp_path / "results" / "other.jsonl").write_text(line + "\n")
    for arguments in (
        ("report", "--from", "results"),
        ("figure", "losses", "results/other.jsonl", "-o", "x.svg"),
    ):
        done = pconv(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert len(done.stderr) < 1_000


def test_a_lone_surrogate_in_results_is_shown_escaped(pconv: Run, tmp_path: Path) -> None:
    results(tmp_path, device="\udc80")
    for arguments in (("results",), ("report", "--from", "results")):
        done = pconv(*arguments)
        assert (done.returncode, done.stderr) == (0, "")


def test_one_changed_value_of_a_document_is_no_unexpected_error(tmp_path: Path) -> None:
    document = with_census(fake_result(tiny()), (1,)).to_dict()
    path = tmp_path / "run.json"
    values: tuple[object, ...] = (None, True, -1, "x", [], {}, [[]], [None], 10**30, {"a": 1})
    for name in document:
        for value in values:
            path.write_text(json.dumps({**document, name: value}))
            with suppress(PconvError):
                one_run(str(path), tmp_path / "none.db")
