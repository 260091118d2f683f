"""What the page embeds of a run against the run and its verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.evaluate.comparison import compare
from pconv.report.figures.confusion import draw_confusion, run_confusion
from pconv.report.figures.map import marks
from pconv.report.figures.table import table_figures
from pconv.report.load import paper_figures
from pconv.report.page.run_record import run_document, verdict_record
from pconv.result import Evaluation
from pconv.store.judging import verdicts_on
from pconv.store.run import JudgedRun
from tests.report.fakes import result, run

SMALL: dict[str, Any] = {"batches": 4, "epochs": 2, "test_size": 2_000}


def test_the_parts_of_a_verdict_are_those_of_the_document() -> None:
    made = run(modulus=11, census=30_000, **SMALL)
    assert made.verdict is not None
    status, reason, parts = run_document(made)["verdicts"]["signature"]
    assert (status, reason) == ("confirmed", "All four parts hold.")
    assert [parts[name][0] for name in made.verdict.assessment.parts] == ["yes"] * 4
    assert (parts["size"], parts["complete"], parts["tolerance"]) == (30_000, True, 0.01)
    ceiling = made.verdict.assessment.ceiling
    assert parts["attained"][2] == pytest.approx(ceiling, abs=1e-6)
    assert parts["strongest"] is None


def test_a_refuted_theory_names_its_group() -> None:
    """All classes known, though the theory mixes 1 and 2."""
    made = result(RunConfig(modulus=11, **SMALL), census=30_000)
    assert made.census is not None
    known = Evaluation.from_lists([[2_000 * (i == j) for j in range(11)] for i in range(11)])
    judged = verdicts_on(replace(made, census=replace(made.census, answers=known)))
    status, _, parts = run_document(JudgedRun(made, judged))["verdicts"]["signature"]
    assert (status, parts["nothing_beyond"][0]) == ("refuted", "no")
    assert parts["strongest"][:3] == [[1, 2], 4_000, 2_000]


def test_the_reason_is_the_conclusion_of_the_verdict() -> None:
    """With what the network remembers of its training numbers, where it does."""
    made = result(RunConfig(modulus=11, **SMALL), census=30_000)
    assert made.census is not None
    wrong = Evaluation.from_lists([[9 * (i + j == 10) for j in range(11)] for i in range(11)])
    near = replace(made, census=replace(made.census, far=wrong))
    for verdict in compare(near).verdicts:
        assert "remember" in verdict.conclusion
        assert verdict_record(verdict)[:2] == [verdict.status, verdict.conclusion]


def test_runs_of_other_tasks() -> None:
    """Labels in place of residues; where no theory applies every cell is free, and no verdict is made up."""
    made = run(modulus=2, **SMALL)
    silent = JudgedRun(replace(made.result, config=replace(made.config, task="gone")))
    figure = run_confusion(silent)
    assert figure.kinds == ("free", "free")
    assert figure.free(0, 1)
    assert figure.title.startswith("gone, $m=2$")
    draw_confusion(figure)
    document = run_document(silent)
    assert document["silence"] == "The task gone is not known here."
    assert document["verdicts"] == {}
    assert silent.status == "unjudged"
    parity = run(modulus=2, task="omega", limit=10_000, **SMALL)
    assert run_confusion(parity).kinds == ("mixed", "mixed")
    assert run_document(parity)["silence"] is None

    squares = replace(made.result, config=replace(made.config, modulus=11, task="quadratic"))
    figure = run_confusion(JudgedRun(squares))
    assert figure.kinds == ("mixed", "mixed")
    assert figure.labels == (0, 0)
    assert run_document(JudgedRun(squares))["silence"] is None

    both = [made, silent, JudgedRun(squares)]
    assert [table.setting for table in table_figures(both, paper_figures())] == [
        "N=32, C=4, r=4, s=256, t=2, test_size=2000",
        "N=32, C=4, r=4, s=256, t=2, test_size=2000, task=gone",
        "N=32, C=4, r=4, s=256, t=2, test_size=2000, task=quadratic",
    ]
    assert marks(both) == [(2, 8, made.status)]
