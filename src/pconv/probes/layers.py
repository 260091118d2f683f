"""Linear probes: after which layer "p divides n+o" can be read off, and which channel carries it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pconv._arrays import IntArray
from pconv.probes.finding import Finding, Standard, share_finding
from pconv.probes.heatmap import HeatMap
from pconv.probes.registry import ProbeResult, register_probe
from pconv.probes.target import ProbeTarget, logits_of, randomised
from pconv.theory.problem import row_name

NAME = "layers"
_TRAINED_ON = 400
"""Windows of each kind, divisible and not, that a linear probe is trained on. It is tested on equal numbers
of both kinds, so that its base rate is 1/2 however rare the divisor."""
_FEWEST = 20
_MOST_ROWS = 12
_OTHER_PRIMES = 8

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Divides:
    """The statement that a power of a prime divides row n+o."""

    power: int
    offset: int

    def holds(self, numbers: IntArray) -> NDArray[np.bool_]:
        return np.asarray((numbers + self.offset) % self.power == 0)


@register_probe(NAME, reads_layers=True, order=30)
def probe_layers(target: ProbeTarget, standard: Standard) -> ProbeResult:
    """Linear probes after every stage of the network, then channel by channel."""
    network = target.network
    if network is None:
        raise TypeError("linear probes need a network, and this target has none")
    stages = stages_of(network)
    activations = activations_at(network, stages, target)
    untrained = activations_at(randomised(network, target.seed), stages, target)
    findings: list[Finding] = []
    maps = []
    for power in _powers(target):
        found, seen = _through_the_stages(target, activations, untrained, power, standard)
        findings += found
        maps.append(seen)
    findings += _not_needed(target, activations[stages[-1]], standard)
    channels, carried = _channels(target, network, activations)
    return ProbeResult([*findings, *channels], [*maps, carried])


def stages_of(network: nn.Module) -> tuple[str, ...]:
    """The modules that are probed: each pooling, each activation between linear layers, the logits."""
    named = [(name, module) for name, module in network.named_modules() if not list(module.children())]
    kinds = (nn.MaxPool2d, nn.LeakyReLU)
    inner = [n for n, m in named if isinstance(m, kinds) and n != "convolution.activation"]
    return (*inner, named[-1][0])


@torch.no_grad()
def activations_at(network: nn.Module, stages: Sequence[str], target: ProbeTarget) -> dict[str, Features]:
    """The output of each stage for every number, flattened.

    Parameters
    ----------
    network
        The network.
    stages
        The names of submodules.
    target
        Supplies the numbers and their grids.
    """
    kept: dict[str, list[Features]] = {stage: [] for stage in stages}

    def keeper(stage: str) -> torch.utils.hooks.RemovableHandle:
        def keep(_module: nn.Module, _given: tuple[Tensor, ...], out: Tensor) -> None:
            kept[stage].append(out.flatten(1).numpy())

        return network.get_submodule(stage).register_forward_hook(keep)

    handles = [keeper(stage) for stage in stages]
    try:
        replace(target, logits=logits_of(network)).answers(target.grids(len(target.numbers)))
    finally:
        for handle in handles:
            handle.remove()
    return {stage: np.concatenate(parts) for stage, parts in kept.items()}


def _powers(target: ProbeTarget) -> list[int]:
    return [p**i for p, a in target.reader.factors for i in range(1, a + 1)]


def _through_the_stages(
    target: ProbeTarget,
    activations: dict[str, Features],
    untrained: dict[str, Features],
    power: int,
    standard: Standard,
) -> tuple[list[Finding], HeatMap]:
    """Whether "q divides n+o" can be read off linearly: the class depends on it, so no stage may lose it.

    The same is shown for random weights, which lose little at first: the difference is due to training.
    """
    offsets = _spread(target.offsets, _MOST_ROWS)
    statements = [Divides(power, offset) for offset in offsets]
    values = np.full((len(activations), len(offsets)), np.nan)
    findings = []
    for i, (stage, features) in enumerate(activations.items()):
        correct = linear_probes(features, target.numbers, statements, target.seed)
        blank = np.concatenate(linear_probes(untrained[stage], target.numbers, statements, target.seed))
        values[i] = [hits.mean() if len(hits) else np.nan for hits in correct]
        what = f"read off {stage} whether {power} divides a row"
        hits = np.concatenate(correct)
        predicted = "can be read (base rate 50%)"
        if len(hits):
            note = f" (random weights {blank.mean():.2%})"
            findings.append(share_finding(NAME, what, predicted, hits, standard, note=note))
        else:
            findings.append(Finding(NAME, what, predicted, "too few numbers", None, 0))
    title = f"how well a linear probe tells whether {power} divides the row (1/2: not at all)"
    return findings, HeatMap(title, tuple(activations), tuple(map(row_name, offsets)), values, 0.5)


def _not_needed(target: ProbeTarget, logits: Features, standard: Standard) -> Iterator[Finding]:
    """Other primes carry no information on the class, so that a reader of the signature may lose them."""
    own = {factor.prime for factor in target.reader.factors}
    others = [int(p) for p in target.reader.primes if int(p) not in own][:_OTHER_PRIMES]
    offsets = _spread(target.offsets, _MOST_ROWS)
    for prime in others[:2]:
        correct = linear_probes(logits, target.numbers, [Divides(prime, o) for o in offsets], target.seed)
        hits = np.concatenate(correct)
        if len(hits):
            what = f"read off the logits whether {prime} divides a row"
            yield share_finding(NAME, what, "no better than chance, 50%", hits, standard, expected=0.5)


def _channels(
    target: ProbeTarget, network: nn.Module, activations: dict[str, Features]
) -> tuple[list[Finding], HeatMap]:
    """How channels share the work, on which the theory makes no prediction."""
    stage = [name for name in activations if isinstance(network.get_submodule(name), nn.MaxPool2d)][-1]
    maps = activations[stage]
    count = [m.out_channels for m in network.modules() if isinstance(m, nn.Conv2d)][-1]
    own = [factor.prime for factor in target.reader.factors]
    others = [int(p) for p in target.reader.primes if int(p) not in own][:_OTHER_PRIMES]
    primes = sorted({*own, *others})
    middle = target.offsets[len(target.offsets) // 2]
    values = np.full((count, len(primes)), np.nan)
    by_channel = maps.reshape(len(maps), count, -1)
    findings = []
    for c in range(count):
        for j, prime in enumerate(primes):
            hits = linear_probes(by_channel[:, c], target.numbers, [Divides(prime, middle)], target.seed)[0]
            values[c, j] = hits.mean() if len(hits) else np.nan
        read = ", ".join(f"{p} at {values[c, primes.index(p)]:.0%}" for p in own)
        left = _without_channel(target, network, stage, c, count)
        observed = f"reads {read or 'no prime of m'}; without it {left.mean():.2%} in the right group"
        what = f"channel {c} of {stage}"
        findings.append(Finding(NAME, what, "nothing is said", observed, None, len(left)))
    title = f"how well each channel tells whether the prime divides {row_name(middle)} (1/2: not at all)"
    names = tuple(f"channel {c}" for c in range(count))
    return findings, HeatMap(title, names, tuple(map(str, primes)), values, 0.5)


def _without_channel(
    target: ProbeTarget, network: nn.Module, stage: str, channel: int, count: int
) -> NDArray[np.bool_]:
    """Which answers are still in the correct group when a channel is replaced by its mean."""

    def silence(_module: nn.Module, _given: tuple[Tensor, ...], out: Tensor) -> Tensor:
        assert out.shape[1] == count
        quiet = out.clone()
        quiet[:, channel] = out[:, channel].mean(dim=0)
        return quiet

    grids = target.grids(2_000)
    handle = network.get_submodule(stage).register_forward_hook(silence)
    try:
        return np.asarray(target.answered_groups(grids) == target.reader.read(grids))
    finally:
        handle.remove()


def linear_probes(
    features: Features, numbers: IntArray, statements: Sequence[Divides], seed: int
) -> list[NDArray[np.bool_]]:
    """For each statement, which held-out answers of a logistic regression on the features are correct.

    All are trained on the first half of the numbers; each is tested on its own part of the second half, so
    that no two tests share a number. Empty where there are too few numbers of a kind.

    Parameters
    ----------
    features
        The features of each number.
    numbers
        The numbers.
    statements
        What is to be read from the features.
    seed
        The seed of the regressions.
    """
    from threadpoolctl import threadpool_limits

    half = len(numbers) // 2
    parts = np.array_split(np.arange(half, len(numbers)), len(statements))
    with threadpool_limits(1, user_api="blas"):  # for matrices this small more threads only wait
        return [
            _linear_probe(features, statement.holds(numbers), np.arange(half), part, seed)
            for statement, part in zip(statements, parts, strict=True)
        ]


def _linear_probe(
    features: Features, holds: NDArray[np.bool_], learn: IntArray, judge: IntArray, seed: int
) -> NDArray[np.bool_]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    learn, judge = _half_and_half(learn, holds, _TRAINED_ON), _half_and_half(judge, holds, len(judge))
    if len(learn) < 2 * _FEWEST or not len(judge):
        return np.empty(0, dtype=bool)
    state = seed % 2**32  # scikit-learn takes no larger ones
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200, random_state=state))
    with warnings.catch_warnings():
        # a probe stopped early reads less than could be read: it errs on the safe side
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(features[learn], holds[learn])
    return np.asarray(model.predict(features[judge]) == holds[judge])


def _half_and_half(numbers: IntArray, holds: NDArray[np.bool_], most: int) -> IntArray:
    """Equally many numbers for which the statement holds and does not hold."""
    yes, no = numbers[holds[numbers]], numbers[~holds[numbers]]
    each = min(len(yes), len(no), most)
    return np.concatenate([yes[:each], no[:each]])


def _spread(offsets: tuple[int, ...], most: int) -> tuple[int, ...]:
    """All offsets, or `most` of them, evenly spread."""
    if len(offsets) <= most:
        return offsets
    return tuple(offsets[i] for i in np.linspace(0, len(offsets) - 1, most).round().astype(int))
