"""Networks written from the theory: weights that read the signature, computed without training.

All weights, and all numbers inside the network, are whole numbers below 2^24, which single precision
represents exactly. So logits are exact, whatever the order of the sums (docs/theory.md, Theorem 9).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from pconv.compiler.circuit import DIGIT_BITS, SCALE, Channel, Circuit, Unit
from pconv.compiler.layout import columns_for, convolution_circuit, grid_circuit
from pconv.compiler.narrow import narrow_circuit
from pconv.config import FeatureShape, RunConfig
from pconv.engines.memory import available_memory, gigabytes
from pconv.errors import InputError, PconvError
from pconv.models.registry import network_of, weight_shapes
from pconv.models.weights import Model, save_weights
from pconv.theory.problem import Problem

ARCHITECTURES = ("pconv", "mlp")


@dataclass(frozen=True)
class CompiledModel(Model):
    """A network whose weights were computed from the theory, and its circuit.

    Parameters
    ----------
    config
        The configuration of a run with the same network.
    network
        The torch module.
    epoch
        None: it was not trained.
    compiled
        True.
    circuit
        What each channel and each hidden unit computes.
    """

    compiled: bool = True
    circuit: Circuit = field(kw_only=True)

    def save(self, path: Path | str) -> None:
        """Write the weights to a file that `Model.load` and every command reads."""
        save_weights(Path(path), self.network.state_dict(), self.config, epoch=None)


def compile_network(
    modulus: int,
    offsets: Iterable[int] = RunConfig.offsets,
    *,
    primes: int | None = None,
    kernel: int | None = None,
    channels: int | None = None,
    architecture: str = RunConfig.architecture,
) -> CompiledModel:
    """A network that answers, for every n, with the least class of n's group; no training is involved.

    It attains the ceiling of the signature theory on all n whose window is from 1 to 2^63 - 1, and never
    answers a class outside the group of n.

    Parameters
    ----------
    modulus
        The modulus m, from 2 to 1,024.
    offsets
        The rows of the window.
    primes
        The columns of the grid; the fewest that include all primes of m if None. Where a prime of m is not
        among them, the ceiling is that of the theory for these columns.
    kernel
        The size of p-Conv's kernel; the smallest possible if None. Larger kernels need fewer channels.
    channels
        The number of p-Conv's channels, at least as many as are needed; as many as are needed if None.
    architecture
        `pconv` or `mlp`.

    Examples
    --------
    >>> model = compile_network(12, range(9))
    >>> model.probabilities([10**18 + 7]).argmax(), (10**18 + 7) % 12
    (np.int64(11), 11)
    >>> len(model.circuit.steps), len(model.circuit.channels)
    (5, 4)
    """
    _check_architecture(architecture, kernel, channels)
    convolves = architecture == RunConfig.architecture
    if primes is None:
        primes = columns_for(RunConfig(modulus=modulus).modulus, least=2 if convolves else 1)
    config = RunConfig(modulus=modulus, offsets=tuple(offsets), primes=primes, architecture=architecture)
    problem = Problem(config.modulus, config.offsets, config.primes)
    if not convolves:
        return _model(config, grid_circuit(problem))
    return _convolutional(config, problem, kernel, channels)


def _convolutional(
    config: RunConfig, problem: Problem, kernel: int | None, channels: int | None
) -> CompiledModel:
    if channels is not None:
        config = replace(config, channels=(channels,))  # an InputError for what no network can have
    circuit, size = convolution_circuit(problem, config.primes, kernel)
    needed = max(1, len(circuit.channels))
    if channels is not None and channels < needed:
        narrow = narrow_circuit(problem, config.primes, size, channels)
        if narrow is None:
            allowed = (
                f"fewer than {needed} may not suffice with a kernel of {size}: no such weights were found"
            )
            raise InputError("channels", channels, allowed)
        circuit = narrow
    used = needed if channels is None else channels
    return _model(replace(config, kernel=(size,), channels=(used,)), circuit)


def _check_architecture(architecture: str, kernel: int | None, channels: int | None) -> None:
    if architecture not in ARCHITECTURES:
        raise InputError("architecture", repr(architecture), f"must be one of: {', '.join(ARCHITECTURES)}")
    if architecture != RunConfig.architecture:
        for name, value in (("kernel", kernel), ("channels", channels)):
            if value is not None:
                raise InputError(name, value, f"the architecture {architecture} has none")


def _model(config: RunConfig, circuit: Circuit) -> CompiledModel:
    _check_memory(config)
    network = network_of(config).eval()
    _write(network.state_dict(), config, circuit)
    return CompiledModel(config, network, circuit=circuit)


def _check_memory(config: RunConfig) -> None:
    """Raise an error if there is not enough memory for the weights and the file that is made of them."""
    shapes, available = weight_shapes(config), available_memory()
    assert shapes is not None, "the architectures here are built in"
    needed = 2 * 4 * sum(prod(shape) for shape, _ in shapes.values())
    if available is not None and needed > available:
        raise PconvError(
            f"the network needs about {gigabytes(needed)} GB of memory, and {gigabytes(available)} GB are "
            "available; fewer columns (-N), rows (-B) or channels (-C) need less"
        )


def _write(weights: Mapping[str, Tensor], config: RunConfig, circuit: Circuit) -> None:
    """Overwrite the weights of a network; most of them become zero."""
    for tensor in weights.values():
        tensor.zero_()
    shape = FeatureShape(1, config.rows, config.primes)
    if circuit.channels:
        shape = config.feature_shape
        kernels = weights["convolution.conv1.weight"]
        for i, channel in enumerate(circuit.channels):
            kernels[i, 0] = _kernel(channel, config.kernel[0] // 2)
    _first_layer(circuit, shape, weights["linear.fc1.weight"], weights["linear.fc1.bias"])
    _second_layer(circuit, weights["linear.fc2.weight"], weights["linear.fc2.bias"])
    _third_layer(circuit, weights["linear.fc3.weight"])
    _logits(circuit, weights["linear.fc4.weight"], weights["linear.fc4.bias"])


def _kernel(channel: Channel, radius: int) -> Tensor:
    distances = range(-radius, radius + 1)
    return torch.tensor([[channel.rows.at(r) * channel.columns.at(c) for c in distances] for r in distances])


def _first_layer(circuit: Circuit, shape: FeatureShape, weight: Tensor, bias: Tensor) -> None:
    """Unit (value, j) is LeakyReLU(100 (value - j)): 100 (value - j) from j on, value - j below."""
    for i, unit in enumerate(circuit.units):
        for channel, row, column, factor in circuit.features[unit.value]:
            weight[i, (channel * shape.height + row) * shape.width + column] += SCALE * factor
        bias[i] = -SCALE * unit.shift


def _second_layer(circuit: Circuit, weight: Tensor, bias: Tensor) -> None:
    """Unit (value, b-1) less unit (value, b) is 100 if value >= b, else 1; 99 times the step, less 1."""
    units = {unit: i for i, unit in enumerate(circuit.units)}
    for i, bit in enumerate(circuit.bits):
        code = circuit.codes[bit.code]
        bias[i] = (SCALE - 1) * (code.start >> bit.place & 1)
        for step in code.steps:
            jump = (step.after >> bit.place & 1) - (step.before >> bit.place & 1)
            weight[i, units[Unit(step.value, step.bound - 1)]] += jump
            weight[i, units[Unit(step.value, step.bound)]] -= jump
            bias[i] -= jump


def _third_layer(circuit: Circuit, weight: Tensor) -> None:
    for i, digit in enumerate(circuit.digits):
        for j, bit in enumerate(circuit.bits):
            if bit.code == digit.code and bit.place // DIGIT_BITS == digit.place:
                weight[i, j] = 2 ** (bit.place % DIGIT_BITS)


def _logits(circuit: Circuit, weight: Tensor, bias: Tensor) -> None:
    """The logit of class k is 99 (2 q·d - q·q), d being the digits of n's group and q those of k's group:
    99 d·d where q = d, and smaller by 99 |q - d|^2 elsewhere."""
    for i, digit in enumerate(circuit.digits):
        digits = torch.tensor([circuit.digit_of(digit, k) for k in range(len(weight))])
        weight[:, i] = 2 * digits
        bias -= (SCALE - 1) * digits**2
