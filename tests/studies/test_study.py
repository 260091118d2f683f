"""A study: what it must have, and how a program adds one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import pconv
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.registry import Registry
from pconv.studies import catalog
from pconv.studies.directory import ResultsDirectory
from pconv.studies.study import Study
from tests.report.fakes import result


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
