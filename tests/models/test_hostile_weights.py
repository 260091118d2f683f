"""Weights files that were made to do harm: they are refused before anything large is built."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from pconv.config import RunConfig
from pconv.engines.census import evaluate_model
from pconv.errors import InputError, PconvError
from pconv.models import weights
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import Model, checksum, save_weights
from pconv.probes.target import target_of

SMALL = RunConfig(modulus=5, offsets=(0, 1, 2, 3), primes=8, kernel=(3,))
HUGE = RunConfig(modulus=1024, offsets=tuple(range(200)), primes=82_025)


def write(path: Path, tensors: dict[str, Tensor], config: Any, epoch: str = "1") -> Path:
    """A file with a valid checksum."""
    metadata = {"kind": "pconv weights 1", "config": json.dumps(config), "epoch": epoch}
    if all(tensor.dtype == torch.float32 for tensor in tensors.values()):
        metadata["checksum"] = checksum(tensors, metadata)
    save_file(tensors, str(path), metadata)
    return path


def test_shapes_are_compared_before_the_network_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "w", {"x": torch.zeros(1)}, HUGE.to_dict())
    monkeypatch.setattr(weights, "network_of", lambda config: pytest.fail("33 GB"))
    with pytest.raises(InputError, match=r"is missing, and its configuration needs float32 \["):
        Model.load(path)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float16])
def test_other_types_are_refused(tmp_path: Path, dtype: torch.dtype) -> None:
    tensors = {name: tensor.to(dtype) for name, tensor in PrimeConvNet.of(SMALL).state_dict().items()}
    with pytest.raises(InputError, match="is damaged"):
        Model.load(write(tmp_path / "w", tensors, SMALL.to_dict()))


@pytest.mark.parametrize("config", [[1], 7, "x", None, {"modulus": [[1]]}, {"x" * 9999: 1}, []])
def test_a_configuration_of_another_kind_is_refused(tmp_path: Path, config: Any) -> None:
    with pytest.raises(InputError) as refused:
        Model.load(write(tmp_path / "w", {"x": torch.zeros(1)}, config))
    assert len(str(refused.value)) < 500


def filled(name: str, number: float) -> dict[str, Tensor]:
    """The weights of a new network, with one number in all of a tensor."""
    weights = PrimeConvNet.of(SMALL).state_dict()
    return {**weights, name: torch.full_like(weights[name], number)}


@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, number: float) -> None:
    path = write(tmp_path / "w", filled("linear.fc2.bias", number), SMALL.to_dict())
    with pytest.raises(InputError, match="not all finite numbers"):
        Model.load(path)


def test_answers_that_are_no_numbers_are_not_given(tmp_path: Path) -> None:
    """The weights are finite, but the sums are not."""
    tensors = filled("linear.fc2.bias", 3e38) | filled("linear.fc3.weight", 3e38)
    config = replace(SMALL, limit=13_000, batches=1, test_size=1)
    model = Model.load(write(tmp_path / "w", tensors, config.to_dict()))
    for ask in (
        lambda: model.probabilities([7]),
        lambda: evaluate_model(model),
        lambda: target_of(model, 100),
    ):
        with pytest.raises(PconvError, match="not finite numbers"):
            ask()


def test_an_epoch_of_many_digits_is_not_known(tmp_path: Path) -> None:
    path = write(tmp_path / "w", PrimeConvNet.of(SMALL).state_dict(), SMALL.to_dict(), epoch="9" * 5_000)
    assert Model.load(path).epoch is None


def test_a_name_is_a_path(tmp_path: Path) -> None:
    save_weights(tmp_path / "w", PrimeConvNet.of(SMALL).state_dict(), SMALL, epoch=1)
    assert Model.load(str(tmp_path / "w")).config == SMALL
