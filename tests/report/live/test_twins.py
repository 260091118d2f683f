"""The twins of a network."""

from __future__ import annotations

from dataclasses import replace

import torch

from pconv.models.registry import network_of
from pconv.report.live.network import LiveNetwork, live_document
from pconv.report.live.twins import compiled_twin, random_twin
from tests.report.live.conftest import torch_network


def test_a_random_twin_is_the_network_before_its_training(small: list[LiveNetwork]) -> None:
    for network in small:
        twin = random_twin(network.config)
        kept, wanted = torch_network(twin).state_dict(), network_of(network.config).state_dict()
        assert all(torch.equal(kept[name], wanted[name].half().float()) for name in wanted)
        assert twin.epochs[0].epoch == 0


def test_a_compiled_twin_reads_the_same_grid(small: list[LiveNetwork]) -> None:
    """The same window and columns; every answer is right, since m = 4 is solved. Other tasks have none."""
    twin = compiled_twin(small[1].config)
    assert twin is not None
    assert (twin.config.offsets, twin.config.primes, twin.config.architecture) == ((0, 1, 2), 5, "mlp")
    assert twin.epochs[0].answers.accuracy == 1
    assert compiled_twin(small[2].config) is None


def test_weights_that_are_shared_are_embedded_once(small: list[LiveNetwork]) -> None:
    again = replace(small[0], name="again")
    document = live_document([small[0], again])
    assert len(document["weights"]) == 1
    assert [network["epochs"][0]["weights"] for network in document["networks"]] == [0, 0]
