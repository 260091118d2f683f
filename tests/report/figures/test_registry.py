"""A figure is one file: put into the package, it is a command that draws."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pconv.report.figures
from pconv.cli.program import app
from pconv.report.figures.registry import FIGURES, figures

SHIPPED = [
    "architecture",
    "board",
    "confusion",
    "confusions",
    "laws",
    "losses",
    "map",
    "pace",
    "scatter",
    "table",
    "window",
]
MODULE = '''
from __future__ import annotations
from dataclasses import dataclass
from math import gcd
from typing import Annotated
from matplotlib.figure import Figure
from pconv.report.figures.options import Option
from pconv.report.figures.registry import FIGURES, FigureSpec

@dataclass(frozen=True)
class Units:
    residues: tuple[int, ...]

def from_options(
    modulus: int, most: Annotated[int, Option("How many to show.", "COUNT", ("--most", "-x"))] = 3
) -> Units:
    """The units modulo m."""
    return Units(tuple(c for c in range(modulus) if gcd(c, modulus) == 1)[:most])

def draw(record: Units) -> Figure:
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, f"units {record.residues}")
    return figure

def as_text(record: Units) -> str:
    return f"{len(record.residues)} units"

FIGURES.add(FigureSpec("units", from_options, draw, {".txt": as_text}))
'''


@pytest.fixture
def another_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module in a second directory of the package of figures."""
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "units.py").write_text(MODULE)
    monkeypatch.setattr(FIGURES, "_found", dict(figures()))
    monkeypatch.setattr(pconv.report.figures, "__path__", [*pconv.report.figures.__path__, str(folder)])
    yield
    sys.modules.pop("pconv.report.figures.units", None)


def test_the_figures_that_ship() -> None:
    assert list(figures()) == SHIPPED
    assert all(spec.make.__doc__ for spec in figures().values())


@pytest.mark.usefixtures("another_module")
def test_a_module_in_the_package_is_a_command(tmp_path: Path) -> None:
    def run(*arguments: object) -> str:
        done = CliRunner().invoke(app, ["figure", *map(str, arguments)], catch_exceptions=False)
        assert done.exit_code == 0
        return done.output

    assert "The units modulo m." in run("--help")
    described = run("units", "--help")
    assert all(part in described for part in ("How many to show.", "--modulus", ".pdf, .svg, .png or .txt"))
    run("units", "-m", 16, "-o", tmp_path / "units.svg")
    assert "units (1, 3, 5)" in (tmp_path / "units.svg").read_text()
    run("units", "-m", 16, "-x", 4, "-o", tmp_path / "units.txt")
    assert (tmp_path / "units.txt").read_text() == "4 units"
