"""The architectures: networks that read a grid. Four are built in, and users can add their own.

A program adds an architecture with the decorator `register_architecture`:

    @register_architecture("linear", "one linear layer on the whole grid")
    def linear(rows, columns, classes, config):
        return nn.Sequential(nn.Flatten(), nn.Linear(rows * columns, classes))

An installed package adds its architecture to every command, and to the workers of a sweep, with an entry
point:

    [project.entry-points."pconv.architectures"]
    linear = "my_package:linear"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pconv.config import NO_BIAS, RunConfig
from pconv.errors import InputError
from pconv.models import costs
from pconv.registry import Registry

if TYPE_CHECKING:
    import torch
    from torch import nn  # names are checked without loading torch

Builder = Callable[[int, int, int, RunConfig], "nn.Module"]


@dataclass(frozen=True)
class Architecture:
    """A kind of network, and what the rest of the package needs to know about it.

    Parameters
    ----------
    name
        As in a run's configuration.
    description
        One line.
    build
        From (rows, columns, classes, config) to a torch module. The module takes grids (batch, rows, columns)
        and gives logits (batch, classes).
    inputs
        How many numbers the first linear layer reads in a run; it decides how many threads the run uses.
    step_seconds
        A guess of how long a training step takes on one core; it serves until the store has measured times.
    """

    name: str
    description: str
    build: Builder
    inputs: Callable[[RunConfig], int] = costs.grid_inputs
    step_seconds: Callable[[RunConfig], float] = costs.grid_seconds


_architectures = Registry("architecture", Architecture, "pconv.architectures")


def register_architecture(
    name: str,
    description: str,
    *,
    inputs: Callable[[RunConfig], int] = costs.grid_inputs,
    step_seconds: Callable[[RunConfig], float] = costs.grid_seconds,
) -> Callable[[Builder], Architecture]:
    """Decorator that adds an architecture, given as the function that builds its networks.

    Parameters
    ----------
    name, description, inputs, step_seconds
        As in `Architecture`.

    Examples
    --------
    >>> @register_architecture("linear", "one linear layer on the whole grid")
    ... def linear(rows, columns, classes, config):
    ...     from torch import nn
    ...
    ...     return nn.Sequential(nn.Flatten(), nn.Linear(rows * columns, classes))
    >>> RunConfig(modulus=5, architecture="linear").architecture
    'linear'
    """

    def add(build: Builder) -> Architecture:
        return _architectures.add(
            Architecture(name, description, build, inputs, step_seconds),
        )

    return add


def architectures() -> Registry[Architecture]:
    """All architectures by name, the built-in ones first.

    >>> list(architectures())[:4]
    ['pconv', 'pconv-nobias', 'mlp', 'transformer']
    """
    return _architectures


def architecture_named(name: str) -> Architecture:
    """The architecture of this name."""
    return _architectures.named(name)


def architecture_of(config: RunConfig) -> Architecture:
    """The architecture of a run. One that is not registered here, as in a store from elsewhere, has the
    defaults of `Architecture`: its results can be shown, but its network cannot be built.

    >>> architecture_of(RunConfig(modulus=3, architecture="not-here")).description
    'not registered here'
    """
    if config.architecture in _architectures:
        return _architectures[config.architecture]
    return Architecture(config.architecture, "not registered here", _missing)


def _missing(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    return architecture_named(config.architecture).build(rows, columns, classes, config)


def network_of(config: RunConfig) -> nn.Module:
    """The network of a run, with weights drawn from the run's seed and nothing else."""
    import torch
    from torch import nn

    from pconv.data.examples import class_count
    from pconv.models.seeding import seeded

    architecture = architecture_of(config)
    rows, columns, classes = config.rows, config.primes, class_count(config)
    with seeded(config.seed), torch.no_grad():
        network = architecture.build(rows, columns, classes, config)
        if not isinstance(network, nn.Module):
            raise InputError("architecture", config.architecture, "must build a torch module")
        shape = tuple(network.eval()(torch.zeros(2, rows, columns)).shape)
    if shape != (2, classes):
        allowed = f"gives logits of shape {shape}, must be {(2, classes)}"
        raise InputError("architecture", config.architecture, allowed)
    return network.train()


def weight_shapes(config: RunConfig) -> dict[str, tuple[tuple[int, ...], torch.dtype]] | None:
    """The shape and the type of each weight of a run's network, which is not built for it: no memory is used.

    None where a network of the user's own cannot be described without being built.

    >>> shapes = weight_shapes(RunConfig(modulus=3, primes=8))
    >>> shapes["linear.fc1.weight"][0]
    (1000, 64)
    """
    import torch

    from pconv.data.examples import class_count

    size = config.rows, config.primes, class_count(config)
    try:
        with torch.device("meta"):
            network = architecture_of(config).build(*size, config)
        return {name: (tuple(w.shape), w.dtype) for name, w in network.state_dict().items()}
    except (RuntimeError, TypeError, AttributeError):  # NotImplementedError is a RuntimeError
        return None


@register_architecture(
    "pconv",
    "convolutions with max-pooling, then four linear layers: the paper's network",
    inputs=costs.pconv_inputs,
    step_seconds=costs.pconv_seconds,
)
def _pconv(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.pconv import PrimeConvNet

    return PrimeConvNet(rows, columns, classes, config.channels, config.kernels)


@register_architecture(
    NO_BIAS,
    "the paper's network without the biases of its convolutions: fast where there are many columns",
    inputs=costs.pconv_inputs,
    step_seconds=costs.pconv_seconds,
)
def _pconv_nobias(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.pconv import PrimeConvNet

    return PrimeConvNet(rows, columns, classes, config.channels, config.kernels, bias=False)


@register_architecture("mlp", "the four linear layers alone, on the whole grid")
def _mlp(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.baselines import GridMLP

    return GridMLP(rows, columns, classes)


@register_architecture("transformer", "attention between the rows, 64 wide, averaged over them")
def _transformer(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.baselines import RowTransformer

    return RowTransformer(rows, columns, classes)
