"""A trained network as a file that runs without pconv: a torch program (.pt2), or ONNX (.onnx).

Both take grids as float32, (batch, rows, columns) for any batch, and give logits, (batch, classes). What a
grid of theirs is, is told inside the file: the run's configuration, as JSON under the name `pconv.json`.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pconv._atomic import atomic_write, check_output
from pconv.data.domain import split
from pconv.data.examples import encode
from pconv.errors import PconvError
from pconv.models.weights import Model

TOLD = "pconv.json"
"""The name of the configuration inside the file."""
TOLERANCE = 1e-4
"""How far logits may be from the network's own, as a share of the largest: other kernels round otherwise."""
_CHECKED_ON = 256
_GRIDS = "grids"
_LOGITS = "logits"

Logits = Callable[[NDArray[np.float32]], NDArray[np.float32]]


class Converted(NamedTuple):
    """What was written, and how far its logits are at most from those of the network."""

    path: Path
    rows: int
    columns: int
    difference: float
    numbers: int  # that it was checked on


def convert(model: Model, path: str | Path) -> Converted:
    """Write the network as a `.pt2` or `.onnx` file, and check the file on numbers not trained on.

    Where it does not answer as the network does, nothing is left behind.
    """
    path = Path(path)
    write, load = way_of(path)
    grids = encode(model.config, split(model.config).test[:_CHECKED_ON]).dense()
    example = torch.from_numpy(grids[:2])
    told = json.dumps(model.config.to_dict())
    with atomic_write(path, "output") as beside:
        with _in_silence():
            write(model.network.eval(), example, told, beside)
            difference, allowed = _difference(model, load(beside), grids)
        if not difference <= allowed:  # nor where it is not a number
            raise PconvError(f"{path} was not kept: its logits are off by {difference:.1g}")
    numbers, rows, columns = grids.shape
    return Converted(path, rows, columns, difference, numbers)


def way_of(path: Path) -> tuple[Callable[..., None], Callable[[str], Logits]]:
    """How to write such a file and how to load it again; or one line that says why it cannot be written."""
    check_output(path, _WAYS)
    ending = path.suffix.lower()
    if ending == ".onnx":
        _onnx_runtime()
    return _WAYS[ending]


def _difference(model: Model, loaded: Logits, grids: NDArray[np.float32]) -> tuple[float, float]:
    """The largest difference, over all numbers at once and over one alone, as a batch may have any size;
    and what is allowed."""
    with torch.no_grad():
        own = model.network(torch.from_numpy(grids)).numpy()
    apart = max(np.abs(loaded(grids[:count]) - own[:count]).max() for count in (len(grids), 1))
    return float(apart), TOLERANCE * max(1.0, float(np.abs(own).max()))


def _write_program(network: torch.nn.Module, example: Tensor, told: str, beside: str) -> None:
    batch = torch.export.Dim("batch")
    program = torch.export.export(network, (example,), dynamic_shapes=({0: batch},))
    with open(beside, "wb") as file:
        torch.export.save(program, file, extra_files={TOLD: told})


def _load_program(path: str) -> Logits:
    with open(path, "rb") as file:
        program: Any = torch.export.load(file).module()

    @torch.no_grad()
    def logits(grids: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(program(torch.from_numpy(grids)).numpy())

    return logits


def _write_onnx(network: torch.nn.Module, example: Tensor, told: str, beside: str) -> None:
    batch = torch.export.Dim("batch")
    program = torch.onnx.export(
        network,
        (example,),
        dynamo=True,
        dynamic_shapes=({0: batch},),
        input_names=[_GRIDS],
        output_names=[_LOGITS],
        verbose=False,
    )
    assert program is not None, "torch gives a program where no file is named"
    program.model.metadata_props[TOLD] = told
    program.save(beside, external_data=False)


def _load_onnx(path: str) -> Logits:
    session = _onnx_runtime().InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda grids: np.asarray(session.run([_LOGITS], {_GRIDS: grids})[0])


def _onnx_runtime() -> Any:
    try:
        import onnxruntime
        import onnxscript  # noqa: F401
    except ImportError:
        raise PconvError("an .onnx file needs the extra onnx: pip install 'pconv[onnx]'") from None
    return onnxruntime


_WAYS: dict[str, tuple[Callable[..., None], Callable[[str], Logits]]] = {
    ".pt2": (_write_program, _load_program),
    ".onnx": (_write_onnx, _load_onnx),
}


@contextmanager
def _in_silence() -> Iterator[None]:
    """Exporters warn of their own insides, which is nothing a user of pconv could mend."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
