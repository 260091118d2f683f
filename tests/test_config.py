"""A configuration is checked when it is made, and names its mathematics."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.window import parse_offsets, successor_window


def test_run_ids_never_change() -> None:
    """Stores and publications refer to them."""
    assert RunConfig(modulus=11).run_id == "78d64b76d7d5302d"
    assert (
        RunConfig(modulus=16, offsets=(0, 1, 2), primes=64, kernel=(3,), seed=5).run_id == "0f579a95f2c70124"
    )
    assert RunConfig(modulus=11, learning_rate=0.001, weight_decay=0).run_id == "78d64b76d7d5302d"
    window = {"offsets": (-1, 0, 4, 5), "channels": (8, 16), "kernel": (7, 3)}
    assert RunConfig(modulus=7, **window, epochs=3, early_stop=False).run_id == "a611afa3cc7e0b18"  # type: ignore
    numbers = {"limit": 40_000, "smooth": 0, "test_size": 77, "batches": 3, "batch_size": 5}
    assert RunConfig(modulus=2, task="omega", **numbers).run_id == "688b77d8c839642c"  # type: ignore
    kinds = {"architecture": "mlp", "representation": "binary"}
    assert RunConfig(modulus=6, **kinds, primes=5000, seed=9).run_id == "c1323ea5cbae495a"  # type: ignore


@pytest.mark.parametrize(
    "same",
    [
        {"offsets": successor_window(8)},
        {"offsets": parse_offsets("0:9")},
        {"offsets": tuple(reversed(range(9)))},
        {"kernel": 7},
        {"kernel": (7,), "channels": 4},
        {"primes": np.int64(32)},
        {"learning_rate": np.float64(0.001), "weight_decay": np.int64(0)},
    ],
)
def test_the_same_mathematics_has_the_same_id(same: dict[str, Any]) -> None:
    assert RunConfig(modulus=11, **same) == RunConfig(modulus=11)
    assert RunConfig(modulus=11, **same).run_id == RunConfig(modulus=11).run_id


def test_one_kernel_size_serves_all_layers() -> None:
    assert RunConfig(modulus=5, channels=(8, 16), kernel=(7, 7)) == RunConfig(modulus=5, channels=(8, 16))
    assert RunConfig(modulus=5, channels=(8, 16)).kernels == (7, 7)
    assert RunConfig(modulus=5, channels=(8, 16), kernel=(7, 3)).kernels == (7, 3)


@pytest.mark.parametrize(
    "other",
    [
        {"modulus": 12},
        {"offsets": range(8)},
        {"primes": 33},
        {"kernel": 5},
        {"channels": 5},
        {"channels": (4, 4)},
        {"batches": 401},
        {"batch_size": 255},
        {"epochs": 11},
        {"seed": 1},
        {"limit": 999_999},
        {"smooth": 0},
        {"test_size": 19_999},
        {"early_stop": False},
        {"learning_rate": 0.002},
        {"weight_decay": 1e-9},
    ],
)
def test_every_field_enters_the_id(other: dict[str, Any]) -> None:
    assert RunConfig(**{"modulus": 11, **other}).run_id != RunConfig(modulus=11).run_id


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("modulus", 1),
        ("modulus", 2.5),
        ("modulus", True),
        ("modulus", "11"),
        ("offsets", ()),
        ("offsets", (0, 0, 1)),
        ("offsets", (0,)),
        ("primes", 0),
        ("primes", 1),
        ("primes", 82_026),
        ("kernel", 4),
        ("kernel", 1),
        ("kernel", -3),
        ("kernel", (7, 3)),
        ("kernel", ()),
        ("channels", 0),
        ("channels", ()),
        ("batches", 0),
        ("batch_size", 0),
        ("epochs", 0),
        ("seed", -1),
        ("seed", 2**63),
        ("limit", 1),
        ("smooth", -1),
        ("test_size", 0),
        ("early_stop", 1),
        ("architecture", ""),
        ("representation", 7),
        ("task", None),
        ("learning_rate", 0),
        ("learning_rate", -1e-3),
        ("learning_rate", 10.1),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("learning_rate", 10**400),
        ("learning_rate", True),
        ("learning_rate", "0.001"),
        ("learning_rate", None),
        ("weight_decay", -0.1),
        ("weight_decay", 101),
        ("weight_decay", float("nan")),
        ("weight_decay", False),
        ("weight_decay", "0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(InputError) as caught:
        RunConfig(**{"modulus": 11, field: value})
    assert caught.value.name == field


def test_rates_are_kept_as_floats() -> None:
    """1 and 1.0 are written differently, and an id is made of what is written."""
    whole, real = (RunConfig(modulus=11, learning_rate=n, weight_decay=n) for n in (1, 1.0))
    assert whole.run_id == real.run_id
    assert [type(whole.learning_rate), type(whole.weight_decay)] == [float, float]
    with pytest.raises(InputError, match=r"^learning_rate 0: must be a number above 0 and at most 10$"):
        RunConfig(modulus=11, learning_rate=0)
    with pytest.raises(InputError, match=r"^weight_decay '0': must be a number from 0 to 100$"):
        RunConfig.from_dict({"modulus": 11, "weight_decay": "0"})


def test_two_layers_need_four_rows_and_columns() -> None:
    RunConfig(modulus=5, channels=(2, 2), offsets=tuple(range(4)), primes=4)
    with pytest.raises(InputError, match="at least 4 rows"):
        RunConfig(modulus=5, channels=(2, 2), offsets=tuple(range(3)))
    with pytest.raises(InputError, match="at least 4 columns"):
        RunConfig(modulus=5, channels=(2, 2), primes=3)


def test_dictionaries_both_ways() -> None:
    config = RunConfig(modulus=25, offsets=(-1, 0, 3, 7), channels=(8, 16), kernel=(7, 3), early_stop=False)
    config = replace(config, learning_rate=0.1, weight_decay=1e-4)
    assert RunConfig.from_dict(config.to_dict()) == config
    assert RunConfig.from_dict({"modulus": 11}) == RunConfig(modulus=11)
    with pytest.raises(InputError, match="colour"):
        RunConfig.from_dict({"modulus": 11, "colour": "red"})
    with pytest.raises(InputError, match="modulus"):
        RunConfig.from_dict({"primes": 32})


@pytest.mark.parametrize(("name", "given"), [("kernel", (3,)), ("channels", (8,))])
def test_kernel_and_channels_belong_to_pconv(name: str, given: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=f"{name} {given[0]}: the architecture mlp has none"):
        RunConfig.from_dict({"modulus": 5, "architecture": "mlp", name: given})


def test_the_features_are_those_of_the_network() -> None:
    from pconv.models.pconv import PrimeConvNet

    for config in (
        RunConfig(modulus=11),
        RunConfig(modulus=5, offsets=successor_window(10), primes=21, channels=(8, 16), kernel=(7, 3)),
    ):
        net = PrimeConvNet(config.rows, config.primes, config.modulus, config.channels, config.kernels)
        assert prod(config.feature_shape) == net.state_dict()["linear.fc1.weight"].shape[1]


def test_a_label_names_what_distinguishes_a_run() -> None:
    assert RunConfig(modulus=11, early_stop=False).label() == "m=11, B=8, k=7"
    changed = {"channels": (8, 16), "primes": 5_000, "batches": 1_600, "task": "omega", "limit": 500_000}
    config = RunConfig.from_dict({"modulus": 2, **changed, "seed": 1, "learning_rate": 0.01, "test_size": 99})
    expected = "m=2, B=8, k=7, N=5,000, C=8,16, r=1600, omega, limit 500,000, test size 99, rate 0.01, seed 1"
    assert config.label() == expected
    assert (config.successors, replace(config, offsets=(0, 1, 3, 4)).successors) == (8, None)
