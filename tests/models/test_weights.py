"""Weights on disk: what is written is read, and what is damaged is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import Model, save_weights
from tests.certification.networks import noisy_model, without_onednn

CONFIG = RunConfig(modulus=5, offsets=(0, 1, 2, 3), primes=8, kernel=(3,))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "w.safetensors"
    save_weights(path, PrimeConvNet.of(CONFIG).state_dict(), CONFIG, epoch=1)
    return path


def test_round_trip(kept: Path) -> None:
    model = Model.load(kept)
    assert model.config == CONFIG
    expected = PrimeConvNet.of(CONFIG).state_dict()
    assert all(torch.equal(w, expected[name]) for name, w in model.network.state_dict().items())
    assert [p.name for p in kept.parent.iterdir()] == [kept.name], "nothing is left beside the file"


def test_probabilities_add_up_at_both_ends_of_the_range(kept: Path) -> None:
    shares = Model.load(kept).probabilities([1, 2**63 - 1 - 3])
    assert shares.shape == (2, 5)
    assert shares.sum(axis=1) == pytest.approx([1, 1])


def test_probabilities_do_not_depend_on_onednn() -> None:
    """Without it torch gives batches of 16 numbers and more to NNPACK, which has larger errors."""
    model, numbers = noisy_model(), list(range(1, 65))
    usual = model.probabilities(numbers)
    with without_onednn():
        assert (model.probabilities(numbers) == usual).all()


@pytest.mark.parametrize("at", [0, 4, 60, 5_000, -1])
def test_a_changed_byte_is_noticed(kept: Path, at: int) -> None:
    data = bytearray(kept.read_bytes())
    data[at] ^= 0x41
    kept.write_bytes(data)
    with pytest.raises(InputError, match=r"w\.safetensors"):
        Model.load(kept)


@pytest.mark.parametrize("length", [0, 7, 100, 3_000])
def test_a_cut_file_is_noticed(kept: Path, length: int) -> None:
    kept.write_bytes(kept.read_bytes()[:length])
    with pytest.raises(InputError, match="damaged"):
        Model.load(kept)


def test_files_that_are_not_ours(tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    save_file({"x": torch.zeros(2)}, str(other))
    with pytest.raises(InputError, match="not a weights file of pconv"):
        Model.load(other)
    text = tmp_path / "notes.txt"
    text.write_text(json.dumps({"not": "weights"}) * 100)
    with pytest.raises(InputError, match="not a weights file of pconv"):
        Model.load(text)
    for missing in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError):
            Model.load(missing)


def test_weights_of_another_shape_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save_weights(path, PrimeConvNet.of(CONFIG).state_dict(), RunConfig(modulus=7, primes=8), epoch=1)
    with pytest.raises(InputError, match="damaged"):
        Model.load(path)


def test_weights_of_a_task_that_is_not_here_are_whole_but_of_no_use(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    config = RunConfig(modulus=7, primes=8, task="elsewhere")
    save_weights(path, PrimeConvNet.of(RunConfig(modulus=7, primes=8)).state_dict(), config, epoch=1)
    with pytest.raises(InputError, match=r"cannot be used here .*elsewhere"):
        Model.load(path)


def test_a_failed_write_leaves_the_old_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pconv.models.weights.save_file", full)
    with pytest.raises(InputError, match="No space left"):
        save_weights(kept, PrimeConvNet.of(CONFIG).state_dict(), CONFIG, epoch=1)
    assert kept.read_bytes() == before
    assert len(list(kept.parent.iterdir())) == 1
