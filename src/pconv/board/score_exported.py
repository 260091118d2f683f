"""Scores attributions of the networks in this directory. Needs numpy and onnxruntime, and not pconv.

    python score.py ATTRIBUTIONS [--json]

ATTRIBUTIONS is a directory with two files for each NAME.npz here, arrays of (windows, rows, columns) or
(windows, 1, rows, columns) that `numpy.save` wrote: NAME.npy, the attributions of `y_batch` for the network
NAME, and NAME-twin.npy, those for the network NAME-twin. README.md describes the files and the metrics.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

HERE = Path(__file__).resolve().parent
METRICS = ("pointing", "mass", "rank", "deletion", "insertion")


def main() -> None:
    parser = argparse.ArgumentParser(description="Score attributions against the deciding cells.")
    parser.add_argument("attributions", type=Path, help="directory with NAME.npy and NAME-twin.npy")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    scores = {path.stem: score_network(path, given.attributions) for path in sorted(HERE.glob("*.npz"))}
    columns = (*METRICS, "sanity", "score")
    if given.json:
        print(json.dumps(scores))
        return
    print(f"{'network':<32}", *(f"{name:>9}" for name in columns))
    for name, row in scores.items():
        print(f"{name:<32}", *(f"{row[column]:>9.3f}" for column in columns))
    means = (np.nanmean([row[column] for row in scores.values()]) for column in columns)
    print(f"{'mean':<32}", *(f"{mean:>9.3f}" for mean in means))


def score_network(path: Path, attributions: Path) -> dict[str, float]:
    """All scores of the attributions of one network and its twin."""
    with np.load(path) as archive:
        data = dict(archive)
    answer = answers_of(path.with_suffix(".onnx"))
    sizes, of_twin = (read_sizes(attributions / f"{path.stem}{ending}.npy", data) for ending in ("", "-twin"))
    found, baseline = _metrics(sizes, data, answer), _metrics(of_twin, data, answer)
    distance = np.abs(shares(sizes) - shares(of_twin)).sum(axis=1) / 2
    gain = float(np.nanmean([found[name] - baseline[name] for name in METRICS]))
    return {**found, "sanity": float(distance.mean()), "score": gain}


def read_sizes(path: Path, data: dict[str, Any]) -> Any:
    """The sizes of attributions, (windows, cells)."""
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        fail(f"{path}: cannot be read ({error})")
    count, _, rows, columns = data["x_batch"].shape
    if values.shape not in ((count, rows, columns), (count, 1, rows, columns)):
        fail(f"{path}: the shape is {values.shape} and not {(count, rows, columns)}")
    if not np.isfinite(values).all():
        fail(f"{path}: not all values are finite")
    return np.abs(values.reshape(count, -1).astype(np.float64))


def fail(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(2)


def answers_of(path: Path) -> Any:
    """A network as a function from inputs to classes."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda inputs: session.run(None, {name: inputs})[0].argmax(axis=1)


def _metrics(sizes: Any, data: dict[str, Any], answer: Any) -> dict[str, float]:
    """The five metrics, as means over the windows."""
    deciding, irrelevant = (
        data[name].reshape(sizes.shape).astype(bool) for name in ("s_batch", "irrelevant")
    )
    windows = zip(sizes, deciding, irrelevant, strict=True)
    pointed = np.mean([localisation(size[yes], size[no]) for size, yes, no in windows], axis=0)
    return {**dict(zip(METRICS[:3], pointed.tolist(), strict=True)), **_exchanged(sizes, data, answer)}


def localisation(deciding: Any, irrelevant: Any) -> tuple[float, float, float]:
    """Pointing, mass and rank in one window, from the sizes at deciding and at irrelevant cells."""
    largest = max(deciding.max(), irrelevant.max())
    hits, misses = np.sum(deciding == largest), np.sum(irrelevant == largest)
    total = deciding.sum() + irrelevant.sum()
    mass = deciding.sum() / total if total else len(deciding) / (len(deciding) + len(irrelevant))
    pairs = np.subtract.outer(deciding, irrelevant)
    return hits / (hits + misses), mass, np.mean(pairs > 0) + np.mean(pairs == 0) / 2


def _exchanged(sizes: Any, data: dict[str, Any], answer: Any) -> dict[str, float]:
    """Deletion and insertion: the first k cells are exchanged with those of the donor."""
    x, groups, donors = data["x_batch"], data["groups"], data["donors"]
    order = np.lexsort((data["ties"], -sizes), axis=1)
    places = np.argsort(order, axis=1).reshape(x.shape)
    own = groups[data["y_batch"]]
    left, reached = np.zeros((2, len(x)))
    for k in range(1, sizes.shape[1]):
        first = places < k
        left += groups[answer(np.where(first, x[donors], x))] != own
        reached += groups[answer(np.where(first, x, x[donors]))] == own
    steps, some = sizes.shape[1] - 1, donors >= 0
    if not some.any():
        return {"deletion": float("nan"), "insertion": float("nan")}
    return {"deletion": float(left[some].mean() / steps), "insertion": float(reached[some].mean() / steps)}


def shares(sizes: Any) -> Any:
    """Each cell's share of the attribution of its window, equal shares where there is none."""
    total = sizes.sum(axis=1, keepdims=True)
    return np.where(total > 0, sizes / np.where(total > 0, total, 1), 1 / sizes.shape[1])


if __name__ == "__main__":
    main()
