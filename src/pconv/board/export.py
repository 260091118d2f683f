"""The board for other programs: networks, inputs and masks in a directory, and a script that scores them.

The arrays have the names and shapes that Quantus expects: `x_batch` and `s_batch` are (windows, 1, rows,
columns), so the exported networks take inputs with a channel of their own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from pconv._atomic import check_output
from pconv.board import score_exported
from pconv.board.cases import Case, prepare
from pconv.board.entries import Entry
from pconv.board.export_readme import README
from pconv.engines.census import Progress
from pconv.errors import InputError
from pconv.models.export import onnx_runtime, write_network

SCRIPT = "score.py"
ENDINGS = (".pt2", ".onnx")
TWIN = "-twin"
"""What is added to a network's name for its twin."""


class WithChannel(nn.Module):
    """A network that takes (batch, 1, rows, columns) in place of (batch, rows, columns)."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, grids: Tensor) -> Tensor:
        return cast(Tensor, self.network(grids.squeeze(1)))


def check_export(directory: Path) -> None:
    """Raise an error if the directory cannot be made, or if what ONNX files need is not installed."""
    if directory.exists():
        raise InputError("export", directory, "exists already; name a new directory")
    check_output(directory, flag="export")
    onnx_runtime()


def export_board(
    entries: Sequence[Entry], windows: int, directory: Path, on_progress: Progress | None = None
) -> int:
    """Write all networks with their twins, inputs and masks into a new directory; how many they are.

    The directory appears when it is complete.

    Parameters
    ----------
    entries
        The networks.
    windows
        How many windows of each.
    directory
        The directory, which must not exist.
    on_progress
        Called with the number of networks so far and the total.
    """
    check_export(directory)
    _check_names(entries)
    written = 0
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=f".{directory.name}.") as temporary:
        draft = Path(temporary) / directory.name
        draft.mkdir()
        for i, entry in enumerate(entries, start=1):
            case = prepare(entry, windows)
            if case is not None:
                _write(case, draft)
                written += 1
            if on_progress:
                on_progress(i, len(entries))
        shutil.copyfile(str(score_exported.__file__), draft / SCRIPT)
        (draft / "README.md").write_text(README, "utf-8")
        draft.rename(directory)
    return written


def exported_name(entry: Entry) -> str:
    """The name of an entry's files: compiled networks, which have several seeds, need the seed in it."""
    return f"{entry.name}-seed{entry.seed}" if entry.model.compiled else entry.name


def _check_names(entries: Sequence[Entry]) -> None:
    """Raise an `InputError` if a file of one network would replace that of another."""
    seen: set[str] = set()
    for entry in entries:
        for name in (exported_name(entry), exported_name(entry) + TWIN):
            if name in seen:
                raise InputError("networks", entry.name, f"two networks would be {name}; rename a file")
            seen.add(name)


def _write(case: Case, directory: Path) -> None:
    name = exported_name(case.entry)
    with_channel = case.grids[:, None]
    arrays: dict[str, NDArray[Any]] = {
        "x_batch": with_channel,
        "y_batch": case.truth.answers,
        "s_batch": case.truth.deciding[:, None].astype(np.uint8),
        "irrelevant": case.truth.irrelevant[:, None].astype(np.uint8),
        "groups": case.reader.labels,
        "donors": case.exchange.donors,
        "ties": case.exchange.ties,
        "numbers": case.numbers,
    }
    np.savez_compressed(directory / f"{name}.npz", allow_pickle=False, **arrays)
    inputs = np.concatenate([with_channel] * 2)  # at least two
    for network, suffix in ((case.network, ""), (case.twin, TWIN)):
        for ending in ENDINGS:
            path = directory / f"{name}{suffix}{ending}"
            write_network(WithChannel(network), case.entry.model.config, inputs, path)
