"""What version 0.1 kept is read, judged anew, and takes a census."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from pconv.store.judging import judge_again, verdicts_on
from pconv.store.sqlite import Store
from tests.fakes import fake_result, tiny, with_census
from tests.store.older import write_store
from tests.store.test_sqlite import WEIGHTS


def test_a_run_comes_back_without_what_was_not_recorded(path: Path) -> None:
    run_id = write_store(path, fake_result(tiny()))
    before = path.read_bytes()
    with Store.read(path) as store:
        result = store.result(run_id)
        assert result == fake_result(tiny())
        assert result is not None
        assert result.census is None
        assert result.loss_epoch is None
        assert result.snapshots == ()
        assert result.environment.revision == 0
        assert {epoch.held_out_loss for epoch in result.epochs} == {None}
        [summary] = store.summaries()
        assert (summary.status, summary.census, summary.weights) == ("finished", False, False)
        assert store.find(run_id[:5]).run_id == run_id
        assert store.timings()[0].config == tiny()
        assert store.damage() == []
    assert path.read_bytes() == before, "reading changes nothing"


def test_it_is_judged_by_the_theories_of_now(path: Path) -> None:
    run_id = write_store(path, fake_result(tiny()))
    with Store.read(path) as store:
        verdicts = store.verdicts(run_id)
        assert {verdict.status for verdict in verdicts.values()} == {"undecided"}
        assert set(verdicts) == {"signature", "paper", "grid"}
        run = store.run(run_id)
        assert run is not None
        assert run.status == "undecided"


def test_a_verdict_of_other_tests_is_computed_again(path: Path) -> None:
    whole = with_census(fake_result(tiny()))
    with Store.open(path) as store:
        store.finish(whole, None, verdicts_on(whole), "me")
    with closing(sqlite3.connect(path)) as database, database:
        set_field = "UPDATE verdicts SET document = json_set(document, ?, ?)"
        database.execute(set_field, ("$.training_loss", 99.0))
    with Store.read(path) as store:
        assert {verdict.training_loss for verdict in store.verdicts(whole.run_id).values()} == {99}
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(set_field, ("$.version", 1))
    with Store.read(path) as store:
        assert store.verdicts(whole.run_id) == verdicts_on(whole)
        assert [summary.verdict for summary in store.summaries()] == [None], "not an outdated one"
        assert store.damage() == []
        assert store.unjudged() == [whole.run_id]
    calls = []
    with Store.open(path) as store:
        assert judge_again(store, lambda done, total: calls.append((done, total))) == 1
        assert calls == [(1, 1)]
        assert judge_again(store) == 0
    with Store.read(path) as store:
        verdict = store.verdicts(whole.run_id)["signature"]
        assert verdict == verdicts_on(whole)["signature"]
        assert [summary.verdict for summary in store.summaries()] == [verdict.status]


def test_a_census_is_added_with_its_verdicts(path: Path) -> None:
    run_id = write_store(path, fake_result(tiny()))
    whole = with_census(fake_result(tiny()))
    assert whole.census is not None
    with Store.open(path) as store:
        store.set_census(run_id, whole.census, verdicts_on(whole))
    with Store.read(path) as store:
        result = store.result(run_id)
        assert result == replace(fake_result(tiny()), census=whole.census)
        assert store.verdicts(run_id) == verdicts_on(whole)
        [summary] = store.summaries()
        assert (summary.census, summary.verdict) == (True, store.verdicts(run_id)["signature"].status)
        assert store.damage() == []


def test_the_same_run_computed_now_takes_its_place(path: Path) -> None:
    run_id = write_store(path, fake_result(tiny()))
    whole = with_census(fake_result(tiny()))
    with Store.open(path) as store:
        store.finish(fake_result(tiny()), None, {}, "me")
        assert store.verdicts(run_id), "nothing more was brought, and so nothing is replaced"
        store.finish(whole, WEIGHTS, verdicts_on(whole), "me")
        assert store.result(run_id) == whole
        assert store.weights(run_id) is not None
        store.finish(fake_result(tiny()), None, {}, "me")
        assert store.result(run_id) == whole
