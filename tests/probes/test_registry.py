"""A probe that a program adds is run and reported like those that ship."""

from __future__ import annotations

import json

import pytest

from pconv.models.weights import Model
from pconv.probes.finding import Finding, Standard, share_finding
from pconv.probes.registry import PROBES, ProbeResult, probes, register_probe
from pconv.probes.suite import probe
from pconv.probes.target import ProbeTarget


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PROBES, "_found", dict(probes()))


def test_the_probes_that_ship_are_found_in_the_order_of_a_report() -> None:
    assert list(probes()) == ["interventions", "causal", "layers", "attribution", "extrapolation"]


def test_a_probe_from_outside(trained: Model) -> None:
    @register_probe("repeated")
    def repeated(target: ProbeTarget, standard: Standard) -> ProbeResult:
        grids = target.grids(500)
        same = target.answers(grids) == target.answers(grids)
        return ProbeResult([share_finding("repeated", "ask twice", "the answer stays", same, standard)])

    report = probe(trained, ["repeated"], numbers=500)
    assert [(finding.probe, finding.agrees, finding.n) for finding in report.findings] == [
        ("repeated", True, 500)
    ]
    assert json.loads(json.dumps(report.to_dict()))["findings"][0]["what"] == "ask twice"
    assert list(probes())[-1] == "repeated"


def test_a_probe_that_finds_nothing_is_no_error(trained: Model) -> None:
    found: list[Finding] = []
    register_probe("empty", order=1)(lambda target, standard: ProbeResult(found))
    assert probe(trained, ["empty"], numbers=500).findings == ()
    assert next(iter(probes())) == "empty"
