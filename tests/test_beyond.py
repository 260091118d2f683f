"""What a program adds goes the whole way: training, verdict, store, study, page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from torch import nn

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.data import representations
from pconv.data.representations import ColumnContent
from pconv.errors import InputError
from pconv.evaluate.comparison import compare
from pconv.evaluate.judge import judge
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.evaluate.verdict import Status
from pconv.models import registry as architectures
from pconv.models.weights import Model, save_weights
from pconv.report.load import stored_runs
from pconv.report.page.build import runs_data
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from pconv.studies.evaluate import ceiling_of
from pconv.training.trainer import Training


def last_digits(numbers: IntArray, offsets: tuple[int, ...], columns: int) -> NDArray[Any]:
    """Column i: is the last decimal digit i?"""
    rows = numbers[:, None, None] + np.array(offsets)[:, None]
    return np.asarray(rows % 10 == np.arange(columns))


def linear(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(rows * columns, classes))


@pytest.fixture
def added() -> Iterator[None]:
    """A representation that no theory applies to, one that promises residues, and a network."""
    representations.register_representation("last-digits", "the last decimal digit")(last_digits)
    representations.register_representation(
        "promised", "the same, said to be residues", ColumnContent.RESIDUES
    )(last_digits)
    architectures.register_architecture("linear", "one layer")(linear)
    yield
    for name in ("last-digits", "promised"):
        del representations._representations._found[name]
    del architectures._architectures._found["linear"]


def config_of(representation: str, modulus: int = 5) -> RunConfig:
    sizes = {"offsets": (0, 1), "primes": 10, "batches": 150, "batch_size": 64, "epochs": 8, "test_size": 600}
    kinds = {"representation": representation, "architecture": "linear"}
    return RunConfig.from_dict({"modulus": modulus, **sizes, **kinds})


def small(representation: str) -> RunConfig:
    """On fewer numbers, so that all of them are soon asked, and until it is sure of its answers."""
    return replace(config_of(representation), limit=40_000, learning_rate=0.1, early_stop=False)


@pytest.mark.usefixtures("added")
def test_from_training_to_the_page(tmp_path: Path) -> None:
    path, weights = tmp_path / "pconv.db", tmp_path / "w.safetensors"
    with Store.open(path) as store:
        for name in ("last-digits", "promised"):
            training = Training(small(name), threads=1)
            while not training.done:
                training.run_epoch()
            assert training.chosen is not None
            save_weights(weights, training.chosen.weights, training.config, len(training.epochs))
            result = training.result()
            assert result.test.accuracy == 1
            store.finish(result, None, verdicts_on(result), "me")
            answers = Model.load(weights).probabilities([12, 13, 14]).argmax(axis=1)
            assert answers.tolist() == [2, 3, 4], "the weights name the network and what it is shown"
        silent, spoken = (store.result(small(name).run_id) for name in ("last-digits", "promised"))
    assert silent is not None
    assert spoken is not None
    prediction = predict_run(silent.config)
    assert isinstance(prediction, NotApplicable)
    assert prediction.reason == "The theory 'signature' does not apply to the representation last-digits."
    assert [verdict.theory for verdict in compare(silent).verdicts] == ["grid"]
    with pytest.raises(InputError, match="does not apply to the representation last-digits"):
        judge(silent)
    assert judge(spoken).status is Status.CONFIRMED
    assert (ceiling_of(silent.config), ceiling_of(spoken.config)) == (None, 1)

    page = json.loads(json.dumps(runs_data(stored_runs(path), {})))
    shown = page["runs"][silent.run_id]
    assert shown["silence"] == prediction.reason
    assert list(shown["verdicts"]) == ["grid"]
    assert [cell["ceiling"] for table in page["tables"] for row in table["cells"] for cell in row] == [
        None,
        1,
    ]


@pytest.mark.usefixtures("added")
def test_the_theory_reads_the_promise_alone() -> None:
    assert ceiling_of(config_of("promised", 4)) == pytest.approx(0.516, abs=1e-3)
    assert ceiling_of(config_of("promised", 10)) == 1


def test_what_a_program_added_may_be_gone() -> None:
    """A store holds runs of names that are not known here: no theory is asked about them."""
    config = RunConfig(modulus=5, representation="gone", architecture="gone")
    reason = "The representation gone is not known here."
    assert predict_run(config) == NotApplicable("signature", reason, nor_others=True)
    assert ceiling_of(config) is None
