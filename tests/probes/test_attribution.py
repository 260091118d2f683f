"""Attribution methods on a reader whose every reason is known."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from pconv.models.weights import Model
from pconv.probes.attribution import (
    METHODS,
    evidence_cells,
    probe_attribution,
    score,
    within_reach,
)
from pconv.probes.finding import Standard
from pconv.probes.registry import ProbeUnavailable
from pconv.probes.suite import run_probes
from pconv.probes.target import ProbeTarget, logits_of, randomised, target_of
from tests.probes.conftest import Hits, target_for


@pytest.fixture
def reader_of_hits() -> ProbeTarget:
    target = target_for(7, 4)
    network = Hits(target.reader)
    return replace(target, network=network, logits=logits_of(network))


@pytest.mark.parametrize("method", METHODS)
def test_methods_find_the_evidence_cells_of_an_ideal_reader(reader_of_hits: ProbeTarget, method: str) -> None:
    network = reader_of_hits.network
    assert network is not None
    grids = reader_of_hits.grids(400)
    mask = evidence_cells(reader_of_hits.reader, grids)
    grids, mask = grids[mask.any(axis=(1, 2))], mask[mask.any(axis=(1, 2))]
    given = torch.from_numpy(np.array(grids))
    found = METHODS[method](network, given, network(given).argmax(dim=1)).detach().numpy()
    scores = score(found, within_reach(mask, method), grids > 0)
    np.testing.assert_allclose(scores.mass, 1, atol=1e-6)
    assert scores.pointing.all()
    assert (scores.rank[~np.isnan(scores.rank)] > 0).all()


def test_scores_by_hand() -> None:
    mask = np.array([[[True, False, False]]])
    present = np.array([[[True, True, False]]])
    right = score(np.array([[[-3.0, 1.0, 0.0]]]), mask, present)
    assert (right.mass[0], right.pointing[0], right.rank[0]) == (0.75, True, pytest.approx(1))
    wrong = score(np.array([[[1.0, 3.0, 0.0]]]), mask, present)
    assert (wrong.mass[0], wrong.pointing[0], wrong.rank[0]) == (0.25, False, pytest.approx(-1))
    silent = score(np.zeros((1, 1, 3)), mask, present)
    assert silent.mass[0] == 0
    assert np.isnan(silent.rank[0])


def test_the_reach_of_a_patch() -> None:
    mask = np.zeros((1, 4, 5), dtype=bool)
    mask[0, 0, 2] = True
    assert np.argwhere(within_reach(mask, "occlusion")[0]).tolist() == [
        [i, j] for i in (0, 1) for j in (1, 2, 3)
    ]
    assert within_reach(mask, "feature ablation") is mask


def test_random_weights_are_other_weights_and_the_network_keeps_its_own(trained: Model) -> None:
    before = {name: w.clone() for name, w in trained.network.state_dict().items()}
    blank = randomised(trained.network, 0)
    again = randomised(trained.network, 0).state_dict()
    for name, weights in blank.state_dict().items():
        assert not torch.equal(weights, before[name])
        assert torch.equal(weights, again[name])
        assert torch.equal(trained.network.state_dict()[name], before[name])


def test_on_a_trained_network(trained: Model) -> None:
    findings, maps = probe_attribution(target_of(trained, 1_000), Standard())
    assert len(findings) == 4 * len(METHODS)
    assert len(maps) == 1 + len(METHODS)
    pointing = [f for f in findings if f.what.endswith("pointing game")]
    assert all(f.share is not None and f.share > 0.8 for f in pointing)


def test_without_captum(monkeypatch: pytest.MonkeyPatch, reader_of_hits: ProbeTarget) -> None:
    monkeypatch.setitem(sys.modules, "captum.attr", None)
    with pytest.raises(ProbeUnavailable, match="pip install 'captum"):
        run_probes(reader_of_hits, ["attribution"])
