"""A network of the page: its weights after one or several epochs, with its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pconv.config import RunConfig
from pconv.data.examples import class_count
from pconv.data.primes import first_primes
from pconv.models.sizes import HIDDEN, SLOPE
from pconv.report.figures.confusion import block_kinds
from pconv.report.live.answers import LiveCensus
from pconv.report.live.reading import Reading
from pconv.report.names import window_name
from pconv.result import Evaluation
from pconv.store.rows import sparse

TRAINED, RANDOM, COMPILED = "trained", "random", "compiled"


@dataclass(frozen=True)
class LiveEpoch:
    """Weights of a network, as text, and its answers to some numbers.

    Parameters
    ----------
    epoch
        The epoch after which they were taken; 0 before training, None if compiled or not known.
    weights
        The text of `encoding.encoded`.
    form
        Of the text: `half` or `single` precision, or `sparse`.
    numbers
        The numbers of `answers`, in words.
    answers
        The confusion matrix.
    """

    epoch: int | None
    weights: str
    form: str
    numbers: str
    answers: Evaluation


@dataclass(frozen=True)
class LiveNetwork:
    """A network that the page can ask.

    Parameters
    ----------
    name
        What the user calls it.
    kind
        `trained`, `random` or `compiled`.
    config
        Its configuration.
    epochs
        Its weights, by epoch.
    chosen
        Which of them is shown first.
    census
        The answers of the chosen weights to a whole domain; None if it was not asked for it.
    note
        A sentence on the precision of the weights.
    """

    name: str
    kind: str
    config: RunConfig
    epochs: tuple[LiveEpoch, ...]
    chosen: int
    census: LiveCensus | None
    note: str

    def to_dict(self, texts: list[str]) -> dict[str, Any]:
        """As the page embeds it. Texts of weights are appended to a list, each once."""
        config, reading = self.config, Reading.of(self.config)
        convolutions = list(zip(config.channels, config.kernels, strict=True)) if config.convolves else []
        return {
            "name": self.name,
            "kind": self.kind,
            "m": config.modulus,
            "config": config.to_dict(),
            "window": window_name(config.offsets).replace("$", ""),
            "offsets": list(config.offsets),
            "primes": first_primes(config.primes).tolist(),
            "factors": [list(factor) for factor in reading.reader.factors],
            "groups": reading.reader.labels.tolist(),
            "answers": reading.labels.tolist(),
            "labels": reading.prediction.labels.tolist(),
            "kinds": "".join(kind[0] for kind in block_kinds(reading.prediction)),
            "convolutions": convolutions,
            "hidden": list(HIDDEN),
            "classes": class_count(config),
            "slope": SLOPE,
            "epochs": [_epoch(epoch, texts) for epoch in self.epochs],
            "chosen": self.chosen,
            "census": self.census and self.census.to_dict(),
            "note": self.note,
        }


def _epoch(epoch: LiveEpoch, texts: list[str]) -> dict[str, Any]:
    if epoch.weights not in texts:
        texts.append(epoch.weights)
    return {
        "epoch": epoch.epoch,
        "weights": texts.index(epoch.weights),
        "form": epoch.form,
        "numbers": epoch.numbers,
        "confusion": sparse(epoch.answers.confusion),
    }


def live_document(networks: list[LiveNetwork]) -> dict[str, Any]:
    """What the page embeds: the texts of all weights, each once, and the networks."""
    texts: list[str] = []
    documents = [network.to_dict(texts) for network in networks]
    return {"weights": texts, "networks": documents}
