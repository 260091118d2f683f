"""A directory of results says what the runs said, loses nothing, and names the line that is damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.result import Evaluation, RunResult
from pconv.store.judging import verdicts_on
from pconv.store.rows import CURVE_WIDTH, dense, result_of, row_of, sparse
from pconv.store.run import runs_of
from pconv.store.sqlite import Store
from pconv.studies.catalog import studies
from pconv.studies.directory import ResultsDirectory, add_results, opened
from pconv.studies.evaluate import evaluate_study
from tests.fakes import fake_result, tiny, with_census


def _through_json(result: RunResult, curve: bool = False) -> RunResult:
    return result_of(json.loads(json.dumps(row_of(result, curve))))


def test_a_row_tells_all_but_the_steps() -> None:
    result = replace(fake_result(tiny(seed=3)), disjoint_test=Evaluation(((2, 0, 1), (0, 5, 0), (0, 0, 7))))
    epochs = tuple(epoch.loss for epoch in result.epochs)
    assert _through_json(result) == replace(result, losses=epochs, loss_width=10)

    steps = tuple(1 / (i + 3) for i in range(50))
    curve = _through_json(replace(result, losses=steps), curve=True)
    assert curve.loss_width == CURVE_WIDTH == 20
    means = [sum(part) / len(part) for part in (steps[:20], steps[20:40], steps[40:])]
    assert curve.losses == pytest.approx(means, rel=1e-5)
    assert _through_json(curve, curve=True) == curve


@pytest.mark.parametrize("snapshots", [(), (1, 2)])
def test_a_row_tells_of_the_census_to_the_digit(snapshots: tuple[int, ...]) -> None:
    result = with_census(fake_result(tiny()), snapshots)
    expected = replace(result, losses=tuple(epoch.loss for epoch in result.epochs), loss_width=10)
    assert _through_json(result) == expected
    assert expected.census is not None
    alone = replace(expected, census=replace(expected.census, far=None))
    assert _through_json(alone) == alone


def test_a_row_of_version_0_1_is_read() -> None:
    """Three figures for an epoch, no revision of the engine, no census, no snapshots."""
    row = json.loads(json.dumps(row_of(fake_result(tiny()))))
    assert set(row) == {
        "run_id",
        "config",
        "epochs",
        "best_epoch",
        "validation",
        "test",
        "gap",
        *("engine", "device", "threads", "versions"),
    }
    assert {len(epoch) for epoch in row["epochs"]} == {3}
    result = result_of(row)
    assert result == _through_json(fake_result(tiny()))
    assert (result.environment.revision, result.census, result.snapshots) == (0, None, ())
    assert result.loss_epoch is None


def test_a_row_of_another_task_has_its_classes() -> None:
    two = fake_result(tiny(modulus=2))
    squares = replace(two, config=replace(two.config, modulus=11, task="quadratic"))
    assert _through_json(squares).test == two.test
    with pytest.raises(InputError, match="task gone"):
        _through_json(replace(two, config=replace(two.config, task="gone")))


def test_a_matrix_comes_back() -> None:
    matrix = [[3, 0, 0], [0, 0, 0], [1, 0, 12]]
    assert dense(sparse(matrix), 3) == matrix
    for damaged in (
        [[0, 3], []],
        [[0, 3], [], [0]],
        [[0, 3], [], [3, 1]],
        [[0, -3], [], []],
        [[0, 1.5], [], []],
    ):
        with pytest.raises((ValueError, TypeError)):
            dense(damaged, 3)


def _kept(store: Store, *configs: RunConfig) -> None:
    for config in configs:
        result = fake_result(config)
        store.finish(result, None, verdicts_on(result), "me")


def _texts(directory: Path) -> dict[str, str]:
    return {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*.jsonl")}


def test_a_directory_answers_as_the_store_does(store: Store, path: Path, tmp_path: Path) -> None:
    [study] = studies(["losses"])
    _kept(store, *(cell.config for cell in study.cells), tiny())
    out = tmp_path / "results"
    assert add_results(out, store) == (4, 4)
    assert set(_texts(out)) == {"quick/losses.jsonl", "other.jsonl"}

    results = ResultsDirectory.read(out)
    assert set(results.run_ids()) == set(store.run_ids())
    for filled, kept in zip(evaluate_study(study, results), evaluate_study(study, store), strict=True):
        assert filled == kept
    words = []
    for place in (path, out):
        with opened(place) as source:
            words.append({run.result.run_id: run.status for run in runs_of(source)})
    assert words[0] == words[1]


def test_new_runs_join_the_old(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "results"
    first, second = RunConfig(modulus=11), RunConfig(modulus=7, seed=4)
    _kept(store, first)
    add_results(out, store)
    before = _texts(out)
    assert add_results(out, store) == (0, 1)
    assert _texts(out) == before

    with Store.open(tmp_path / "other.db") as other:
        _kept(other, second, RunConfig(modulus=11, primes=5000), first)
        assert add_results(out, other) == (2, 3)
    assert set(_texts(out)) == {"quick/prime-moduli.jsonl", "paper/prime-moduli.jsonl"}
    lines = _texts(out)["quick/prime-moduli.jsonl"].splitlines()
    assert [json.loads(line)["config"]["modulus"] for line in lines] == [7, 11]
    assert lines[1] + "\n" == before["quick/prime-moduli.jsonl"]


def test_a_file_without_runs_is_left_alone(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "results"
    out.mkdir()
    (out / "foreign.jsonl").touch()
    _kept(store, RunConfig(modulus=11))
    add_results(out, store)
    (out / "quick" / "prime-moduli.jsonl").rename(out / "old-name.jsonl")
    add_results(out, store)
    assert set(_texts(out)) == {"quick/prime-moduli.jsonl", "foreign.jsonl"}


def test_a_run_that_has_not_finished_is_left_out(store: Store, tmp_path: Path) -> None:
    _kept(store, tiny(0))
    store.claim(tiny(1), "me")
    assert add_results(tmp_path / "results", store, [tiny(1).run_id, tiny(0).run_id]) == (1, 1)


def test_a_probe_without_its_run_is_named(store: Store, tmp_path: Path) -> None:
    """As after a merge, or when the line of the run was deleted: nothing is lost and nothing is written."""
    out, [config] = tmp_path / "results", studies(["extrapolation"])[0].configs()[:1]
    probe = out / "quick" / "extrapolation-probe.jsonl"
    probe.parent.mkdir(parents=True)
    probe.write_text(json.dumps({"run_id": config.run_id, "findings": [], "maps": []}) + "\n")
    before = _texts(out)
    _kept(store, tiny())
    with pytest.raises(InputError, match=f"has run {config.run_id} in a file .*, and not its result"):
        add_results(out, store)
    assert _texts(out) == before
    _kept(store, config)
    assert add_results(out, store) == (2, 2)
    assert config.run_id in probe.read_text()


FORMS = {
    "plain": fake_result(tiny()),
    "census": with_census(fake_result(tiny())),
    "snapshots": with_census(fake_result(tiny()), (1, 2)),
    "snapshots alone": replace(with_census(fake_result(tiny()), (1, 2)), census=None),
    "the first": with_census(fake_result(tiny()), (1,)),
    "the second alone": replace(with_census(fake_result(tiny()), (2,)), census=None),
}
TAKES_THE_PLACE = {
    *(("plain", name) for name in FORMS if name != "plain"),
    ("census", "snapshots"),
    ("census", "the first"),
    ("snapshots alone", "snapshots"),
    ("the first", "snapshots"),
    ("the second alone", "snapshots"),
    ("the second alone", "snapshots alone"),
}


@pytest.mark.parametrize("there", FORMS)
@pytest.mark.parametrize("new", FORMS)
def test_a_row_is_replaced_by_one_that_has_more_and_lacks_nothing(
    tmp_path: Path, there: str, new: str
) -> None:
    out = tmp_path / "results"
    for name in (there, new):
        with Store.open(tmp_path / f"{name}.db") as store:
            store.finish(FORMS[name], None, verdicts_on(FORMS[name]), "me")
            added = add_results(out, store)
    replaced = (there, new) in TAKES_THE_PLACE
    assert added == (int(replaced), 1)
    [kept] = ResultsDirectory.read(out).results.values()
    stays = FORMS[new if replaced else there]
    assert (kept.census, kept.snapshots) == (stays.census, stays.snapshots)
    assert [epoch.held_out_loss for epoch in kept.epochs] == [e.held_out_loss for e in stays.epochs]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace('"neighbours":[[250,250,', '"neighbours":[['),
            "another number of classes",
        ),
        (lambda text: text.replace('"answers":[[0,1000]', '"answers":[[3,1000]'), "none of 3 classes"),
        (
            lambda text: text.replace('"census":{"numbers":"unseen","epoch":2', '"census":{"epoch":0'),
            "is not",
        ),
        (lambda text: text.replace('"snapshots":[[1,', '"snapshots":[["1",'), "not a positive number"),
    ],
)
def test_a_damaged_census_is_named(store: Store, tmp_path: Path, change: object, message: str) -> None:
    assert callable(change)
    result = with_census(fake_result(tiny()), (1, 2))
    store.finish(result, None, {}, "me")
    add_results(tmp_path / "results", store)
    [path] = (tmp_path / "results").rglob("*.jsonl")
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    with pytest.raises(InputError, match="line 1: is damaged") as raised:
        ResultsDirectory.read(tmp_path / "results")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-9], "is damaged"),
        (lambda text: text.replace('"modulus":7', '"modulus":9'), "is damaged"),
        (lambda text: text.replace('"best_epoch":2', '"best_epoch":7'), "the run has 2 epochs"),
        (lambda text: text.replace('"engine":"dense",', ""), "engine"),
        (lambda text: "[]\n", "not an object"),
        (lambda text: text.replace('"threads":1', '"threads":"many"'), "not a positive number"),
        (lambda text: text.replace('"config":{"modulus":7,"seed":4}', '"config":[7]'), "not a run's result"),
        (lambda text: text.replace("[6,10]", "[7,10]"), "none of 7 classes"),
        (lambda text: text.replace('"seed":4', '"seed":5'), "its configuration is that of run"),
    ],
)
def test_a_damaged_line_is_named(store: Store, tmp_path: Path, change: object, message: str) -> None:
    assert callable(change)
    _kept(store, RunConfig(modulus=5), RunConfig(modulus=7, seed=4))
    add_results(tmp_path / "results", store)
    path = tmp_path / "results/quick/prime-moduli.jsonl"
    first, second = path.read_text().splitlines(keepends=True)
    path.write_text(first + change(second))
    with pytest.raises(InputError, match=r"prime-moduli.jsonl line 2: is damaged") as raised:
        ResultsDirectory.read(tmp_path / "results")
    assert message in str(raised.value)
    before = _texts(tmp_path / "results")
    with pytest.raises(InputError):
        add_results(tmp_path / "results", store)
    assert _texts(tmp_path / "results") == before


def test_results_elsewhere_below_a_directory_are_left_alone(store: Store, tmp_path: Path) -> None:
    """As after `pconv export -o results` and `pconv export -o .`"""
    _kept(store, tiny())
    add_results(tmp_path / "results", store)
    assert add_results(tmp_path, store) == (1, 1)
    assert set(_texts(tmp_path)) == {"results/other.jsonl", "other.jsonl"}
