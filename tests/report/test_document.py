"""The document of the results: summary, analyses and tables; and the one in docs/ is up to date."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.report.document import results_document
from pconv.report.times import Pace, read_paces, time_rows
from pconv.result import RunResult
from pconv.studies.directory import ResultsDirectory
from pconv.window import successor_window
from tests.report.fakes import result

ROOT = Path(__file__).parents[2]


def _source(*results: RunResult) -> ResultsDirectory:
    return ResultsDirectory({each.run_id: each for each in results}, {})


def test_the_published_document_is_that_of_the_published_results() -> None:
    directory = ROOT / "results"
    made = results_document(ResultsDirectory.read(directory), read_paces(directory), "images")
    assert made == (ROOT / "docs/results.md").read_text("utf-8"), "run `make results`"
    pictures = re.findall(r"\((images/\S+)\)", made)
    assert len(pictures) >= 9
    assert all((ROOT / "docs" / picture).is_file() for picture in pictures), "run `make results`"


def test_without_runs_it_says_so() -> None:
    text = results_document(_source())
    assert "0 runs, 0 with a census. Preset" in text
    assert text.count("Not run yet.") >= 10
    assert "None." in text


def test_a_cell_a_count_and_a_disagreement() -> None:
    solved, mixed = result(RunConfig(modulus=7)), result(RunConfig(modulus=11), census=200_000)
    odd = result(RunConfig(modulus=17, offsets=successor_window(16), kernel=(3,)))  # the paper has 0.07 here
    text = results_document(_source(solved, mixed, odd))
    assert "| prime-moduli | quick | 50 | 2 | 1 | 2 of 2 | 1 | 1 | 1 | 0 | 0 | 0 | 1 |" in text
    assert "| kernels | quick | 17 | 2 | 0 | 1 of 2 | 1 | 0 | 0 | 0 | 0 | 0 | 2 |" in text
    assert mixed.census
    ours = f"{mixed.best_accuracy:.3f} · {mixed.test.accuracy:.4f} · {mixed.census.accuracy:.4f}"
    assert f"{ours} · 0.92 · 0.911 confirmed" in text
    assert "| **≠** 1.000 · 1.0000 · no census · 0.07 · 1.000 undecided |" in text
    stand = "ours is at the ceiling, the paper's below it"
    assert f"- 1 cell: {stand}" in text
    assert f"| m=17, B=16, k=3 | kernels | 1.000 | 1.0000 | 0.07 | 1.000 | undecided | {stand} |" in text
    kernels = text.split("### kernels, preset quick")[1].splitlines()
    assert kernels[2] == "Not run yet: 15 of 17 cells; rows and columns without a run are left out."
    assert kernels[4] == "|  | k=3 | k=7 |"
    assert [line.split(" | ")[0] for line in kernels[6:8]] == ["| m=7 B=8", "| m=17 B=16"]
    assert not kernels[8]
    grid = text.split("```")[1].splitlines()
    assert grid[1:] == ["  m \\ B   8  16", "      7   ?", "     11   =", "     17       ?"]


def test_the_findings_come_first_and_long_tables_last() -> None:
    text = results_document(_source(*(result(RunConfig(modulus=m), census=200_000) for m in (7, 11, 13))))
    titles = ("Main findings", "The paper at its own size", "Analyses", "The tables of the paper")
    places = [text.index(f"## {title}") for title in titles]
    assert places == sorted(places)
    summary = text[places[0] : places[1]]
    assert (
        "- The classes that look mixed are exactly those with gcd(c+o, m) equal in every row in 3 of 3"
        in summary
    )
    assert "3 runs with a census: 3 confirmed" in summary


def test_runs_short_of_the_theory_are_listed_with_their_losses() -> None:
    made = result(RunConfig(modulus=11), census=200_000)
    assert made.census
    short = replace(made, census=replace(made.census, loss=0.9))
    text = results_document(_source(short, result(RunConfig(modulus=7))))
    listed = text.split("### With the theory")[1].split("## ")[0]
    assert "| m=11, B=8, k=7 | census |" in listed
    assert "| 0.9000 |" in listed
    assert "overfitted |" in listed, "its training loss is at the floor"
    assert "m=7" not in listed, "undecided for want of a census is counted, not listed"


def test_times_stand_beside_the_papers() -> None:
    quick = result(RunConfig(modulus=20, early_stop=False))
    rows = time_rows(_source(quick), [Pace(8, 7, 5000, 2, 600.0), Pace(16, 7, 5000, 2, 1.0)])
    assert rows[0] == ("m=20, B=8, k=7", "12.5 (1 thread)", "–", "40 (2 threads)", "25")
    assert [row[-1] for row in rows if row[0] == "m=19, B=8, k=7, t=50"] == ["128"]
    stopped = result(RunConfig(modulus=30))  # the paper's run did not; ours tells its pace
    rows = time_rows(_source(stopped), [])
    assert rows[1][:2] == ("m=30, B=8, k=7", "12.5 (1 thread)")


def test_a_bench_that_is_none(tmp_path: Path) -> None:
    assert read_paces(tmp_path) == []
    (tmp_path / "bench.json").write_text(json.dumps([{"successors": 8}]))
    with pytest.raises(InputError, match=r"bench.json: is not what `pconv bench --json` prints"):
        read_paces(tmp_path)
