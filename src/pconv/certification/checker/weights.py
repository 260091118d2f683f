"""Weights files, read without torch: safetensors are a header in JSON and the bytes of the arrays."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv._text import shortened
from pconv.certification.checker.network import ARCHITECTURES
from pconv.config import RunConfig
from pconv.errors import InputError

_LONGEST_HEADER = 10**8
_HIDDEN = (1000, 100, 10)  # the widths of the linear layers between the features and the labels


def read_weights(path: Path) -> tuple[dict[str, NDArray[np.float32]], RunConfig]:
    """The arrays of a weights file by name, and the configuration of its run, which fit each other."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > _LONGEST_HEADER:
                raise ValueError("its header is too long")
            header = json.loads(file.read(length))
            data = file.read()
        config = RunConfig.from_dict(json.loads(header.pop("__metadata__")["config"]))
        arrays = {name: _array(data, entry) for name, entry in header.items()}
        if config.architecture in ARCHITECTURES:
            _check_shapes(arrays, config)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("file", path, f"is not a weights file of pconv ({error})") from None
    return arrays, config


def _array(data: bytes, entry: dict[str, Any]) -> NDArray[np.float32]:
    if entry["dtype"] != "F32":
        raise ValueError(f"weights of type {entry['dtype']}")
    start, stop = entry["data_offsets"]
    return np.frombuffer(data[start:stop], dtype="<f4").reshape(entry["shape"])


def _check_shapes(arrays: dict[str, NDArray[np.float32]], config: RunConfig) -> None:
    """Raise `ValueError` unless the arrays are those of the configuration, with any number of labels.

    So a small file cannot claim to have many columns.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    rows, columns, maps = config.rows, config.primes, 1
    if config.convolves:
        for i, (channels, kernel) in enumerate(zip(config.channels, config.kernels, strict=True), start=1):
            shapes[f"convolution.conv{i}"] = (channels, maps, kernel, kernel)
            rows, columns, maps = rows // 2, columns // 2, channels
    labels = arrays["linear.fc4.bias"].size if "linear.fc4.bias" in arrays else 1
    widths = (maps * rows * columns, *_HIDDEN, labels)
    for i in range(1, len(widths)):
        shapes[f"linear.fc{i}"] = (widths[i], widths[i - 1])
    expected = {f"{name}.weight": shape for name, shape in shapes.items()}
    expected |= {f"{name}.bias": shape[:1] for name, shape in shapes.items()}
    for name in sorted(expected.keys() | arrays.keys()):
        found, needed = (arrays[name].shape if name in arrays else None), expected.get(name)
        if found != needed:
            there, wanted = (f"has the shape {list(s)}" if s else "is missing" for s in (found, needed))
            raise ValueError(f"{shortened(name)} {there}, and by its configuration {wanted}")


def checksum(arrays: dict[str, NDArray[np.float32]]) -> str:
    """SHA-256 over name, type, shape and bytes of every array, by name."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} float32 {list(arrays[name].shape)}\n".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
