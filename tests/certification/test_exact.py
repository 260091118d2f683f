from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pconv.certification.certify import certify
from pconv.certification.checker.check import check_certificate
from pconv.certification.checker.network import PlainNetwork
from pconv.certification.exact import ExactNetwork, _small
from pconv.certification.groups import GroupTable, columns_of
from pconv.certification.layers import Layer, Layers
from pconv.certification.rounding import RoundedNetwork
from pconv.certification.sampling import MAIN, Sampler
from pconv.compiler.network import compile_network
from pconv.config import RunConfig
from pconv.models.weights import Model, save_weights
from tests.certification.networks import SMALL, random_model
from tests.certification.test_rounding import MLP, TWO, some_grids

Grids = NDArray[np.float32]


@pytest.fixture(scope="module")
def seven() -> Model:
    """A network of the paper's shape: its sums have large terms, which the general bound cannot decide."""
    return compile_network(7, range(9), primes=32, kernel=7, channels=4)


def draws(model: Model, count: int = 70) -> tuple[Grids, NDArray[np.int64]]:
    """Grids, and what each answer to them is worth."""
    config = model.config
    table = GroupTable.of(config)
    grids, classes = Sampler(columns_of(config), config.modulus, 0, MAIN).draw(0, count)
    return grids, table.counts[table.group_of[classes]]


def general(model: Model) -> RoundedNetwork:
    """With the bound that does not ask whether weights are whole."""
    network = RoundedNetwork(model)
    network._exact = None
    return network


def enlarged(model: Model, name: str, factor: float) -> Model:
    """Another network with the weights of one layer multiplied."""
    state = {key: value.clone() for key, value in model.network.state_dict().items()}
    state[f"{name}.weight"] *= factor
    state[f"{name}.bias"] *= factor
    other = random_model(model.config)
    other.network.load_state_dict(state)
    return other


def test_a_compiled_network_is_decided_everywhere(seven: Model) -> None:
    grids, worth = draws(seven)
    found = RoundedNetwork(seven).answer(grids, worth)
    assert found.sure.all()
    assert (worth[np.arange(len(grids)), found.answers] == worth.max(axis=1)).all()
    assert not general(seven).answer(grids, worth).sure.all()
    with torch.no_grad():
        logits, exact = ExactNetwork(Layers.of(seven)).evaluate(torch.from_numpy(grids))
    assert exact.all()
    assert _whole_logits(seven, grids) == logits.tolist()


def test_whole_weights_with_sums_past_the_limit_have_the_general_bound(seven: Model) -> None:
    grids, worth = draws(seven)
    large = enlarged(seven, "linear.fc4", 2.0**14)
    network = RoundedNetwork(large)
    assert network.whole_weights
    found, plain = network.answer(grids, worth), general(large).answer(grids, worth)
    assert found.sure.tolist() == plain.sure.tolist()
    assert not found.sure.all()


def test_single_grids_of_whole_weights_have_the_general_bound(seven: Model) -> None:
    """An exponent of 2^20 makes a sum too large for one grid, and leaves the others alone."""
    grids, _ = draws(seven, 8)
    grids[3, 0, 3] = 2.0**20
    grids[5, 8, 31] = 0.5
    with torch.no_grad():
        _, exact = ExactNetwork(Layers.of(seven)).evaluate(torch.from_numpy(grids))
    assert np.flatnonzero(~exact.numpy()).tolist() == [3, 5]


def test_trained_weights_are_not_whole(seven: Model) -> None:
    for config in (SMALL, TWO, MLP):
        assert not RoundedNetwork(random_model(config)).whole_weights
    assert not RoundedNetwork(enlarged(seven, "linear.fc4", 0.3)).whole_weights
    with torch.no_grad():
        model = enlarged(seven, "linear.fc1", 1.0)
        model.network.get_parameter("linear.fc3.bias")[7] = 0.5
    assert not RoundedNetwork(model).whole_weights


def whole_model(config: RunConfig, seed: int) -> Model:
    """Few whole weights for each unit, of a size that leaves some grids exact and others not."""
    generator = np.random.default_rng(seed)
    model = random_model(config)
    scales = {"convolution": (1, 0), "fc1": (100, -100), "fc2": (1, 12), "fc3": (1, 1), "fc4": (-1, 90)}
    with torch.no_grad():
        for name, parameter in model.network.named_parameters():
            weight, bias = next(scale for layer, scale in scales.items() if layer in name)
            values = generator.integers(1, 4, tuple(parameter.shape))
            chosen = generator.random(values.shape) < 4 / parameter[0].numel()
            parameter.copy_(torch.from_numpy(values * (weight * chosen if values.ndim > 1 else bias)))
    return model


