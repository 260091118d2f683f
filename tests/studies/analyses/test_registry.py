"""An analysis is added by a function with a decorator, and becomes a section of the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pconv.config import RunConfig
from pconv.report.document import results_document
from pconv.store.run import JudgedRun
from pconv.studies.analyses import ANALYSES, Answer, analysis
from pconv.studies.directory import ResultsDirectory
from tests.report.fakes import result


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
