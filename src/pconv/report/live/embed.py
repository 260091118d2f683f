"""Trained and compiled networks for the page: half precision where no answer changes, else single."""

from __future__ import annotations

from collections.abc import Sequence

from pconv.config import RunConfig
from pconv.data.domain import split, unseen
from pconv.data.examples import class_count
from pconv.engines.census import Progress
from pconv.errors import InputError
from pconv.models.weights import Model
from pconv.report.live.answers import Asker, census_of, changed
from pconv.report.live.encoding import HALF, SINGLE, SPARSE, Weights, check_size, encoded, rounded
from pconv.report.live.network import COMPILED, TRAINED, LiveEpoch, LiveNetwork
from pconv.report.live.reading import Reading

SNAPSHOTS = 4
"""The most snapshots of a network in the page, apart from the weights that it is asked with."""


def embed_network(
    model: Model, name: str, snapshots: Sequence[Model] = (), on_progress: Progress | None = None
) -> LiveNetwork:
    """A network for the page.

    A trained network is asked for all numbers that it was not trained or selected on, with its weights and
    with the weights rounded to half precision, which are embedded if all answers are the same.

    Parameters
    ----------
    model
        The network.
    name
        What the user calls it.
    snapshots
        The same network after other epochs; at most four are embedded.
    on_progress
        Called with the numbers answered so far and their total.

    Examples
    --------
    >>> from pconv import compile_network
    >>> network = embed_network(compile_network(3, range(2)), "three")
    >>> network.kind, network.epochs[0].answers.accuracy
    ('compiled', 1.0)
    """
    try:
        reading = Reading.of(model.config)
    except InputError as error:
        raise InputError("live", name, str(error)) from None
    check_size(name, model.network.state_dict(), SPARSE if model.compiled else HALF)
    if model.compiled:
        epoch = _tested(model, Asker(model.config, "dense"), SPARSE)
        note = "All weights are whole numbers, and so are all numbers inside: nothing is rounded."
        return LiveNetwork(name, COMPILED, model.config, (epoch,), 0, None, note)
    return _trained(model, name, snapshots, reading, on_progress)


def _trained(
    model: Model, name: str, snapshots: Sequence[Model], reading: Reading, on_progress: Progress | None
) -> LiveNetwork:
    asker = Asker(model.config)
    weights, numbers = model.network.state_dict(), unseen(model.config, split(model.config))
    scope = f"all {len(numbers):,} unseen numbers"
    both = _Halves(on_progress)
    answers = asker.ask(weights, numbers, both.first)
    flips = changed(answers, asker.ask(rounded(weights), numbers, both.second))
    check_size(
        name, weights, SINGLE if flips else HALF, f", and half precision changes {flips:,} of its answers"
    )
    note = (
        f"Single precision, because half precision changes {flips:,} of the answers to {scope}."
        if flips
        else f"Half precision: the answers to {scope} stay the same."
    )
    epochs = [_tested(model, asker, SINGLE if flips else HALF)]
    epochs += [_snapshot(other, asker) for other in spread(snapshots, model.epoch)]
    epochs.sort(key=lambda each: each.epoch or 0)
    chosen = next(i for i, each in enumerate(epochs) if each.epoch == model.epoch)
    census = census_of(reading, numbers, answers, scope)
    return LiveNetwork(name, TRAINED, model.config, tuple(epochs), chosen, census, note)


class _Halves:
    """The progress of two passes over the same numbers, as one."""

    def __init__(self, on_progress: Progress | None) -> None:
        self._on_progress = on_progress

    def first(self, done: int, total: int) -> None:
        if self._on_progress:
            self._on_progress(done, 2 * total)

    def second(self, done: int, total: int) -> None:
        if self._on_progress:
            self._on_progress(total + done, 2 * total)


def _snapshot(model: Model, asker: Asker) -> LiveEpoch:
    """A snapshot in half precision if no answer to a test number changes."""
    weights, numbers = model.network.state_dict(), split(model.config).test
    flips = changed(asker.ask(weights, numbers), asker.ask(rounded(weights), numbers))
    return _tested(model, asker, SINGLE if flips else HALF)


def _tested(model: Model, asker: Asker, form: str) -> LiveEpoch:
    return tested_epoch(model.config, model.network.state_dict(), asker, model.epoch, form)


def tested_epoch(
    config: RunConfig, weights: Weights, asker: Asker, epoch: int | None, form: str
) -> LiveEpoch:
    """Weights with their answers to the test numbers of a run.

    Parameters
    ----------
    config
        The run.
    weights
        The weights.
    asker
        For the configuration of the network.
    epoch, form
        As in `LiveEpoch`.
    """
    numbers = split(config).test
    answers = asker.ask(weights, numbers).evaluation(class_count(config))
    return LiveEpoch(epoch, encoded(weights, form), form, f"{len(numbers):,} test numbers", answers)


def spread(snapshots: Sequence[Model], chosen: int | None) -> list[Model]:
    """At most four snapshots of other epochs than the chosen one, most of them early, where a network
    learns most."""
    ordered = sorted((s for s in snapshots if s.epoch != chosen), key=lambda model: model.epoch or 0)
    if len(ordered) <= SNAPSHOTS:
        return ordered
    last = len(ordered) - 1
    return [ordered[place] for place in sorted({0, 1, round(last ** (2 / 3)), last})]
