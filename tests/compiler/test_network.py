"""Compiled networks answer with the least class of n's group: for every modulus, window and number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv import Model, PconvError, compile_network, probe
from pconv._arrays import IntArray
from pconv.compiler.circuit import Unit
from pconv.compiler.network import CompiledModel
from pconv.data.grid import prime_grid
from pconv.engines.census import ask
from pconv.engines.registry import make_engine
from pconv.models.sizes import SLOPE
from pconv.theory import Problem, gcd_groups


def sample(offsets: Iterable[int], modulus: int, seed: int = 0) -> IntArray:
    """Every class once, random numbers below 2^63, and those next to high powers."""
    rows = list(offsets)
    low, high = 1 - min(0, min(rows)), 2**63 - 1 - max(0, max(rows))
    drawn = np.random.default_rng(seed).integers(low, high, 40)
    powers = [2**61 - rows[0], 3**39 - rows[-1], 5**26 - rows[0], 7**22 - rows[-1], high, low]
    return np.concatenate([low + np.arange(modulus), drawn, np.array(powers, dtype=np.int64)])


def logits(model: CompiledModel, numbers: IntArray) -> Any:
    grids = prime_grid(numbers, model.config.offsets, model.config.primes).dense()
    with torch.no_grad():
        return model.network(torch.from_numpy(grids)).numpy()


def least_classes(modulus: int, offsets: Iterable[int], columns: int) -> IntArray:
    """The least class of the group of each class, literally by the law."""
    least = np.empty(modulus, dtype=np.int64)
    for group in gcd_groups(Problem(modulus, offsets, columns)):
        least[list(group)] = group[0]
    return least


def check(modulus: int, offsets: Iterable[int], **others: Any) -> CompiledModel:
    rows = tuple(offsets)
    model = compile_network(modulus, rows, **others)
    least = least_classes(modulus, rows, model.config.primes)
    numbers = sample(rows, modulus, modulus)
    assert np.array_equal(logits(model, numbers).argmax(axis=1), least[numbers % modulus])
    assert model.circuit.groups == len(set(least.tolist()))
    return model


@pytest.mark.parametrize("modulus", range(2, 65))
def test_every_small_modulus(modulus: int) -> None:
    check(modulus, range(9))


@pytest.mark.parametrize("modulus", [7, 16, 25, 27, 29, 30])
@pytest.mark.parametrize("successors", [16, 24])
def test_the_other_windows_of_the_paper(modulus: int, successors: int) -> None:
    check(modulus, range(successors + 1))


@pytest.mark.parametrize("modulus", [720, 900, 1021, 1024])
def test_large_moduli(modulus: int) -> None:
    check(modulus, range(9), architecture="mlp")
    if modulus != 1021:
        check(modulus, range(9))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    modulus=st.integers(2, 200),
    offsets=st.lists(st.integers(-40, 40), min_size=2, max_size=10, unique=True).map(sorted),
    architecture=st.sampled_from(["pconv", "mlp"]),
    columns=st.sampled_from([None, 4]),
)
def test_any_window(modulus: int, offsets: list[int], architecture: str, columns: int | None) -> None:
    """Also with primes of m that are not among the columns."""
    check(modulus, offsets, architecture=architecture, primes=columns)


@pytest.mark.parametrize("modulus", [7, 11, 16, 25])
def test_the_shape_of_the_paper(modulus: int) -> None:
    model = check(modulus, range(9), primes=32, kernel=7, channels=4)
    assert (model.config.kernel, model.config.channels) == ((7,), (4,))
    assert len(model.circuit.channels) <= 4


def test_larger_kernels_need_fewer_channels_and_more_channels_stay_empty() -> None:
    narrow, wide = check(25, range(9)), check(25, range(9), kernel=17)
    assert len(wide.circuit.channels) < len(narrow.circuit.channels)
    model = check(6, range(9), channels=7)
    assert not model.network.state_dict()["convolution.conv1.weight"][4:].any()


@pytest.mark.parametrize("architecture", ["pconv", "mlp"])
def test_all_numbers_inside_are_whole_and_logits_exact(architecture: str) -> None:
    """Single and double precision agree to the last bit, other logits are 99 below, the loss is ln |g|."""
    model = compile_network(50, range(6), architecture=architecture)
    numbers = sample(range(6), 50)
    inside: list[torch.Tensor] = []
    for module in model.network.modules():
        if not list(module.children()):
            module.register_forward_hook(lambda _m, _i, out: inside.append(out))
    single = logits(model, numbers)
    assert len(inside) >= 8
    for values in inside:
        assert torch.equal(values, values.round())
        assert values.abs().max() < 2**24
    grids = prime_grid(numbers, range(6), model.config.primes).dense()
    with torch.no_grad():
        double = model.network.double()(torch.from_numpy(grids).double()).numpy()
    assert np.array_equal(single, double)
    best = single.max(axis=1, keepdims=True)
    assert (single[single < best] <= np.broadcast_to(best - 99, single.shape)[single < best]).all()
    least = least_classes(50, range(6), model.config.primes)
    sizes = np.bincount(least, minlength=50)[least[numbers % 50]]
    losses = torch.nn.functional.cross_entropy(
        torch.from_numpy(double), torch.from_numpy(numbers % 50), reduction="none"
    )
    assert np.allclose(losses.numpy(), [math.log(size) for size in sizes])


def test_leaky_relu_maps_multiples_of_100_to_whole_numbers() -> None:
    whole = torch.arange(1, 167_772)  # 100 times the largest is below 2^24
    for kind in (torch.float32, torch.float64):
        assert torch.equal(torch.nn.LeakyReLU(SLOPE)(-100 * whole.to(kind)), -whole.to(kind))


def test_a_file_says_that_it_was_compiled_and_every_engine_reads_it(tmp_path: Path) -> None:
    model = compile_network(12, range(9))
    model.save(tmp_path / "twelve.safetensors")
    loaded = Model.load(tmp_path / "twelve.safetensors")
    assert (loaded.compiled, loaded.epoch, loaded.run_id) == (True, None, None)
    assert loaded.config == model.config
    numbers = sample(range(9), 12)
    for name in ("dense", "sparse"):
        engine = make_engine(loaded.config, name, threads=1)
        engine.load_weights(loaded.network.state_dict())
        assert np.array_equal(ask(loaded.config, engine, numbers).answers, numbers % 12)


def test_probes_find_the_circuit() -> None:
    """Every prediction about a changed window holds in every window."""
    report = probe(compile_network(11, range(9), primes=8), ["interventions", "causal"], numbers=600)
    judged = [finding for finding in report.findings if finding.agrees is not None]
    assert len(judged) > 15
    assert all(finding.agrees and finding.observed == "100.00%" for finding in judged)


def test_switching_a_threshold_off_merges_its_class_with_those_that_hit_no_row() -> None:
    """The units of `v_11(n+3) >= 1` are given the activations that they have where 11 does not divide n+3."""
    model = compile_network(11, range(9))
    circuit = model.circuit
    (step,) = [step for step in circuit.steps if str(step) == "v_11(n+3) >= 1"]
    below, at = (circuit.units.index(Unit(step.value, step.bound - down)) for down in (1, 0))

    def switch_off(_module: Any, _given: Any, out: torch.Tensor) -> None:
        out[:, below], out[:, at] = 0, -1

    model.network.get_submodule("linear.act1").register_forward_hook(switch_off)
    numbers = sample(range(9), 11)
    expected = least_classes(11, range(9), 5)[numbers % 11]
    expected[numbers % 11 == 8] = 1  # 11 divides n+3; the group of classes without a multiple of 11 is {1, 2}
    assert np.array_equal(logits(model, numbers).argmax(axis=1), expected)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"modulus": 1}, "modulus 1: must be from 2 to 1024"),
        ({"modulus": 7, "architecture": "transformer"}, "must be one of: pconv, mlp"),
        ({"modulus": 7, "architecture": "mlp", "kernel": 7}, "kernel 7: the architecture mlp has none"),
        ({"modulus": 11, "kernel": 3}, "kernel 3: must be from 5 to 999"),
        ({"modulus": 11, "kernel": 0}, "kernel 0: must be from 5 to 999"),
        ({"modulus": 11, "kernel": 8}, "kernel 8: must be odd"),
        ({"modulus": 22, "kernel": 5, "channels": 1}, "channels 1: fewer than"),
        ({"modulus": 1021, "offsets": range(600), "architecture": "mlp"}, "needs 1,200 hidden units"),
        ({"modulus": 2, "offsets": range(1400)}, "of 1,400 rows: sums are exact up to"),
        ({"modulus": 2, "offsets": range(4), "primes": 82_025, "channels": 4096}, "GB of memory"),
        ({"modulus": 7, "offsets": [0]}, "needs at least 2 rows"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(PconvError) as error:
        compile_network(**given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
