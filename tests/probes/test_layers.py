"""Linear probes: on features of known content, and on a trained network."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pconv.errors import InputError
from pconv.models.weights import Model
from pconv.probes.finding import Standard
from pconv.probes.layers import Divides, linear_probes, probe_layers, stages_of
from pconv.probes.target import target_of
from tests.probes.conftest import SOME_NUMBERS

STATEMENTS = [Divides(7, 0), Divides(7, 3)]


def test_a_linear_probe_finds_what_is_there_and_only_that() -> None:
    random = np.random.default_rng(0)
    noise = random.normal(size=(len(SOME_NUMBERS), 5)).astype(np.float32)
    nothing = np.concatenate(linear_probes(noise, SOME_NUMBERS, STATEMENTS, 0))
    assert abs(nothing.mean() - 0.5) < 0.07
    told = noise.copy()
    told[:, 1] += 20 * STATEMENTS[0].holds(SOME_NUMBERS)
    found, not_there = linear_probes(told, SOME_NUMBERS, STATEMENTS, 0)
    assert found.mean() > 0.99
    assert not_there.mean() < 0.7


def test_judgements_are_half_and_half_and_share_no_number() -> None:
    features = SOME_NUMBERS[:, None].astype(np.float32)
    judged = linear_probes(features, SOME_NUMBERS, STATEMENTS, 0)
    assert sum(map(len, judged)) <= len(SOME_NUMBERS) // 2
    assert all(len(hits) % 2 == 0 for hits in judged)


def test_too_few_numbers_are_said_to_be_too_few() -> None:
    rare = [Divides(10**6 + 3, 0)]
    assert len(linear_probes(np.zeros((6_000, 1), np.float32), SOME_NUMBERS, rare, 0)[0]) == 0


def test_any_seed_of_a_run_can_be_a_seed_of_probes(trained: Model) -> None:
    features = SOME_NUMBERS[:, None].astype(np.float32)
    largest, same = (
        linear_probes(features, SOME_NUMBERS, STATEMENTS, seed) for seed in (2**63 - 1, 2**32 - 1)
    )
    assert all(map(np.array_equal, largest, same))
    assert target_of(trained, 100, 2**63 - 1).seed == 2**63 - 1
    with pytest.raises(InputError, match="seed"):
        target_of(trained, 100, 2**63)


def test_through_a_trained_network(trained: Model) -> None:
    stages = stages_of(trained.network)
    assert stages == ("convolution.pool1", "linear.act1", "linear.act2", "linear.act3", "linear.fc4")
    findings, maps = probe_layers(target_of(trained, 6_000), Standard())
    read = [f for f in findings if "whether 5 divides" in f.what]
    assert [f.what.split()[2] for f in read] == list(stages)
    assert all(f.share is not None and f.share > 0.9 for f in read[1:])
    channels = [f for f in findings if f.what.startswith("channel")]
    assert len(channels) == 4
    assert all(f.agrees is None for f in channels)
    assert [heat.values.shape for heat in maps] == [(5, 4), (4, 8)]
    assert not any(module._forward_hooks for module in trained.network.modules()), "hooks are taken away"
    with torch.no_grad():
        assert trained.network(torch.zeros(1, 4, 8)).shape == (1, 5)
