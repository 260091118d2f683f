"""Cells with several seeds have one status, in the table and in JSON; the census is beside the test."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from pconv.cli.views.study import picture, summary
from pconv.config import RunConfig
from pconv.result import RunResult
from pconv.studies.catalog import Study, studies
from pconv.studies.directory import ResultsDirectory
from pconv.studies.evaluate import CellResult, evaluate_study, replicates
from tests.report.fakes import result


def filled(*results: RunResult, seeds: int = 2) -> tuple[Study, list[CellResult]]:
    [study] = studies(["headline"], seeds=seeds)
    return study, evaluate_study(study, ResultsDirectory({each.run_id: each for each in results}, {}))


def printed(study: Study, cells: list[CellResult]) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(picture(study, cells))
    return console.export_text()


def test_several_seeds_have_one_status() -> None:
    made = [result(RunConfig(modulus=11, seed=seed), census=200_000) for seed in (0, 1)]
    study, cells = filled(*made, result(RunConfig(modulus=7)))
    by_place = {(c.cell.config.modulus, c.cell.config.seed): c for c in cells}
    document = by_place[11, 1].to_dict()
    assert document["replicates"]["status"] == "confirmed"
    assert document["replicates"]["sentence"].startswith("Over 2 seeds the theory 'signature' is confirmed")
    assert by_place[7, 0].to_dict()["replicates"] is None, "one seed alone"
    text = printed(study, cells)
    assert "over all seeds: confirmed" in text
    assert "2 confirmed" in text
    assert "undecided (no census)" in text


def test_seeds_that_differ_are_mixed() -> None:
    good, bad = (result(RunConfig(modulus=11, seed=seed), census=200_000) for seed in (0, 1))
    assert bad.census
    bad = replace(bad, census=replace(bad.census, loss=2.0))
    [found] = replicates([good, bad]).values()
    assert found.status == "mixed"
    assert "(1 confirmed, 1 overfitted)" in found.sentence


def test_where_no_theory_applies_there_is_no_status() -> None:
    made = [result(RunConfig(modulus=5, representation="binary", seed=seed)) for seed in (0, 1)]
    assert replicates(made) == {}


def test_a_cell_has_the_census_beside_the_test() -> None:
    made = result(RunConfig(modulus=11), census=200_000)
    study, cells = filled(made, result(RunConfig(modulus=7)), seeds=1)
    by_modulus = {c.cell.config.modulus: c for c in cells}
    document = by_modulus[11].to_dict()
    assert made.census
    assert document["has_census"] is True
    assert document["census_accuracy"] == made.census.accuracy
    assert document["loss"] == made.census.loss
    assert document["floor"] == pytest.approx(made.census.loss, abs=0.01)
    assert set(document["parts"].values()) == {"yes"}
    assert by_modulus[7].to_dict()["census_accuracy"] is None
    assert by_modulus[16].to_dict()["parts"] is None, "no run"
    assert f"(census {made.census.accuracy:.3f})" in printed(study, cells)
    assert "2 of 2 cells agree with the paper; 1 could differ" in summary(study, cells)
    assert "(1 by census): 4 not there, 1 undecided, 1 confirmed." in summary(study, cells)
