"""Cells with several seeds have one status, in the table and in JSON; the census is beside the test."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from pconv.cli.views.study import study_table, summary
from pconv.config import RunConfig
from pconv.evaluate.judge import judge
from pconv.result import RunResult
from pconv.studies.catalog import study
from pconv.studies.cell import CellResult
from pconv.studies.directory import ResultsDirectory
from pconv.studies.evaluate import evaluate_study, replicates
from pconv.studies.study import Study
from tests.report.fakes import result


def filled(*results: RunResult, seeds: int = 2) -> tuple[Study, list[CellResult]]:
    headline = study("headline", seeds=seeds)
    return headline, evaluate_study(headline, ResultsDirectory({each.run_id: each for each in results}, {}))


def printed(shown: Study, cells: list[CellResult]) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(study_table(shown, cells))
    return console.export_text()


def test_several_seeds_have_one_status() -> None:
    made = [result(RunConfig(modulus=11, seed=seed), census=200_000) for seed in (0, 1)]
    headline, cells = filled(*made, result(RunConfig(modulus=7)))
    by_place = {(c.cell.config.modulus, c.cell.config.seed): c for c in cells}
    document = by_place[11, 1].to_dict()
    assert document["replicates"]["status"] == "confirmed"
    assert document["replicates"]["sentence"].startswith("Over 2 seeds the theory 'signature' is confirmed")
    assert by_place[7, 0].to_dict()["replicates"] is None, "one seed alone"
    text = printed(headline, cells)
    assert "over all seeds: confirmed" in text
    assert "2 confirmed" in text
    assert "undecided (no census)" in text


def test_another_theory_has_its_own_ceilings_and_verdicts() -> None:
    """Judged now, because the source has no verdict on it."""
    made = [result(RunConfig(modulus=11, seed=seed), census=200_000) for seed in (0, 1)]
    source = ResultsDirectory({each.run_id: each for each in made}, {})
    headline = study("headline", seeds=2)
    cell = next(c for c in evaluate_study(headline, source, "grid") if c.cell.config == made[0].config)
    assert (cell.ceiling, cell.floor, cell.verdict) == (1, 0, str(judge(made[0], "grid").status))
    assert cell.replicates is not None
    assert cell.replicates.sentence.startswith("Over 2 seeds the theory 'grid' is ")
    assert "Verdicts on the grid theory (1 by census)" in summary(headline, [cell])
    assert cell.verdict is not None
    assert cell.verdict in printed(headline, [cell])


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
    headline, cells = filled(made, result(RunConfig(modulus=7)), seeds=1)
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
    assert f"(census {made.census.accuracy:.3f})" in printed(headline, cells)
    assert "2 of 2 cells agree with the paper; 1 could differ" in summary(headline, cells)
    assert "(1 by census): 4 not there, 1 undecided, 1 confirmed." in summary(headline, cells)
