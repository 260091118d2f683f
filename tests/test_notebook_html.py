"""What notebooks show: well-formed, escaped, nothing from elsewhere, small."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from pconv import RunConfig, RunResult, compare, judge, predict
from pconv import _notebook_html as html
from pconv._colours import VERDICTS
from pconv.evaluate.predict_run import predict_run
from pconv.evaluate.verdict import Status
from pconv.probes.finding import Finding, Standard
from pconv.probes.heatmap import HeatMap
from pconv.probes.report import ProbeReport
from pconv.result import Census, Environment, Epoch, Evaluation
from pconv.theory import LabelPrediction, Listed, Prediction, Problem
from pconv.theory.readers import ReaderPrediction

SMALL = 100_000
"""Characters, for the largest pictures."""


class Checked(HTMLParser):
    """Fails on tags that do not close in order, and on anything that would be loaded."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "img", "iframe", "style"}
        assert not {"src", "href"} & {name for name, _ in attrs}
        assert not any("http" in (value or "") for _, value in attrs)
        self.seen.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def result_of(modulus: int, evaluation: Evaluation) -> RunResult:
    return RunResult(
        config=RunConfig(modulus=modulus),
        losses=(1.0,),
        epochs=(Epoch(1, 1.0, 0.5, 0.1),),
        best_epoch=1,
        validation=evaluation,
        test=evaluation,
        disjoint_test=None,
        environment=Environment("<b>", "cpu", 1, {}),
    )


def guesses(modulus: int) -> Evaluation:
    """A network that answers anything: every cell is filled."""
    counts = np.random.default_rng(0).integers(1, 30, (modulus, modulus))
    return Evaluation.from_lists(counts.tolist())


def census_of(result: RunResult) -> Census:
    """Ten times the answers of the test set, to all unseen numbers."""
    counts = [[10 * count for count in row] for row in result.test.confusion]
    return Census("unseen", 1, 0.25, Evaluation.from_lists(counts), None, ())


@pytest.mark.parametrize("modulus", [2, 11, 64, 65, 1_000])
def test_pages_are_well_formed_and_small(modulus: int) -> None:
    result = result_of(modulus, guesses(modulus))
    census = census_of(result)
    counted = replace(result, census=census)
    for shown in (
        *(predict(modulus, range(9)), result, judge(result), compare(result), result.test),
        *(census, counted, judge(counted)),
    ):
        page = shown._repr_html_()
        checked = Checked(page)
        assert len(page) < SMALL
        drawn = "svg" in checked.seen
        assert drawn == (modulus <= html.MOST_CLASSES and "Comparison" not in type(shown).__name__)


def test_a_modulus_of_any_size_has_a_page() -> None:
    assert "not" not in Checked(predict(2**61, range(9))._repr_html_()).text


def test_text_is_escaped() -> None:
    odd = "<script>alert('&')</script>"
    prediction = Prediction(odd, Problem(4, range(2)), [Listed([0, 1, 1, 2])])
    assert odd in Checked(prediction._repr_html_()).text
    finding = Finding(odd, odd, odd, odd, None, 0)
    maps = (HeatMap(odd, (odd,), (odd,), np.array([[np.nan]])),)
    report = ProbeReport(Standard(), (finding,), maps)
    assert Checked(report._repr_html_()).text.count(odd) == 7
    result = result_of(4, guesses(4))
    allowed = "a & b's"  # a configuration takes no name with brackets
    odd_config = replace(result.config, task=allowed)
    assert allowed in Checked(replace(result, config=odd_config)._repr_html_()).text


def cells(picture: str, colour: str) -> int:
    return sum(
        path.split('"/>')[0].count("M") for path in picture.split("<path ") if f'fill="{colour}"' in path
    )


def test_the_pattern_shows_the_groups() -> None:
    page = predict(11, range(9))._repr_html_()
    assert cells(page, html.IDENTIFIED) == 9
    assert cells(page, html.MIXED) == 4
    assert "{1, 2}" in Checked(page).text


def test_a_verdict_shows_answers_outside_the_prediction_in_grey() -> None:
    counts = np.diag([100] * 11)
    counts[1, 2] = counts[2, 1] = 90  # as predicted
    counts[3, 7] = 5  # not
    verdict = judge(result_of(11, Evaluation.from_lists(counts.tolist())))
    for part, wanted in zip(verdict._repr_html_().split("Answered", 1), ([9, 4, 0], [9, 4, 1]), strict=True):
        assert [cells(part, colour) for colour in (html.IDENTIFIED, html.MIXED, html.STRAY)] == wanted


def test_a_run_shows_its_census_or_that_there_is_none() -> None:
    result = result_of(11, guesses(11))
    page = Checked(result._repr_html_()).text
    assert "censusnone" in page
    assert f"Answered, {result.test.size:,} numbers" in page
    census = census_of(result)
    scope = f"all {10 * result.test.size:,} unseen numbers"
    page = Checked(replace(result, census=census)._repr_html_()).text
    assert f"census{census.accuracy:.4f} of {scope}, loss 0.2500" in page
    assert f"Answered, {10 * result.test.size:,} numbers" in page
    page = Checked(census._repr_html_()).text
    assert page.startswith(f"Censusaccuracy {census.accuracy:.4f}, loss 0.2500 on {scope}")
    whole = Checked(replace(census, numbers="all")._repr_html_()).text
    assert f"all {census.size:,} numbers of the domain" in whole


@pytest.mark.parametrize("status", Status)
def test_every_verdict_has_a_colour(status: Status) -> None:
    assert f"background:{VERDICTS[status]};" in html.badge(status)


def test_other_tasks_have_pages_too() -> None:
    run = result_of(11, guesses(2))
    divisible = replace(run, config=RunConfig(modulus=11, task="divisibility"))
    verdict, prediction = judge(divisible), predict_run(divisible.config)
    assert isinstance(prediction, LabelPrediction)
    for shown in (verdict, prediction, compare(divisible)):
        Checked(shown._repr_html_())
    assert cells(prediction._repr_html_(), html.IDENTIFIED) == 2
    prime = replace(run, config=RunConfig(modulus=2, task="primality", limit=5_000))
    of_reader = predict_run(prime.config)
    assert isinstance(of_reader, ReaderPrediction)
    for page in (judge(prime)._repr_html_(), of_reader._repr_html_(), compare(prime)._repr_html_()):
        Checked(page)
    silent = compare(replace(run, config=RunConfig(modulus=2, task="gone")))
    checked = Checked(silent._repr_html_())
    assert "table" not in checked.seen
    assert "is not known here" in checked.text


def test_a_class_without_numbers_is_no_trouble() -> None:
    empty = Evaluation.from_lists([[3, 0], [0, 0]])
    assert cells(empty._repr_html_(), html.IDENTIFIED) == 1


def test_a_map_draws_what_is_a_number() -> None:
    heat = HeatMap("m", ("n", "n+1"), ("2", "3"), np.array([[0, np.nan], [0.5, 1]]))
    page = heat._repr_html_()
    Checked(page)
    assert [cells(page, shade) for shade in html.SHADES] == [1, 0, 0, 0, 1, 0, 0, 1]
    assert "not drawn" in HeatMap("m", ("n",) * 65, ("2",), np.zeros((65, 1)))._repr_html_()
