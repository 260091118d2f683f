"""The colours stay apart for readers who see fewer of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from numpy.typing import NDArray

from pconv._colours import VERDICTS, VERDICTS_IN_TERMINAL
from pconv._notebook_html import badge
from pconv.evaluate.verdict import Status
from pconv.report.palette import BLOCKS, COLOURS, DARK, GREY, css_colours, tint

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "all colours": np.eye(3),
    "no green": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "no red": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "no blue": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def seen(colour: str, sight: NDArray[np.float64]) -> NDArray[np.float64]:
    """A colour as CIE Lab, in which distances are those of perception."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(XYZ @ np.clip(sight @ linear, 0, 1) / np.array([0.9505, 1, 1.089]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(
    "colours", [BLOCKS, VERDICTS, {name: DARK.get(name, colour) for name, colour in VERDICTS.items()}]
)
def test_colours_stay_apart(sight: str, colours: Mapping[str, str]) -> None:
    lab = {name: seen(colour, SIGHT[sight]) for name, colour in colours.items()}
    for one, other in combinations(lab, 2):
        assert np.linalg.norm(lab[one] - lab[other]) > 20, (one, other)  # 2.3 can just be noticed


def test_verdicts_differ_in_prints_without_colour() -> None:
    """The bars of a table, of which the lightness alone is left."""
    lightness = sorted(float(seen(colour, SIGHT["all colours"])[0]) for colour in VERDICTS.values())
    assert min(b - a for a, b in pairwise(lightness)) > 9


def luminance(colour: str) -> float:
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(XYZ[1] @ linear)


@pytest.mark.parametrize("theme", [":root", ':root[data-theme="dark"]'])
def test_words_stand_out_from_the_page(theme: str) -> None:
    """The contrast that WCAG asks of text (AA): 4.5 to 1."""
    css = (files("pconv.report.page") / "assets" / "page.css").read_text("utf-8")
    block = css[css.index(f"{theme} {{") :].split("}")[0]
    colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
    for ground in ("paper", "raised", "faint"):
        for words in ("ink", "muted", "accent"):
            lighter, darker = sorted((luminance(colours[words]), luminance(colours[ground])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) > 4.5, (words, ground)


@pytest.mark.parametrize("word", [*VERDICTS, "another"])
def test_the_word_of_a_verdict_can_be_read_on_its_colour(word: str) -> None:
    found = dict(re.findall(r"(background|color):(#\w+)", badge(word)))
    lighter, darker = sorted(map(luminance, found.values()), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) > 4.5


def test_figures_can_be_read_on_the_tint_of_a_verdict() -> None:
    for colour in VERDICTS.values():
        ground = luminance(to_hex(tint(colour, 0.25)))
        assert (ground + 0.05) / (luminance(GREY) + 0.05) > 3.5, colour


def test_page_and_paper_have_the_same_colours() -> None:
    """One place for them: the page's own style sheet has none."""
    own = (files("pconv.report.page") / "assets" / "page.css").read_text("utf-8")
    assert not set(re.findall(r"--(\w+): #", own)) & {*BLOCKS, *VERDICTS, "leak", "free"}
    light, dark, print_ = css_colours().splitlines()
    assert dict(re.findall(r"--(\w+): (#\w{6})", light)) == COLOURS
    assert dict(re.findall(r"--(\w+): (#\w{6})", dark)) == DARK
    assert dict(re.findall(r"--(\w+): (#\w{6})", print_)) == COLOURS
    assert set(re.findall(r"var\(--(\w+)\)", own)) <= {*COLOURS, *re.findall(r"--(\w+):", own), "verdict"}
    assert set(map(str, Status)) | {"unjudged"} == set(VERDICTS)
    assert set(map(str, Status)) == set(VERDICTS_IN_TERMINAL)
