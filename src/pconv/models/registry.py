"""The architectures: networks that read a grid. Three are built in, and users add theirs.

A program adds an architecture with the decorator `register_architecture`:

    @register_architecture("linear", "one linear layer on the whole grid")
    def linear(rows, columns, classes, config):
        return nn.Sequential(nn.Flatten(), nn.Linear(rows * columns, classes))

An installed package makes its architecture known to every command, and to the workers of a sweep, through an
entry point:

    [project.entry-points."pconv.architectures"]
    linear = "my_package:linear"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.registry import Registry

if TYPE_CHECKING:
    from torch import nn  # names are checked without loading torch

Builder = Callable[[int, int, int, RunConfig], "nn.Module"]


@dataclass(frozen=True)
class Architecture:
    """A name, a line of description, and the builder from (rows, columns, classes, config) to a torch module.

    The module takes grids (batch, rows, columns) and gives logits (batch, classes).
    """

    name: str
    description: str
    build: Builder


_architectures = Registry("architecture", Architecture, "pconv.architectures")


def register_architecture(name: str, description: str) -> Callable[[Builder], Architecture]:
    """Decorator that adds an architecture, given as the builder of its networks."""

    def add(build: Builder) -> Architecture:
        return _architectures.add(Architecture(name, description, build))

    return add


def architectures() -> Mapping[str, Architecture]:
    """All architectures by name, the built-in ones first.

    >>> list(architectures())[:3]
    ['pconv', 'mlp', 'transformer']
    """
    return _architectures


def architecture_named(name: str) -> Architecture:
    """The architecture of this name."""
    return _architectures.named(name)


def network_of(config: RunConfig) -> nn.Module:
    """The network of a run, with weights drawn from the run's seed and nothing else."""
    import torch
    from torch import nn

    from pconv.data.examples import class_count

    architecture = architecture_named(config.architecture)
    rows, columns, classes = config.rows, config.primes, class_count(config)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(config.seed)
        network = architecture.build(rows, columns, classes, config)
        if not isinstance(network, nn.Module):
            raise InputError("architecture", config.architecture, "must build a torch module")
        shape = tuple(network.eval()(torch.zeros(2, rows, columns)).shape)
    if shape != (2, classes):
        allowed = f"gives logits of {shape} where {(2, classes)} are asked for"
        raise InputError("architecture", config.architecture, allowed)
    return network.train()


@register_architecture("pconv", "convolutions with max-pooling, then four linear layers: the paper's network")
def _pconv(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.pconv import PrimeConvNet

    return PrimeConvNet(rows, columns, classes, config.channels, config.kernels)


@register_architecture("mlp", "the four linear layers alone, on the whole grid")
def _mlp(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.baselines import GridMLP

    return GridMLP(rows, columns, classes)


@register_architecture("transformer", "attention between the rows, 64 wide, averaged over them")
def _transformer(rows: int, columns: int, classes: int, config: RunConfig) -> nn.Module:
    from pconv.models.baselines import RowTransformer

    return RowTransformer(rows, columns, classes)
