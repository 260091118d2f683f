"""The studies: the paper's figures as grids, when a cell agrees, and what a filled table says."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sympy import primepi

from pconv.cli.views.study import study_table, summary
from pconv.config import PRESETS, RunConfig
from pconv.errors import InputError
from pconv.result import Epoch, RunResult
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.studies.catalog import studies, study_names
from pconv.studies.evaluate import ceiling_of, evaluate_study, left_out, study_options
from pconv.studies.paper import agrees, printed, table_names
from pconv.studies.study import Build, Study
from pconv.training.options import RunOptions
from tests.fakes import fake_result, with_census

SIZES = {
    "headline": 6,
    "prime-moduli": 50,
    "prime-power-moduli": 30,
    "splitting-moduli": 65,
    "channels": 63,
    "layers": 18,
    "epochs": 8,
    "batches": 12,
    "locality": 10,
    "kernels": 17,
    "confusions": 14,
    "losses": 3,
    "columns": 18,
    "window": 10,
    "crucial": 10,
    "boundary": 8,
    "more-data": 8,
    "extrapolation": 3,
    "architectures": 108,
    "sizes-in-time": 4,
}


def test_every_study_has_its_cells() -> None:
    assert {*SIZES, "all"} == set(study_names())
    found = {study.name: study for study in studies(SIZES)}
    assert {name: len(study.cells) for name, study in found.items()} == SIZES
    for study in found.values():
        places = [(cell.row, cell.column) for cell in study.cells]
        assert len(set(places)) == len(places), f"two cells of {study.name} stand in one place"
    assert [study.name for study in studies(["all"])] == table_names()
    assert studies(["kernels", "all", "kernels"])[0].name == "kernels"


def test_columns_for_all_primes_at_the_papers_size() -> None:
    """The paper names the number of primes below 10^6 as the one that loses no information."""
    columns = {cell.config.primes for cell in studies(["columns"], "paper")[0].cells}
    assert columns == {PRESETS["paper"]["primes"], int(primepi(10**6))}


def test_presets_seeds_and_early_stopping() -> None:
    [study] = studies(["losses"], "paper", seeds=3)
    assert {cell.config.primes for cell in study.cells} == {5000}
    assert [cell.config.seed for cell in study.cells] == [0, 1, 2] * 3
    for study in studies(["all"]):
        stops = {cell.config.early_stop for cell in study.cells}
        assert stops == {study.name not in ("locality", "losses")}


def test_long_runs_of_the_paper_record_two_epochs() -> None:
    recorded = {
        (study.name, config.epochs): study.snapshots_of(config)
        for study in studies(SIZES)
        for config in study.configs()
        if study.snapshots_of(config)
    }
    assert recorded == {
        ("epochs", 50): (10, 50),
        ("sizes-in-time", 200): (1, 2, 5, 10, 20, 50, 100, 200),
    }


def test_what_studies_keep_and_document() -> None:
    every = studies(SIZES)
    assert [study.name for study in every if study.keeps_weights] == ["extrapolation"]
    assert [study.name for study in every if study.extrapolates] == ["extrapolation"]
    assert [study.name for study in every if study.exports_curves] == ["losses"]
    left_to_others = {study.name for study in every if not study.in_document}
    assert left_to_others == {"headline", "locality", "losses", "extrapolation", "sizes-in-time"}


def test_shared_cells_are_the_same_run() -> None:
    kernels, primes = studies(["kernels", "prime-moduli"])
    shared = {c.config.run_id for c in kernels.cells} & {c.config.run_id for c in primes.cells}
    assert len(shared) == 5  # (7, 8, 7), (17, 16, 7), (17, 16, 15), (23, 24, 7), (23, 24, 15)


def test_the_crucial_study_begins_with_the_smallest_disagreement() -> None:
    first = studies(["crucial"])[0].cells[0].config
    assert (first.modulus, first.rows) == (16, 3)


def test_the_boundary_is_where_the_ceiling_leaves_one() -> None:
    for cell in studies(["boundary"])[0].cells:
        assert (ceiling_of(cell.config) == 1) == (cell.column == "B=phi-1")


@pytest.mark.parametrize(
    ("names", "preset", "seeds"), [(["tables"], "quick", 1), (["all"], "slow", 1), (["all"], "quick", 0)]
)
def test_what_there_is_not(names: list[str], preset: str, seeds: int) -> None:
    with pytest.raises(InputError):
        studies(names, preset, seeds)


def test_agreement_is_fishers_at_one_percent() -> None:
    """0.92 is 471 of 512: by the test, 0.88 (451) may be the same and 0.86 (440) may not."""
    assert agrees(451 / 512, 0.92)
    assert not agrees(440 / 512, 0.92)
    assert agrees(0.9902, 1.0), "both count as solved"
    for accuracy in {f.accuracy for f in printed("batches") if f.accuracy is not None}:
        near, far = accuracy - 10 / 512, accuracy - 80 / 512
        assert agrees(near, accuracy), accuracy
        assert agrees(accuracy, near), accuracy
        assert not agrees(far, accuracy), accuracy


def wrong(result: RunResult) -> RunResult:
    """The same with all numbers of class 1 called 2."""
    rows = [list(row) for row in result.validation.confusion]
    rows[1] = [0, 0, sum(rows[1]), *[0] * (len(rows) - 3)]
    return replace(result, validation=replace(result.validation, confusion=tuple(map(tuple, rows))))


def test_a_filled_table_says_what_agrees(store: Store) -> None:
    [study] = studies(["headline"])
    configs = [cell.config for cell in study.cells]
    for config in configs[:2]:
        result = fake_result(config) if config.modulus == 7 else wrong(fake_result(config))
        store.finish(result, None, verdicts_on(result), "me")
    cells = evaluate_study(study, store)
    assert [cell.agrees for cell in cells] == [True, True, None, None, None, None]
    assert cells[1].accuracy == pytest.approx(10 / 11)
    document = cells[1].to_dict()
    assert (document["modulus"], document["successors"], document["kernel"]) == (11, 8, 7)
    assert document["paper"] == 0.92
    assert document["ceiling"] == pytest.approx(0.911, abs=5e-4)
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(study_table(study, cells))
    text = console.export_text()
    assert "0.909 / 0.92 / 0.911" in text
    assert "2 of 2 cells agree" in summary(study, cells)
    assert "4 not there" in summary(study, cells)


def test_every_study_can_be_drawn(path: Path) -> None:
    """Empty and, with made-up runs, full."""
    with Store.open(path) as store:
        for study in studies(SIZES, seeds=2):
            assert study_table(study, evaluate_study(study, store)).row_count
            small = replace(study, build=shrunk(study))
            for cell in small.cells:
                result = fake_result(cell.config)
                store.finish(result, None, verdicts_on(result), "me")
            assert study_table(small, evaluate_study(small, store)).row_count
            assert "undecided" in summary(small, evaluate_study(small, store))  # no census


def shrunk(study: Study) -> Build:
    cells = [replace(cell, config=replace(cell.config, modulus=3)) for cell in study.at().cells[:1]]
    return lambda preset: cells


def test_a_run_has_what_any_of_its_studies_wants(store: Store) -> None:
    [epochs, more_data] = studies(["epochs", "more-data"])
    shared = {config.run_id: config for config in epochs.configs() if epochs.snapshots_of(config)}
    both = study_options([epochs, more_data], RunOptions(census=False))
    assert both.keys() == {config.run_id for config in (*epochs.configs(), *more_data.configs())}
    assert shared.keys() & {config.run_id for config in more_data.configs()}
    for run_id, options in both.items():
        assert options == RunOptions(census=False, snapshots=(10, 50) if run_id in shared else ())

    def answered(run: RunConfig, *snapshots: int) -> RunResult:
        many = tuple(Epoch(number, 0.1, 0.5, 3600.0) for number in range(1, 51))
        return with_census(replace(fake_result(run), epochs=many), snapshots)

    config = next(iter(shared.values()))
    store.finish(answered(config), None, {}, "me")
    assert config.run_id not in left_out([more_data], store, max_hours=1)
    assert config.run_id in left_out([epochs], store, max_hours=1), "its snapshots would take hours"
    store.finish(answered(config, 10, 50), None, {}, "me")
    assert config.run_id not in left_out([epochs], store, max_hours=1)


def test_cells_that_take_too_long_are_left_out(store: Store) -> None:
    chosen = studies(["columns"])
    left = left_out(chosen, store, max_hours=0.05)
    large = {cell.config.run_id for cell in chosen[0].cells if cell.config.primes == 5000}
    small = {cell.config.run_id for cell in chosen[0].cells if cell.config.primes == 32}
    assert large <= set(left)
    assert not small & set(left)
    assert left_out(chosen, store, None) == {}
