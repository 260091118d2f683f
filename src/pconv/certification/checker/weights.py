"""Weights files, read without torch: safetensors are a header in JSON and the bytes of the arrays."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv.errors import InputError

_LONGEST_HEADER = 10**8


def read_weights(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """The arrays of a weights file by name, and the configuration of its run."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > _LONGEST_HEADER:
                raise ValueError("its header is too long")
            header = json.loads(file.read(length))
            data = file.read()
        config = json.loads(header.pop("__metadata__")["config"])
        arrays = {name: _array(data, entry) for name, entry in header.items()}
        if not isinstance(config, dict):
            raise ValueError("its configuration is not an object")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("file", path, f"is not a weights file of pconv ({error})") from None
    return arrays, config


def _array(data: bytes, entry: dict[str, Any]) -> NDArray[np.float32]:
    if entry["dtype"] != "F32":
        raise ValueError(f"weights of type {entry['dtype']}")
    start, stop = entry["data_offsets"]
    return np.frombuffer(data[start:stop], dtype="<f4").reshape(entry["shape"])


def checksum(arrays: dict[str, NDArray[np.float32]]) -> str:
    """SHA-256 over name, type, shape and bytes of every array, by name."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} float32 {list(arrays[name].shape)}\n".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
