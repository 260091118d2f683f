"""The part of the document on the paper's size: all cells of a table, those not computed yet among them."""

from __future__ import annotations

from dataclasses import replace

from pconv.config import RunConfig
from pconv.report.document import results_document
from pconv.result import RunResult
from pconv.studies.directory import ResultsDirectory
from pconv.window import successor_window
from tests.report.fakes import result


def _lead(*results: RunResult) -> str:
    text = results_document(ResultsDirectory({each.run_id: each for each in results}, {}))
    return text.split("## The paper at its own size")[1].split("## In numbers")[0]


def _revised(made: RunResult, revision: int) -> RunResult:
    return replace(made, environment=replace(made.environment, engine="sparse", revision=revision))


def test_ours_the_papers_the_ceiling_and_the_quick_preset_beside_it() -> None:
    mixed = result(RunConfig(modulus=11, primes=5_000))
    odd = result(RunConfig(modulus=17, offsets=successor_window(16), kernel=(3,), primes=5_000))
    quick = result(RunConfig(modulus=13))
    lead = _lead(mixed, odd, quick)
    assert "1 of 145 cells of the three main tables and 1 of 98 cells that only other tables have" in lead
    table = lead.split("### prime-moduli: 1 of 50 cells at N = 5,000")[1].split("###")[0].splitlines()
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ") for line in table if line.startswith("| m=")}
    assert len(rows) == 10, "cells that are not computed yet are there"
    assert rows["m=11"][1] == f"= {mixed.best_accuracy:.3f} / 0.92 / 0.911 (–)"
    assert rows["m=13"][1] == f"– / 0.76 / 0.774 (= {quick.best_accuracy:.3f})"
    assert "| **≠** 1.000 / 0.07 / 1.000 (–) |" in lead.split("### kernels: 1 of 17")[1]
    assert "No cell at N = 5,000 yet: prime-power-moduli, splitting-moduli, channels" in lead
    assert "![" not in lead, "without a directory of images there are no pictures"


def test_a_table_of_several_revisions_is_named() -> None:
    runs = [result(RunConfig(modulus=m, primes=5_000)) for m in (2, 3, 4)]
    mixed = _lead(_revised(runs[0], 1), _revised(runs[1], 2), _revised(runs[2], 2))
    assert "| prime-moduli | 50 | 2 | sparse revision 1: 1, sparse revision 2: 1 | 2 of 2 |" in mixed
    assert "which round differently: prime-moduli, layers." in mixed
    alike = _lead(*(_revised(each, 2) for each in runs))
    assert "| **the three main tables** | 145 | 3 | sparse revision 2: 3 | 3 of 3 |" in alike
    assert "round differently" not in alike


def test_without_runs_at_the_papers_size() -> None:
    lead = _lead(result(RunConfig(modulus=11)))
    assert "0 of 145 cells" in lead
    assert "###" not in lead
