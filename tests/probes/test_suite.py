"""The run of all probes, the record of one finding, and the pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from pconv.data.domain import split
from pconv.errors import InputError
from pconv.models.weights import Model
from pconv.probes.finding import Standard, share_finding
from pconv.probes.heatmap import HeatMap
from pconv.probes.heatmap import draw as draw_maps
from pconv.probes.registry import probes
from pconv.probes.suite import probe, probe_names
from pconv.probes.target import fresh_numbers


def test_a_trained_network_follows_the_evidence(trained: Model) -> None:
    """Trained for seconds, it may miss the tolerance; guessing would be right in a fifth."""
    report = probe(trained, ["interventions", "causal", "extrapolation"], Standard(), 6_000)
    assert report.findings[0].what == "touch nothing"
    assert report.findings[0].agrees
    assert all(finding.share > 0.8 for finding in report.findings if finding.share is not None)
    calls: list[tuple[str, int, int]] = []
    names = ["extrapolation", "causal", "interventions"]
    again = probe(trained, names, Standard(), 6_000, on_progress=lambda *current: calls.append(current))
    assert again.findings == report.findings
    assert list(dict.fromkeys(calls)) == [("interventions", 1, 3), ("causal", 2, 3), ("extrapolation", 3, 3)]
    assert len(calls) > 20, "also within a probe, after each evaluation of the network"
    assert not trained.network._forward_hooks
    document = json.loads(json.dumps(report.to_dict()))
    assert set(document["findings"][0]) >= {"probe", "what", "predicted", "observed", "agrees", "n"}


def test_probes_by_name() -> None:
    assert probe_names([]) == tuple(probes())
    assert probe_names(["layers", "causal"]) == ("causal", "layers")
    with pytest.raises(InputError, match="interventions, causal, layers, attribution, extrapolation"):
        probe_names(["nonsense"])


def test_without_captum_the_other_probes_run(trained: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "captum.attr", None)
    report = probe(trained, numbers=500)
    assert {finding.probe for finding in report.findings} == set(probes())
    missing = [finding for finding in report.findings if finding.probe == "attribution"]
    assert len(missing) == 1
    assert missing[0].agrees is None
    assert "pip install" in missing[0].observed


def test_fresh_numbers_were_not_trained_on(trained: Model) -> None:
    numbers = fresh_numbers(trained.config, 2_000, 1)
    drawn = split(trained.config)
    assert len(set(numbers.tolist())) == 2_000
    assert not set(numbers.tolist()) & {*drawn.training.ravel().tolist(), *drawn.validation.tolist()}
    with pytest.raises(InputError, match="numbers not trained on"):
        fresh_numbers(trained.config, 10**7, 0)


@pytest.mark.parametrize(("hits", "n", "agrees"), [(1000, 1000, True), (10, 10, None), (800, 1000, False)])
def test_when_a_share_agrees(hits: int, n: int, agrees: bool | None) -> None:
    finding = share_finding("p", "w", "all", np.arange(n) < hits, Standard())
    assert finding.agrees is agrees
    assert finding.bounds is not None
    assert finding.bounds[0] <= hits / n <= finding.bounds[1]


def test_a_share_may_be_too_large() -> None:
    assert Standard().agrees((0.97, 0.99), 0.9) is False
    with pytest.raises(InputError, match="tolerance"):
        Standard(tolerance=2)


@pytest.mark.parametrize("name", ["maps.png", "maps.svg", "maps.pdf"])
def test_maps_are_drawn(tmp_path: Path, name: str) -> None:
    heat = HeatMap("a map", ("n", "n+1"), ("2", "3", "5"), np.array([[0, 0.5, 1], [np.nan, 1, 0]]))
    draw_maps([heat, heat], tmp_path / name, "two maps")
    assert (tmp_path / name).stat().st_size > 1_000
    assert heat.to_dict()["values"][1] == [None, 1, 0]


def test_maps_that_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="draw no map"):
        draw_maps([], tmp_path / "maps.png", "none")
