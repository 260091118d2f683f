"""`pconv runs` and `pconv export` with filters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.studies.catalog import studies
from tests.cli.conftest import Run
from tests.cli.test_store import refused
from tests.fakes import fake_result, tiny, with_census


@pytest.fixture
def _filled(path: Path) -> None:
    """Runs modulo 3, 5 and 7, the first with a census, one that failed, and one of a study."""
    with Store.open(path) as store:
        for result in (with_census(fake_result(tiny(0, 3))), *(fake_result(tiny(1, m)) for m in (5, 7))):
            store.finish(result, None, verdicts_on(result), "me")
        store.fail(replace(tiny(2, 5), primes=64), "ValueError: no", "me")
        [study] = studies(["headline"], "paper")
        store.finish(fake_result(replace(study.configs()[0], seed=3)), None, {}, "me")


def listed(pconv: Run, *arguments: str) -> list[int]:
    done = pconv("runs", "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return [run["config"]["modulus"] for run in json.loads(done.stdout)]


@pytest.mark.usefixtures("_filled")
def test_filters_of_runs(pconv: Run) -> None:
    assert listed(pconv) == [3, 5, 7, 5, 7]
    assert listed(pconv, "-m", "5,7") == [5, 7, 5, 7]
    assert listed(pconv, "-m", "5,7", "-B", "3", "--status=finished") == [5, 7]
    assert listed(pconv, "--status", "failed,running") == [5]
    assert listed(pconv, "--where", "primes>=64") == [5, 7]
    assert listed(pconv, "--where", "primes<64", "--where=seed=1", "--sort=-modulus") == [7, 5]
    assert listed(pconv, "--sort", "-modulus") == [7, 7, 5, 5, 3]
    assert listed(pconv, "--study", "headline") == [7], "at any preset and seed"
    assert listed(pconv, "--study=all", "-m3") == []
    assert listed(pconv, "--where=census=true") == [3]
    [status] = {run["verdict"] for run in json.loads(pconv("runs", "--json", "-m3").stdout)}
    assert listed(pconv, "--verdict", status, "--where=test_accuracy>0.5") == [3]
    table = pconv("runs", "-m", "3").stdout
    assert tiny(0, 3).run_id in table
    assert tiny(1, 5).run_id not in table


@pytest.mark.usefixtures("_filled")
def test_ids_are_whole_in_a_narrow_terminal(
    pconv: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pconv.cli.views.console._WIDE", 60)
    ids = [run["run_id"] for run in json.loads(pconv("runs", "--json").stdout)]
    assert len(ids) == 5
    assert all(run_id in pconv("runs").stdout for run_id in ids)
    (tmp_path / "grid.toml").write_text("[grid]\nmodulus = 3\nprimes = [8, 9]\nlimit = 13000\n")
    planned = json.loads(pconv("sweep", "grid.toml", "--dry-run", "--json").stdout)["cells"]
    table = pconv("sweep", "grid.toml", "--dry-run").stdout
    assert all(cell["run_id"] in table for cell in planned)


@pytest.mark.usefixtures("_filled")
def test_exports_are_filtered_alike(pconv: Run, tmp_path: Path) -> None:
    assert pconv("export", "-o", "runs.csv", "-m", "5").returncode == 0
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 3, "a header and two runs"
    lines = pconv("export", "--where=modulus>=5", "--status", "finished").stdout.splitlines()
    assert [json.loads(line)["config"]["modulus"] for line in lines] == [5, 7, 7]
    assert pconv("export", "-o", "kept", "-m", "5").stdout == "kept: 1 run, 1 of them new\n"
    assert pconv("export", "-o", "kept").stdout == "kept: 4 runs, 3 of them new\n"


@pytest.mark.usefixtures("_filled")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-m", "x"], "--modulus 'x': 'x' is no value of modulus: it is a number"),
        (["-B", "8,"], "--successors '8,': '' is no value of successors"),
        (["--status", "done"], "--status 'done': 'done' is no value of status: it is one of: finished"),
        (["--verdict", "yes"], "--verdict 'yes'"),
        (["--study", "none"], "study none: must be one of"),
        (["--where", "primes>>3"], "--where 'primes>>3'"),
        (["--where", "x"], "--where 'x': must be FIELD OPERATOR VALUE"),
    ],
)
def test_bad_filters_are_one_line(pconv: Run, arguments: list[str], line: str) -> None:
    for command in ("runs", "export"):
        refused(pconv(command, *arguments), line)
    refused(pconv("runs", "--sort", "colour"), "--sort 'colour': must be a field")
