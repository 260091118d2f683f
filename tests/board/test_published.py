"""The table and the sentences of the documentation have the figures of the published documents."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pconv.board.intervals import mean_over_settings
from pconv.board.metrics import METRICS
from pconv.report.figures.board import board_figure

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/board.md").read_text("utf-8")
BOARD = json.loads((ROOT / "results/board.json").read_text("utf-8"))
ROWS = {row["name"]: row for row in (*BOARD["methods"], BOARD["reference"])}


def test_the_page_shows_the_published_board() -> None:
    shown = [line for line in PAGE.splitlines() if line.count(" | ") == 9][1:]  # without the head
    for line, row in zip(shown, ROWS.values(), strict=True):
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        assert cells[0].removesuffix(" (cheat)") == row["name"]
        assert cells[1] == f"{row['score']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
        assert cells[2:7] == [f"{row[name]:.2f} ({row['twin'][name]:.2f})" for name in METRICS]
        assert cells[7:] == [f"{row[name]:.2f}" for name in ("sanity", "present", "absent")]
    assert board_figure(BOARD).networks == 24


def test_cheats_are_last_on_the_published_board() -> None:
    assert [row["cheat"] for row in BOARD["methods"]] == [False] * 8 + [True] * 2
    assert all(row["low"] > 0 for row in BOARD["methods"][:8])
    others = BOARD["methods"][1:8]
    assert max(row["low"] for row in others) <= min(row["high"] for row in others), "they overlap"


def test_the_intervals_are_those_of_the_scores() -> None:
    """All settings have the same seeds, so that an interval is that of the means of the seeds."""
    for row in ROWS.values():
        settings = defaultdict(list)
        for network, score in zip(BOARD["networks"], row["scores"], strict=True):
            settings[network["kind"], network["modulus"]].append((network["seed"], score))
        assert len(settings) == 8
        found = mean_over_settings(list(settings.values()))
        assert found == pytest.approx((row["score"], row["low"], row["high"]), abs=2e-6)


def span(values: Iterable[float], form: str) -> str:
    """The least and the largest value, as in "0.44 to 0.46"."""
    known = list(values)
    return f"{min(known):{form}} to {max(known):{form}}"


def by_setting(name: str) -> dict[tuple[str, int], float]:
    """The mean of a figure over the networks of each setting, by kind and modulus."""
    found = defaultdict[tuple[str, int], list[float]](list)
    for network in BOARD["networks"]:
        found[network["kind"], network["modulus"]].append(network[name])
    return {setting: float(np.mean(values)) for setting, values in found.items()}


BLIND = (
    *("integrated-gradients", "input-x-gradient", "deep-lift"),
    *("shapley-sampling", "kernel-shap", "feature-ablation"),
)
"""Methods whose baseline is the empty grid. The first three multiply by the input."""


def sentences_on_methods() -> Iterator[str]:
    toggle = json.loads((ROOT / "results/board-toggle.json").read_text("utf-8"))["methods"][0]
    assert toggle["name"] == "toggle"
    score, absent = f"{toggle['score']:.3f} ({toggle['low']:.3f} to {toggle['high']:.3f})", toggle["absent"]
    truth, cheat, exponents = ROWS["exact search"], ROWS["columns-of-m"], ROWS["large-exponents"]
    by_kind = {name: ROWS[name]["score_by_kind"] for name in ("integrated-gradients", "occlusion")}
    yield f"Their scores are from {span((row['score'] for row in BOARD['methods'][1:8]), '.3f')}."
    yield f"({span((ROWS[name]['absent'] for name in BLIND), '.2f')}, where chance is 0.50)"
    yield f"Present cells they rank at {span((ROWS[name]['present'] for name in BLIND), '.2f')}."
    yield f"hence saliency's {ROWS['saliency']['absent']:.2f}."
    yield f"**`toggle.py` above scores {score}** on these networks, with {absent:.2f} for absent cells"
    yield f"It differs from feature ablation ({ROWS['feature-ablation']['score']:.3f}) only"
    yield f"the distance to the truth itself ({truth['score']:.3f})"
    for name in BLIND[:3]:
        twin = ROWS[name]["twin"]
        yield f"have rank {twin['rank']:.2f} and deletion {twin['deletion']:.2f}, `large-exponents` has"
    yield f"`large-exponents` has {exponents['rank']:.2f} and {exponents['deletion']:.2f}."
    raw = [f"{cheat[name]:.2f}" for name in METRICS]
    yield f"`columns-of-m` has {', '.join(raw[:-1])} and {raw[-1]}, because"
    yield f"an insertion of {truth['insertion']:.2f} and the cheat {cheat['insertion']:.2f}:"
    for name, words in (("integrated-gradients", "do better on compiled ones"), ("occlusion", "does worse")):
        yield f"{words} ({by_kind[name]['compiled']:.2f} against {by_kind[name]['trained']:.2f})"


def sentences_on_truths() -> Iterator[str]:
    found, beyond = by_setting("theory_found"), by_setting("beyond_theory")
    eleven, sixteen, twenty_five, thirty_five = (("trained", m) for m in (11, 16, 25, 35))
    assert found[sixteen] == found[twenty_five] == 1
    yield (
        f"trained networks have {found[eleven]:.1%} (m = 11), 100% (m = 16 and 25) and "
        f"{found[thirty_five]:.1%} (m = 35); but of their own deciding cells {beyond[eleven]:.0%} (m = 11), "
        f"{beyond[sixteen]:.0%} (m = 16), {beyond[twenty_five]:.0%} (m = 25) and {beyond[thirty_five]:.0%}"
    )
    right = by_setting("right_group")
    least = min(network["right_group"] for network in BOARD["networks"])
    span_of_trained = span((share for (kind, _), share in right.items() if kind == "trained"), ".0%")
    yield f"({span_of_trained} by setting, {least:.1%} at least)"
    absent = by_setting("absent").values()
    yield f"{np.mean(list(absent)):.0%} of the deciding cells are zero (by setting {span(absent, '.0%')})"


@pytest.mark.parametrize("sentence", [*sentences_on_methods(), *sentences_on_truths()])
def test_the_sentences_have_the_published_figures(sentence: str) -> None:
    assert sentence in " ".join(PAGE.split())


def test_the_truths_of_the_published_board() -> None:
    for network in BOARD["networks"]:
        assert network["other_columns"] == network["beyond_theory"]
        if network["kind"] == "compiled":
            assert (network["theory_found"], network["beyond_theory"]) == (1, 0)
