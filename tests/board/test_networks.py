"""The networks of the board: made once, and read from directories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sympy import factorint

from pconv.board import default_networks
from pconv.board.default_networks import SETTINGS, board_config, default_entries, missing_networks
from pconv.board.entries import Entry, read_entries
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.registry import network_of
from pconv.models.weights import Model, save_weights
from tests.board.conftest import compiled


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two settings, trained for two steps each."""
    small = {"primes": 4, "batches": 2, "batch_size": 8, "epochs": 1, "limit": 4_000, "test_size": 100}

    def config(modulus: int, successors: int, seed: int = 0) -> RunConfig:
        return replace(board_config(modulus, successors, seed), **small)  # type: ignore[arg-type]

    monkeypatch.setattr(default_networks, "board_config", config)
    monkeypatch.setattr(default_networks, "SETTINGS", ((5, 2), (4, 1)))


def test_the_settings_are_a_prime_powers_and_two_primes() -> None:
    shapes = [sorted(factorint(modulus).values()) for modulus, _ in SETTINGS]
    assert shapes == [[1], [4], [2], [1, 1]]


@pytest.mark.usefixtures("tiny")
def test_networks_are_made_once(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    assert missing_networks(tmp_path, 2) == 4
    made = default_entries(tmp_path, 2, lambda done, total: steps.append((done, total)))
    assert steps == [(done, 8) for done in range(1, 9)]
    assert missing_networks(tmp_path, 2) == 0
    again = default_entries(tmp_path, 2, lambda done, total: pytest.fail("trained again"))
    assert [(e.name, e.kind, e.seed) for e in made] == [(e.name, e.kind, e.seed) for e in again]
    assert sorted((e.name, e.seed) for e in made) == [
        *(("m4-B1-compiled", 0), ("m4-B1-compiled", 1), ("m4-B1-seed0", 0), ("m4-B1-seed1", 1)),
        *(("m5-B2-compiled", 0), ("m5-B2-compiled", 1), ("m5-B2-seed0", 0), ("m5-B2-seed1", 1)),
    ]
    assert len({entry.setting for entry in made}) == 4
    assert {entry.model.config.limit for entry in made} == {4_000}
    named = read_entries(tmp_path, 2)
    assert sorted((e.name, e.seed) for e in named) == sorted((e.name, e.seed) for e in made)


@pytest.mark.usefixtures("tiny")
def test_a_file_of_another_network_is_not_used(tmp_path: Path) -> None:
    default_entries(tmp_path, 1)
    (tmp_path / "m4-B1-seed0.safetensors").replace(tmp_path / "m5-B2-seed0.safetensors")
    with pytest.raises(InputError, match=r"m5-B2-seed0.safetensors: is another network than the board's"):
        default_entries(tmp_path, 1)


@pytest.mark.usefixtures("tiny")
def test_a_compiled_file_is_compared_too(tmp_path: Path) -> None:
    """One of another setting, and a trained network that has the configuration of a compiled one."""
    default_entries(tmp_path, 1)
    path = tmp_path / "m5-B2-compiled.safetensors"
    model = Model.load(path)
    (tmp_path / "m4-B1-compiled.safetensors").replace(path)
    with pytest.raises(InputError, match=r"m5-B2-compiled.safetensors: is another network than the board's"):
        default_entries(tmp_path, 1)
    save_weights(path, model.network.state_dict(), model.config, epoch=1)
    with pytest.raises(InputError, match=r"m5-B2-compiled.safetensors: is another network than the board's"):
        default_entries(tmp_path, 1)


def test_directories_without_usable_networks(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="has no weights"):
            read_entries(directory, 1)
    config = RunConfig(modulus=5, primes=4, task="divisibility")
    save_weights(tmp_path / "w.safetensors", network_of(config).state_dict(), config, epoch=1)
    with pytest.raises(
        InputError, match=r"w.safetensors: its task is divisibility, and the board is made for"
    ):
        read_entries(tmp_path, 1)


def test_what_entries_of_one_setting_share() -> None:
    model = compiled(5, 3)
    other = Model(replace(model.config, seed=7), model.network)
    assert Entry("a", model, 0).setting == Entry("a", model, 1).setting
    assert Entry("b", other, 7).setting == ("trained", model.config)
