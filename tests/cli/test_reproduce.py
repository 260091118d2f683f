"""`pconv reproduce` on a store that has the runs already: nothing is trained, all is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from pconv.result import Epoch
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.studies.catalog import STUDIES, studies
from pconv.studies.cell import StudyCell
from pconv.studies.study import Study
from pconv.studies.views import LOSS
from tests.cli.conftest import Run
from tests.fakes import fake_result, tiny, with_census


def test_a_study_from_the_store(pconv: Run, tmp_path: Path) -> None:
    [study] = studies(["losses"])
    with Store.open(tmp_path / "pconv.db") as store:
        for cell in study.cells:
            result = fake_result(cell.config)
            store.finish(result, None, verdicts_on(result), "me")

    done = pconv("reproduce", "losses")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.endswith(f"All runs are in {tmp_path / 'pconv.db'}\n")

    [table] = json.loads(pconv("reproduce", "losses", "--json").stdout)["tables"]
    assert table["name"] == "losses"
    assert [cell["run_id"] for cell in table["cells"]] == [cell.config.run_id for cell in study.cells]
    expected = {"modulus": 7, "successors": 8, "kernel": 3, "seed": 0, "accuracy": 1, "paper": None}
    first = table["cells"][0]
    assert {name: first[name] for name in expected} == expected
    assert first["agrees"] is None
    assert first["seconds"] == 0.75

    grid = json.loads(pconv("reproduce", "losses", "--theory", "grid", "--json").stdout)
    assert grid["theory"] == "grid"
    for cell in grid["tables"][0]["cells"]:
        assert (cell["ceiling"], cell["verdict"]) == (1, cell["theories"]["grid"])

    refused = pconv("reproduce", "tables")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    left = json.loads(pconv("reproduce", "kernels", "--max-hours", "1e-9", "--json").stdout)
    assert len(left["left_out"]) == 17
    assert all(cell["accuracy"] is None for cell in left["tables"][0]["cells"])


def test_a_dry_run_makes_no_store_and_changes_none(pconv: Run, tmp_path: Path) -> None:
    [study] = studies(["losses"], seeds=2)
    plan = json.loads(pconv("reproduce", "losses", "--seeds=2", "--dry-run", "--json").stdout)
    assert [cell["run_id"] for cell in plan["cells"]] == [config.run_id for config in study.configs()]
    assert {cell["status"] for cell in plan["cells"]} == {"wanted"}
    assert all(cell["seconds"] > 0 and cell["memory"] > 0 for cell in plan["cells"])
    assert plan["seconds"] > 0
    assert list(tmp_path.iterdir()) == []
    with Store.open(tmp_path / "pconv.db") as store:
        store.finish(fake_result(study.configs()[0]), None, {}, "me")
    before = (tmp_path / "pconv.db").read_bytes()
    shown = pconv("reproduce", "losses", "--dry-run").stdout
    assert f"{study.configs()[0].run_id}  -m 7 -B 8 -k 3 -N 32 --no-early-stop" in shown
    assert "3 cells, 2 to be done, in about " in shown
    shown = pconv("reproduce", "losses", "--dry-run", "--max-hours=1e-9").stdout
    assert shown.count("Left out: run ") == 2
    assert "1 cells, 0 to be done" in shown
    left = json.loads(pconv("reproduce", "losses", "--dry-run", "--max-hours=1e-9", "--json").stdout)
    assert (len(left["left_out"]), left["seconds"]) == (2, 0)
    assert (tmp_path / "pconv.db").read_bytes() == before
    for wrong in (("--max-hours=0",), ("--from", "kept")):
        done = pconv("reproduce", "losses", "--dry-run", *wrong)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    done = pconv("reproduce", "losses", "--from", "kept", "--jobs=3")
    assert done.returncode == 2
    assert done.stderr == "pconv: --jobs 3: is not for use with --from: nothing is trained\n"


def test_a_stored_run_is_trained_again_for_what_its_own_study_keeps(pconv: Run, tmp_path: Path) -> None:
    headline, beyond = studies(["headline", "extrapolation"])
    apart = {config.run_id for config in headline.configs()} - {c.run_id for c in beyond.configs()}
    assert apart
    with Store.open(tmp_path / "pconv.db") as store:
        for config in {*headline.configs(), *beyond.configs()}:
            store.finish(fake_result(config), None, {}, "me")

    def to_be_trained(*names: str) -> set[str]:
        cells = json.loads(pconv("reproduce", *names, "--dry-run", "--json").stdout)["cells"]
        return {cell["run_id"] for cell in cells if cell["seconds"] is not None}

    assert to_be_trained("headline") == set()
    assert to_be_trained("headline", "extrapolation") == {config.run_id for config in beyond.configs()}
    assert "finished without weights" in pconv("reproduce", "extrapolation", "--dry-run").stdout


def test_a_stored_run_is_trained_again_for_snapshots_that_its_study_compares(
    pconv: Run, tmp_path: Path
) -> None:
    [study] = studies(["epochs"])
    config = next(config for config in study.configs() if study.snapshots_of(config))
    many = tuple(Epoch(number, 0.1, 0.5, 0.1) for number in range(1, 51))
    with Store.open(tmp_path / "pconv.db") as store:
        store.finish(replace(fake_result(config), epochs=many), None, {}, "me")
    for name, state in (("more-data", "finished "), ("epochs", "finished without snapshots")):
        lines = pconv("reproduce", name, "--dry-run").stdout.splitlines()
        [line] = (line for line in lines if config.run_id in line)
        assert state in line
        assert ("without" in line) == ("without" in state)


def test_a_refuted_theory_is_exit_code_1_if_it_was_named(pconv: Run, tmp_path: Path) -> None:
    """All answers are right, and the windows do not identify all classes."""
    [study] = studies(["headline"])
    with Store.open(tmp_path / "pconv.db") as store:
        for config in study.configs():
            result = with_census(fake_result(config))
            store.finish(result, None, verdicts_on(result), "me")
    done = pconv("reproduce")
    assert "refuted" in done.stdout
    assert done.returncode == 0
    assert pconv("reproduce", "--theory=signature", "--json").returncode == 1
    done = pconv("reproduce", "--theory=grid")
    assert "Verdicts on the grid theory (6 by census): 6 underfitted." in done.stdout
    assert done.returncode == 0


def test_from_a_directory_nothing_is_trained(pconv: Run, tmp_path: Path) -> None:
    [study] = studies(["losses"])
    with Store.open(tmp_path / "pconv.db") as store:
        for cell in study.cells[:2]:
            result = fake_result(cell.config)
            store.finish(result, None, verdicts_on(result), "me")
    assert pconv("export", "-o", "kept").stdout == "kept: 2 runs, 2 of them new\n"
    assert pconv("export", "-o", "kept").stdout == "kept: 2 runs, 0 of them new\n"
    (tmp_path / "pconv.db").unlink()

    done = pconv("reproduce", "losses", "--from", "kept")
    assert done.returncode == 0
    assert done.stdout.endswith("2 of 3 runs are in kept, 1 are missing.\n")
    document = json.loads(pconv("reproduce", "losses", "--from", "kept", "--json").stdout)
    assert document["missing"] == [study.cells[2].config.run_id]
    assert [cell["accuracy"] for cell in document["tables"][0]["cells"]] == [1, 1, None]
    assert pconv("report", "--from", "kept").stdout.startswith("report.html: 2 runs")
    assert pconv("results", "--from", "kept").stdout == "results.md: 2 runs\n"
    assert not (tmp_path / "pconv.db").exists()

    path = tmp_path / "kept/quick/losses.jsonl"
    path.write_text(path.read_text()[:-40])
    before = (tmp_path / "results.md").read_bytes()
    for command in ("reproduce", "report", "results"):
        refused = pconv(command, "--from", "kept")
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert "file kept/quick/losses.jsonl line 2: is damaged" in refused.stderr
    assert (tmp_path / "results.md").read_bytes() == before


def _two_moduli(preset: str) -> Iterator[StudyCell]:
    for modulus in (2, 3):
        yield StudyCell(f"m={modulus}", "B=3", replace(tiny(modulus=modulus), early_stop=True, limit=40_000))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with a study, which its entry point names."""
    monkeypatch.setattr(STUDIES, "_found", dict(STUDIES.items()))
    monkeypatch.setattr(STUDIES, "_complete", False)
    package = ModuleType("some_package")
    package.two_moduli = Study(  # type: ignore[attr-defined]
        "two-moduli",
        "Are 2 and 3 learned?",
        _two_moduli,
        view=LOSS,
        early_stop=False,
        snapshots=(1, 2),
        keeps_weights=True,
        extrapolates=True,
        exports_curves=True,
    )
    monkeypatch.setitem(sys.modules, "some_package", package)
    found = EntryPoint("two-moduli", "some_package:two_moduli", "pconv.studies")
    monkeypatch.setattr("pconv.registry.entry_points", lambda group: [found] if group == found.group else [])


