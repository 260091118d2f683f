"""A trained network as a file that runs without pconv: a torch program (.pt2), or ONNX (.onnx).

Both take grids as float32, (batch, rows, columns) for any batch size, and give logits, (batch, classes). The
file also holds the run's configuration, which defines the grids, as JSON under the name `pconv.json`.
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
from pconv.config import RunConfig
from pconv.data.domain import split
from pconv.data.examples import encode
from pconv.errors import PconvError
from pconv.models.weights import Model

CONFIG_NAME = "pconv.json"
"""The name of the configuration inside the file."""
TOLERANCE = 1e-4
"""The largest difference of the file's logits from the network's, relative to the largest logit: they are
computed by other kernels, which round differently."""
_CHECKED_ON = 256
_GRIDS = "grids"
_LOGITS = "logits"

Logits = Callable[[NDArray[np.float32]], NDArray[np.float32]]


class Converted(NamedTuple):
    """The file that was written, and the largest difference of its logits from the network's."""

    path: Path
    rows: int
    columns: int
    difference: float
    numbers: int  # how many it was checked on


def convert(model: Model, path: str | Path) -> Converted:
    """Write the network as a `.pt2` or `.onnx` file, and check the file on numbers not trained on.

    If its logits differ from the network's, no file is kept and an error is raised.
    """
    path = Path(path)
    format_of(path)
    grids = encode(model.config, split(model.config).test[:_CHECKED_ON]).dense()
    difference = write_network(model.network, model.config, grids, path)
    numbers, rows, columns = grids.shape
    return Converted(path, rows, columns, difference, numbers)


def write_network(
    network: torch.nn.Module, config: RunConfig, inputs: NDArray[np.float32], path: Path
) -> float:
    """Write a network as a `.pt2` or `.onnx` file, and check the file; the largest difference of logits.

    Parameters
    ----------
    network
        The network.
    config
        The configuration of its run.
    inputs
        What the file is checked on, at least two. The file takes inputs of this shape, any number of them.
    path
        The file.
    """
    write, load = format_of(path)
    with atomic_write(path, "output") as temporary:
        with _in_silence():
            write(network.eval(), torch.from_numpy(inputs[:2]), json.dumps(config.to_dict()), temporary)
            difference, allowed = _difference(network, load(temporary), inputs)
        if not difference <= allowed:  # also where it is nan
            raise PconvError(f"{path} was not kept: its logits are off by {difference:.1g}")
    return difference


def format_of(path: Path) -> tuple[Callable[..., None], Callable[[str], Logits]]:
    """The functions that write and load a file of this suffix; an `InputError` if it cannot be written
    here."""
    check_output(path, _FORMATS)
    suffix = path.suffix.lower()
    if suffix == ".onnx":
        onnx_runtime()
    return _FORMATS[suffix]


def _difference(network: torch.nn.Module, loaded: Logits, grids: NDArray[np.float32]) -> tuple[float, float]:
    """The largest difference of the logits, in a batch of all numbers and in one of a single number, and the
    largest that is allowed."""
    with torch.no_grad():
        own = network(torch.from_numpy(grids)).numpy()
    apart = max(np.abs(loaded(grids[:count]) - own[:count]).max() for count in (len(grids), 1))
    return float(apart), TOLERANCE * max(1.0, float(np.abs(own).max()))


def _write_program(network: torch.nn.Module, example: Tensor, config: str, path: str) -> None:
    batch = torch.export.Dim("batch")
    program = torch.export.export(network, (example,), dynamic_shapes=({0: batch},))
    with open(path, "wb") as file:
        torch.export.save(program, file, extra_files={CONFIG_NAME: config})


def _load_program(path: str) -> Logits:
    with open(path, "rb") as file:
        program: Any = torch.export.load(file).module()

    @torch.no_grad()
    def logits(grids: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(program(torch.from_numpy(grids)).numpy())

    return logits


def _write_onnx(network: torch.nn.Module, example: Tensor, config: str, path: str) -> None:
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
    program.model.metadata_props[CONFIG_NAME] = config
    program.save(path, external_data=False)


def _load_onnx(path: str) -> Logits:
    session = onnx_runtime().InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda grids: np.asarray(session.run([_LOGITS], {_GRIDS: grids})[0])


def onnx_runtime() -> Any:
    """The module `onnxruntime`; an error if what .onnx files need is not installed."""
    try:
        import onnxruntime
        import onnxscript  # noqa: F401
    except ImportError:
        raise PconvError("an .onnx file needs: pip install onnxruntime onnxscript") from None
    return onnxruntime


_FORMATS: dict[str, tuple[Callable[..., None], Callable[[str], Logits]]] = {
    ".pt2": (_write_program, _load_program),
    ".onnx": (_write_onnx, _load_onnx),
}


@contextmanager
def _in_silence() -> Iterator[None]:
    """Hides the exporters' warnings, which concern their own internals."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