@pytest.mark.parametrize("config", [SMALL, TWO, MLP])
@pytest.mark.parametrize("seed", range(3))
def test_exact_grids_are_found_by_both_implementations(config: RunConfig, seed: int) -> None:
    """Also against whole numbers without a limit; and no order of summation changes an exact logit."""
    model, grids = whole_model(config, seed), some_grids(config, 200)
    state = model.network.state_dict()
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    with torch.no_grad():
        logits, exact = ExactNetwork(Layers.of(model)).evaluate(torch.from_numpy(grids))
        one_by_one = torch.cat([model.network(torch.from_numpy(grid[None])) for grid in grids])
    plain = PlainNetwork(arrays, config.architecture, len(config.channels))
    assert plain.whole
    assert plain._exact(grids.astype(np.float64)).tolist() == exact.tolist()
    assert 0 < int(exact.sum()) < len(grids)
    assert logits[exact].tolist() == one_by_one[exact].tolist()
    assert logits[exact].tolist() == _whole_logits(model, grids[exact.numpy()])

    worth = np.random.default_rng(1).integers(0, 3, (len(grids), config.modulus))
    found = RoundedNetwork(model).answer(grids, worth)
    again = plain.answer(grids.astype(np.float64), worth, 2.0**-20, 1 + 2.0**-16)
    assert (again < 0).tolist() == (~found.sure).tolist()
    not_best = found.sure & (worth[np.arange(len(grids)), found.answers] < worth.max(axis=1))
    assert (again[not_best] == found.answers[not_best]).all()


def _whole_logits(model: Model, grids: Grids) -> list[list[int]]:
    """In 64-bit whole numbers: LeakyReLU divides by 100, and the remainder has to be 0."""
    state = {name: value.numpy().astype(np.int64) for name, value in model.network.state_dict().items()}

    def leaky(x: NDArray[np.int64]) -> NDArray[np.int64]:
        assert (x[x < 0] % 100 == 0).all()
        return np.where(x < 0, x // 100, x)

    x = grids.astype(np.int64)
    if model.config.convolves:
        x = x[:, None]
        for i in range(1, len(model.config.channels) + 1):
            weight, bias = state[f"convolution.conv{i}.weight"], state[f"convolution.conv{i}.bias"]
            half = weight.shape[-1] // 2
            padded = np.pad(x, [(0, 0), (0, 0), (half, half), (half, half)])
            sums = np.zeros((len(x), len(bias), *x.shape[2:]), dtype=np.int64) + bias[:, None, None]
            for row, column in np.ndindex(*weight.shape[2:]):
                shifted = padded[:, :, row : row + x.shape[2], column : column + x.shape[3]]
                sums += np.einsum("girc,oi->gorc", shifted, weight[:, :, row, column])
            rows, columns = (size // 2 for size in x.shape[2:])
            cut = sums[:, :, : 2 * rows, : 2 * columns]
            x = cut.reshape(len(x), len(bias), rows, 2, columns, 2).max(axis=(3, 5))
        x = leaky(x)
    x = x.reshape(len(grids), -1)
    for i in range(1, 5):
        x = x @ state[f"linear.fc{i}.weight"].T + state[f"linear.fc{i}.bias"]
        x = leaky(x) if i < 4 else x
    return [list(map(int, row)) for row in x]


@pytest.mark.parametrize("seed", range(3))
def test_the_limit_is_met_to_one_unit(seed: int) -> None:
    """Thousands of terms in any order: below 2^24 or not is decided in float32 without error."""
    generator = np.random.default_rng(seed)
    terms = generator.multinomial(2**24 - 1, generator.dirichlet(np.ones(3000))).astype(np.float32)
    layer = Layer(torch.from_numpy(generator.permutation(terms))[None], torch.zeros(1))
    assert _small(layer, torch.ones(1, 3000)).item()
    layer.bias[0] = 1
    assert not _small(layer, torch.ones(1, 3000)).item()
    layer.weight[0, -1] += 1e9
    assert not _small(layer, torch.ones(1, 3000)).item()


def test_leaky_relu_divides_multiples_of_100_exactly() -> None:
    """Every one of absolute value below 2^24."""
    quotients = torch.arange(1, 2**24 // 100 + 1, dtype=torch.float32)
    found = torch.nn.functional.leaky_relu(-100 * quotients, 0.01)
    assert (found == -quotients).all()
    double = torch.nn.functional.leaky_relu(-100 * quotients.double(), 0.01)
    assert (double == -quotients.double()).all()


def test_certificates_of_compiled_networks_hold(seven: Model, tmp_path: Path) -> None:
    six = compile_network(6, range(3))
    for model, wanted in ((seven, {"samples": 350}), (six, {"width": 0.05})):
        weights, output = tmp_path / "w.safetensors", tmp_path / "c.json"
        save_weights(weights, model.network.state_dict(), model.config, 1)
        certificate = certify(weights, output=output, **wanted)
        assert certificate.whole_weights
        assert (certificate.unsure_grids, certificate.wrong_grids, certificate.short_grids) == (0, 0, 0)
        assert check_certificate(output, weights)["rounding"]["whole_weights"] is True


def test_equal_logits_of_an_exact_grid_are_undecided_unless_they_are_worth_the_same(seven: Model) -> None:
    grids, worth = draws(seven, 70)
    model = enlarged(seven, "linear.fc4", 1.0)
    with torch.no_grad():
        for name in ("linear.fc4.weight", "linear.fc4.bias"):
            parameter = model.network.get_parameter(name)
            parameter[5] = parameter[2]
    tied = worth[:, 2] > 0  # class 5 is answered as 4 or 6, which are as far, and as wrong
    assert RoundedNetwork(model).answer(grids, worth).sure.tolist() == (~tied).tolist()
    worth[tied] = np.eye(7, dtype=np.int64)[2] + np.eye(7, dtype=np.int64)[5]
    found = RoundedNetwork(model).answer(grids, worth)
    assert found.sure.all()
    assert found.answers[tied].tolist() == [2] * int(tied.sum())
