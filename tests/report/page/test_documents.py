"""Certificates, laws, paces and boards on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from pconv import certify, compile_network
from pconv.discover.parser import parse
from pconv.discover.report import Report
from pconv.discover.scoring import Law
from pconv.discover.source import Sample
from pconv.errors import InputError
from pconv.report.page.build import write_page
from pconv.report.page.documents import read_documents
from tests.report.conftest import Opened
from tests.report.fakes import HOSTILE

PACE: dict[str, Any] = {
    "epochs": 9.46,
    "low": 4,
    "high": 21.0,
    "level": 0.9,
    "config": {"modulus": 23, "primes": 5000},
}
LAWS: dict[str, Any] = {
    "runs": 355,
    "found": "gcd(n+o,m)",
    "laws": [{"formula": "gcd(n+o,m)", "size": 5, "explained": 354, "of": 355}],
    "set_aside": [],
}


BOARD = Path(__file__).parents[3] / "results/board.json"
METHODS: dict[str, Any] = json.loads(BOARD.read_text("utf-8"))


def written(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_each_is_shown_where_it_is_given(opened: Opened, tmp_path: Path) -> None:
    certify(compile_network(3, range(2)), width=0.1, output=tmp_path / "c.json")
    laws = {**LAWS, "laws": [*LAWS["laws"], {"formula": HOSTILE, "size": 9, "explained": 0, "of": 355}]}
    paths = [
        tmp_path / "c.json",
        written(tmp_path / "l.json", laws),
        written(tmp_path / "p.json", PACE),
        BOARD,
    ]
    certificate = json.loads(paths[0].read_text("utf-8"))
    write_page(tmp_path / "page.html", documents=read_documents(paths))
    page = opened.go(tmp_path / "page.html")
    row = page.locator("#documents-certificates tbody tr").locator("th, td").all_text_contents()
    assert row[0].startswith("m=3, B=1, k=3, N=")
    low, high = (float(bound) for bound in row[1].split(" to "))
    assert low <= certificate["low"] < low + 1.1e-6
    assert high - 1.1e-6 < certificate["high"] <= high
    assert (row[2], row[4]) == ("proved", f"{certificate['grids']:,}")
    expect(page.locator("#documents-laws")).to_contain_text("all values of gcd(n+o,m) agree")
    expect(page.locator("#documents-laws")).to_contain_text("354 of 355")
    expect(page.locator("#documents-laws")).to_contain_text(HOSTILE)
    board = page.locator("#documents-board")
    expect(board).to_contain_text("of 40 networks")
    best = METHODS["methods"][0]
    first, cheat = (
        board.locator("tbody tr", has_text="saliency"),
        board.locator("tbody tr", has_text="columns-of-m"),
    )
    assert first.locator("th, td").all_text_contents() == [
        "saliency",
        f"{best['score']:.3f}",
        f"{best['low']:.3f} to {best['high']:.3f}",
        *(f"{best[name]:.2f}" for name in ("pointing", "mass", "rank")),
    ]
    expect(cheat).to_contain_text("columns-of-m (cheat)0.000")
    expect(page.locator("#documents-pace")).to_contain_text("m=23, B=8, k=7, N=5,0009.54.0 to 21.0 (90%)")
    assert opened.nameless() == []


def test_a_page_without_documents_has_no_place_for_them(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file)
    assert page.locator("#documents, [data-part=documents]").count() == 0


def test_the_document_of_a_search_is_one(tmp_path: Path) -> None:
    law = Law(parse("gcd(n+o, m)"), np.zeros(0, dtype=bool), 0.0)
    document = Report(Sample((), ()), None, (law,)).to_dict()
    [found] = read_documents([written(tmp_path / "l.json", document)])["laws"]
    assert found["laws"][0]["formula"] == str(law.formula)


@pytest.mark.parametrize("ceiling", ["1e999999999", "1/0", "1/2/3", "9" * 5_000, 0.5, None])
def test_a_certificate_has_a_fraction_for_its_ceiling(tmp_path: Path, ceiling: Any) -> None:
    certify(compile_network(3, range(2)), width=0.1, output=tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text("utf-8"))
    assert read_documents([tmp_path / "c.json"])["certificates"][0]["ceiling"] == 1
    with pytest.raises(InputError, match="is not what"):
        read_documents([written(tmp_path / "d.json", {**document, "ceiling_fraction": ceiling})])


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"laws": []},
        {**LAWS, "runs": "many"},
        {**LAWS, "laws": [{"formula": 3}]},
        {**PACE, "low": None},
        {**PACE, "low": float("nan")},
        {**PACE, "high": 3},
        {**PACE, "high": float("inf")},
        {**PACE, "epochs": float("nan")},
        {**PACE, "epochs": -5},
        {**PACE, "level": float("inf")},
        {**PACE, "level": float("nan")},
        {**PACE, "level": 1},
        {**PACE, "config": {}},
        {**PACE, "config": []},
        {**METHODS, "methods": [{**METHODS["methods"][0], "score": float("nan")}]},
        {**METHODS, "methods": [{**METHODS["methods"][0], "low": None}]},
        {**METHODS, "methods": [{**METHODS["methods"][0], "low": 5, "high": -5}]},
        {**METHODS, "level": 0},
        {**METHODS, "methods": [{"name": "saliency"}]},
        {**METHODS, "networks": 40},
    ],
)
def test_what_is_no_document_is_refused(tmp_path: Path, document: Any) -> None:
    with pytest.raises(InputError, match="is not what `pconv certify`"):
        read_documents([written(tmp_path / "x.json", document)])
