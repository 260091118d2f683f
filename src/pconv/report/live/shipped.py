"""The small trained network that ships with pconv: its weights after four epochs, rounded to half precision.

`tools/ship_network.py` writes the file. All figures in it are those of the rounded weights.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from pconv._atomic import atomic_write
from pconv.config import RunConfig
from pconv.data.domain import split, unseen
from pconv.engines.census import Progress
from pconv.models.weights import Model, unpack
from pconv.report.live.answers import Asker, LiveCensus, Wrong, census_of, changed
from pconv.report.live.embed import tested_epoch
from pconv.report.live.encoding import HALF, encoded, rounded
from pconv.report.live.network import TRAINED, LiveEpoch, LiveNetwork
from pconv.report.live.reading import Reading
from pconv.result import Evaluation
from pconv.store.rows import dense, sparse

NAME = "eleven"
FILE = "eleven.safetensors"
_NOTE = "Half precision: the weights were rounded to it after the training."


def shipped_network() -> LiveNetwork:
    """The network, with its answers as they were recorded when the file was written."""
    with as_file(files("pconv.report.live") / FILE) as path:
        tensors, metadata = unpack(path)
    record = json.loads(metadata["record"])
    config = RunConfig.from_dict(record["config"])
    epochs = []
    for after, confusion in record["epochs"].items():
        start = f"{after}/"
        weights = {name: tensors[f"{start}{name}"] for name in record["names"]}
        answers = Evaluation.from_lists(dense(confusion, config.modulus))
        epochs.append(LiveEpoch(int(after), encoded(weights, HALF), HALF, record["numbers"], answers))
    chosen = [epoch.epoch for epoch in epochs].index(record["chosen"])
    return LiveNetwork(NAME, TRAINED, config, tuple(epochs), chosen, _census(record["census"], config), _NOTE)


def _census(record: dict[str, Any], config: RunConfig) -> LiveCensus:
    inside, outside = (
        Wrong(record[kind]["count"], tuple(record[kind]["examples"])) for kind in ("inside", "outside")
    )
    answers = Evaluation.from_lists(dense(record["confusion"], config.modulus))
    return LiveCensus(record["scope"], answers, inside, outside)


def write_shipped(
    path: Path, chosen: Model, snapshots: Sequence[Model], on_progress: Progress | None = None
) -> tuple[LiveCensus, int]:
    """Write the file; return the census of the chosen weights, and how many answers rounding them changed.

    Parameters
    ----------
    path
        The file.
    chosen
        The network that is asked.
    snapshots
        The same network after other epochs.
    on_progress
        Called with the numbers of the census answered so far and their total.
    """
    config, asker = chosen.config, Asker(chosen.config, "dense")
    models = sorted((chosen, *snapshots), key=lambda model: model.epoch or 0)
    halves = {model.epoch: rounded(model.network.state_dict()) for model in models}
    tested = {epoch: tested_epoch(config, weights, asker, epoch, HALF) for epoch, weights in halves.items()}
    numbers = unseen(config, split(config))
    answers = asker.ask(halves[chosen.epoch], numbers, on_progress)
    census = census_of(Reading.of(config), numbers, answers, f"all {len(numbers):,} unseen numbers")
    record = {
        "config": config.to_dict(),
        "chosen": chosen.epoch,
        "names": list(halves[chosen.epoch]),
        "numbers": tested[chosen.epoch].numbers,
        "epochs": {epoch: sparse(each.answers.confusion) for epoch, each in tested.items()},
        "census": {**census.to_dict(), "confusion": sparse(census.answers.confusion)},
    }
    tensors = {
        f"{epoch}/{name}": tensor.half() for epoch, half in halves.items() for name, tensor in half.items()
    }
    with atomic_write(path, "output") as draft:
        save_file(tensors, draft, {"kind": "pconv live network 1", "record": json.dumps(record)})
    exact = asker.ask(chosen.network.state_dict(), numbers)
    return census, changed(exact, answers)