@pytest.mark.usefixtures("installed")
def test_a_study_of_an_installed_package(pconv: Run, tmp_path: Path) -> None:
    """From the help to the document, with no change to this program."""
    assert "two-moduli" in pconv("reproduce", "--help").stdout
    done = pconv("reproduce", "two-moduli", "--jobs=1", "--json")
    assert done.returncode == 0, done.stderr
    [table] = json.loads(done.stdout)["tables"]
    assert (table["name"], table["question"]) == ("two-moduli", "Are 2 and 3 learned?")
    assert [cell["row"] for cell in table["cells"]] == ["m=2", "m=3"]
    for cell in table["cells"]:
        assert len(cell["epochs"]) == 2
        assert cell["beyond"], "its weights are kept and tested past the domain"

    assert pconv("export", "-o", "kept").returncode == 0
    files = {str(path.relative_to(tmp_path / "kept")) for path in (tmp_path / "kept").rglob("*.jsonl")}
    assert files == {"quick/two-moduli.jsonl", "quick/two-moduli-probe.jsonl"}
    row = json.loads((tmp_path / "kept/quick/two-moduli.jsonl").read_text().splitlines()[0])
    assert len(row["snapshots"]) == 2
    assert "losses" in row
    shown = pconv("reproduce", "two-moduli", "--from", "kept").stdout
    assert "█" in shown, "the view is that of loss curves"
    assert "2 of 2 runs are in kept" in shown
    assert pconv("results", "--from", "kept").returncode == 0
    document = (tmp_path / "results.md").read_text()
    assert "### two-moduli, preset quick\n\nAre 2 and 3 learned?" in document
    assert "| two-moduli | quick | 2 | 2 | 2 |" in document
