"""A study and an analysis that are added from outside work wherever those of the catalogue do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import pconv
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.registry import Registry
from pconv.report.document import results_document
from pconv.store.run import JudgedRun
from pconv.studies import catalog
from pconv.studies.analyses import ANALYSES, Answer, analysis
from pconv.studies.directory import ResultsDirectory
from pconv.studies.study import Study
from tests.report.fakes import result

PACKAGE = """
from pconv import RunConfig, Study, StudyCell
from pconv.studies.views import LOSS


def _cells(preset):
    for modulus in (2, 3):
        config = RunConfig(
            modulus=modulus, offsets=(0, 1, 2, 3), primes=8, kernel=(3,), batches=10, batch_size=16, epochs=2,
            test_size=50, limit=40_000,
        )
        yield StudyCell(f"m={modulus}", "B=3", config)


tiny = Study(
    "tiny", "Are 2 and 3 learned?", _cells, view=LOSS, early_stop=False, snapshots=(1, 2), keeps_weights=True,
    extrapolates=True, exports_curves=True,
)
"""


def test_an_installed_package_adds_a_study(tmp_path: Path) -> None:
    """From the help to the document, with no change here."""
    site = tmp_path / "site"
    metadata = site / "mine-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "mine.py").write_text(PACKAGE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[pconv.studies]\ntiny = mine:tiny\n")
    paths = [str(site), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def pconv_command(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "pconv", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "tiny" in pconv_command("reproduce", "--help")
    [table] = json.loads(pconv_command("reproduce", "tiny", "--jobs=1", "--json"))["tables"]
    assert (table["name"], table["question"]) == ("tiny", "Are 2 and 3 learned?")
    assert [cell["row"] for cell in table["cells"]] == ["m=2", "m=3"]
    for cell in table["cells"]:
        assert len(cell["epochs"]) == 2
        assert cell["beyond"], "its weights are kept and tested past the domain"

    pconv_command("export", "-o", "kept")
    files = {str(path.relative_to(tmp_path / "kept")) for path in (tmp_path / "kept").rglob("*.jsonl")}
    assert files == {"quick/tiny.jsonl", "quick/tiny-probe.jsonl"}
    row = json.loads((tmp_path / "kept/quick/tiny.jsonl").read_text().splitlines()[0])
    assert len(row["snapshots"]) == 2
    assert "losses" in row
    shown = pconv_command("reproduce", "tiny", "--from", "kept")
    assert "█" in shown, "the view is that of loss curves"
    assert "2 of 2 runs are in kept" in shown
    pconv_command("results", "--from", "kept")
    document = (tmp_path / "results.md").read_text()
    assert "### tiny, preset quick\n\nAre 2 and 3 learned?" in document
    assert "| tiny | quick | 2 | 2 | 2 |" in document


def _one_cell(preset: str) -> Iterator[pconv.StudyCell]:
    yield pconv.StudyCell("m=7", "B=8", RunConfig(modulus=7))


@pytest.fixture
def empty_catalog(monkeypatch: pytest.MonkeyPatch) -> Registry[Study]:
    found = Registry("study", Study, "pconv.studies")
    monkeypatch.setattr(catalog, "STUDIES", found)
    return found


@pytest.mark.usefixtures("empty_catalog")
def test_a_program_adds_a_study() -> None:
    added = pconv.register_study(Study("one-cell", "Is 7 solved?", _one_cell))
    study = pconv.study("one-cell", seeds=2)
    assert study == added.at(seeds=2)
    made = result(study.configs()[1])
    cells = pconv.evaluate_study(study, ResultsDirectory({made.run_id: made}, {}))
    assert [cell.accuracy for cell in cells] == [None, 1]
    with pytest.raises(InputError, match="registered already"):
        pconv.register_study(added)


@pytest.mark.parametrize("name", ["all", "other", "my-probe", "My study", "a/b", ""])
def test_names_that_no_file_or_command_can_have(name: str) -> None:
    with pytest.raises(InputError, match=r"must"):
        Study(name, "?", _one_cell)


def test_tests_past_the_domain_need_weights() -> None:
    with pytest.raises(InputError, match="must keep its weights"):
        Study("far", "?", _one_cell, extrapolates=True)


@pytest.fixture
def own_analyses() -> Iterator[None]:
    before = list(ANALYSES)
    yield
    ANALYSES[:] = before


@pytest.mark.usefixtures("own_analyses")
def test_an_analysis_is_a_function_with_a_decorator() -> None:
    @analysis("How many runs are there?")
    def count(runs: Sequence[JudgedRun]) -> Answer:
        return Answer(f"{len(runs)}.")

    paper, other = result(RunConfig(modulus=7)), result(RunConfig(modulus=7, architecture="mlp"))
    text = results_document(ResultsDirectory({each.run_id: each for each in (paper, other)}, {}))
    section = text.split("## Analyses")[1].split("## What does not agree")[0]
    assert section.rstrip().endswith("### How many runs are there?\n\n1."), "last, of the paper's network"
