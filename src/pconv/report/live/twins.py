"""The twins of a network: the same before its training, and the one that is compiled from the theory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pconv.compiler.network import compile_network
from pconv.config import RunConfig
from pconv.errors import PconvError
from pconv.models.registry import network_of
from pconv.report.live.answers import Asker
from pconv.report.live.embed import embed_network, tested_epoch
from pconv.report.live.encoding import HALF, rounded
from pconv.report.live.network import COMPILED, RANDOM, LiveNetwork


def with_twins(networks: Sequence[LiveNetwork]) -> list[LiveNetwork]:
    """The networks, and next to the first of them its compiled twin and its twin with random weights.

    Parameters
    ----------
    networks
        A compiled network of the same problem that is among them is not added again.
    """
    first = networks[0].config
    found = list(networks)
    if not any(_same_problem(first, other.config) for other in networks if other.kind == COMPILED):
        found += filter(None, [compiled_twin(first)])
    if networks[0].kind != COMPILED:
        random = random_twin(first)
        found[0] = replace(found[0], epochs=(random.epochs[0], *found[0].epochs), chosen=found[0].chosen + 1)
        found.append(random)
    return found


def random_twin(config: RunConfig) -> LiveNetwork:
    """The network before its training. Its weights are rounded to half precision before it is asked."""
    weights = rounded(network_of(config).state_dict())
    epoch = tested_epoch(config, weights, Asker(config, "dense"), 0, HALF)
    note = "Weights as drawn before the training, in half precision."
    return LiveNetwork("random weights", RANDOM, config, (epoch,), 0, None, note)


def compiled_twin(config: RunConfig) -> LiveNetwork | None:
    """The network that is computed from the theory for the same grids; None where there is none."""
    if config.task != RunConfig.task:
        return None
    kernels = (config.kernels[0], None) if config.convolves else (None,)
    for kernel in kernels:  # that of the trained network, or the smallest possible
        try:
            model = compile_network(
                config.modulus,
                config.offsets,
                primes=config.primes,
                kernel=kernel,
                architecture=config.architecture,
            )
            return embed_network(model, "compiled from the theory")
        except PconvError:  # another kernel may do, or there are too many classes for the last layer
            continue
    return None


def _same_problem(one: RunConfig, other: RunConfig) -> bool:
    return all(
        getattr(one, name) == getattr(other, name) for name in ("modulus", "offsets", "primes", "task")
    )
