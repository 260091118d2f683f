"""Networks for the page: their precision, their census, their snapshots."""

from __future__ import annotations

import base64
from dataclasses import replace

import numpy as np
import torch

from pconv import compile_network
from pconv.config import RunConfig
from pconv.data.domain import split, unseen
from pconv.engines.census import evaluate_model
from pconv.models.weights import Model
from pconv.report.live.embed import embed_network, spread
from pconv.report.live.encoding import rounded
from tests.report.live.conftest import SMALL, torch_network, untrained

CONFIG = RunConfig(modulus=11, offsets=tuple(range(9)), primes=6, **SMALL)


def exact(model: Model) -> Model:
    """The network with weights that half precision represents."""
    model.network.load_state_dict(rounded(model.network.state_dict()))
    return model


def nearly_tied(model: Model) -> Model:
    """Two classes that are equal but for a difference which half precision rounds away."""
    state = model.network.state_dict()
    state["linear.fc4.weight"][:] = 0
    state["linear.fc4.bias"][:] = 0
    state["linear.fc4.bias"][4:6] = torch.tensor([1.0, 1.0 + 2**-12])
    return model


def test_half_precision_where_the_answers_stay_the_same() -> None:
    network = embed_network(exact(untrained(CONFIG)), "same")
    count = len(unseen(CONFIG, split(CONFIG)))
    assert network.epochs[0].form == "half"
    assert network.note == f"Half precision: the answers to all {count:,} unseen numbers stay the same."


def test_single_precision_where_an_answer_changes() -> None:
    model = nearly_tied(exact(untrained(CONFIG)))
    state = model.network.state_dict()
    network = embed_network(model, "changed")
    count = len(unseen(CONFIG, split(CONFIG)))
    assert network.epochs[0].form == "single"
    assert network.note == (
        f"Single precision, because half precision changes {count:,} of the answers "
        f"to all {count:,} unseen numbers."
    )
    kept = torch_network(network).state_dict()
    assert all(torch.equal(kept[name], state[name]) for name in state)


def test_the_census_is_that_of_evaluate() -> None:
    model = untrained(CONFIG)
    census = embed_network(model, "asked").census
    wanted = evaluate_model(model)
    assert census is not None
    assert census.answers == wanted.answers
    wrong = census.inside.count + census.outside.count
    assert wrong == wanted.size - wanted.answers.correct
    mixed = sum(wanted.answers.confusion[i][j] for i, j in ((1, 2), (2, 1)))
    assert census.inside.count == mixed
    for n in census.outside.examples:
        answer = int(model.probabilities([n]).argmax())
        assert answer != n % 11
        assert {answer, n % 11} != {1, 2}
        assert n in unseen(CONFIG, split(CONFIG))


def test_snapshots_are_spread_and_ordered() -> None:
    models = [replace(untrained(CONFIG), epoch=epoch) for epoch in range(1, 21)]
    assert [model.epoch for model in spread(models, 13)] == [1, 2, 8, 20]
    assert [model.epoch for model in spread(models[:3], 2)] == [1, 3]
    network = embed_network(untrained(CONFIG, 3), "snapshots", [untrained(CONFIG, 5), untrained(CONFIG, 1)])
    assert [epoch.epoch for epoch in network.epochs] == [1, 3, 5]
    assert network.chosen == 1
    first = torch_network(network, network.epochs[0]).state_dict()
    wanted = untrained(CONFIG, 1).network.state_dict()
    assert torch.allclose(first["linear.fc2.weight"], wanted["linear.fc2.weight"], atol=1e-4)


def test_a_compiled_network_takes_little() -> None:
    """It is mostly zeros; what is embedded is the network itself."""
    model = compile_network(4, range(3), primes=4)
    network = embed_network(replace(model, config=replace(model.config, **SMALL)), "four")
    assert (network.kind, network.census, network.epochs[0].form) == ("compiled", None, "sparse")
    assert len(base64.b64decode(network.epochs[0].weights)) < 10_000
    kept, wanted = torch_network(network).state_dict(), model.network.state_dict()
    assert all(np.array_equal(kept[name], wanted[name]) for name in wanted)
    assert network.epochs[0].answers.accuracy == 1
