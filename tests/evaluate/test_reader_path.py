"""Which reader a network is nearest to, epoch by epoch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pconv.config import RunConfig
from pconv.evaluate.judge import judge
from pconv.evaluate.reader_path import nearest_reader, reader_path
from pconv.result import Evaluation, Snapshot
from tests.evaluate.fake_networks import omniscient, result_of


def test_a_network_that_passes_the_local_reader_and_reaches_sizes() -> None:
    made = result_of(omniscient(2), 2, size=500)
    config = RunConfig(modulus=3, task="mobius", primes=8, limit=20_000, epochs=3)
    readings = reader_path(replace(made, config=config)).readings
    floors = {name: each.loss_floor for name, each in readings.items()}
    assert floors["limit"] is not None
    assert floors["local"] is not None
    assert floors["size"] is not None
    assert floors["limit"] > floors["local"] > floors["size"] > (floors["any"] or 0)
    losses = (1.0, floors["local"] + 0.001, floors["size"] - 0.001)
    epochs = tuple(replace(made.epochs[0], epoch=i + 1, held_out_loss=loss) for i, loss in enumerate(losses))
    answers = Evaluation.from_lists([[3, 1, 0], [0, 2, 0], [0, 0, 2]])
    run = replace(made, config=config, epochs=epochs, snapshots=(Snapshot(2, answers),))
    path = reader_path(run)
    assert path.nearest == {1: "limit", 2: "local", 3: "size"}
    overfitted = replace(run, epochs=(replace(epochs[0], held_out_loss=1.2),))  # log 3 is 1.0986
    assert reader_path(overfitted).nearest == {1: None}
    assert (path.passed("limit"), path.passed("local"), path.passed("size")) == (2, 3, 3)
    assert path.passed("any") is None
    document = path.to_dict()
    assert [each["test_accuracy"] for each in document["epochs"]] == [None, pytest.approx(7 / 8), None]
    assert document["passed"]["any"] is None


def test_readers_with_an_infinite_loss_are_never_nearest() -> None:
    config = RunConfig(modulus=2, task="primality", limit=900)
    readings = reader_path(replace(result_of(omniscient(2), 2, size=500), config=config)).readings
    assert readings["limit"].loss_floor is None
    assert nearest_reader(9.0, readings) == "local"


def test_numbers_that_are_not_equally_hard_are_no_sign_of_memory() -> None:
    """Near to training numbers and far from them, n differs in size, and so does what is hidden."""
    made = result_of(omniscient(2), 2, size=500)
    far = Evaluation.from_lists([[40, 0], [0, 40]])
    near = replace(made, test=Evaluation.from_lists([[900, 300], [0, 40]]), disjoint_test=far)
    residue = replace(near, config=RunConfig(modulus=2))
    assert judge(residue).memory is not None
    parity = replace(near, config=RunConfig(modulus=2, task="omega", limit=5_000))
    assert judge(parity).memory is None
