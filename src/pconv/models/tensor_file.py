"""Files in the format of safetensors, written and read one tensor at a time.

The library itself writes a file from copies of all its tensors, which at the paper's size takes twice a run's
memory. The format is simple: the length of a header, the header in JSON, the bytes of the tensors. The header
may end in spaces, so space is reserved for it and it is written last, with a checksum of everything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from pconv.errors import InputError

_TYPES = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64"}
_RESERVED = 2**17  # bytes for the names and offsets of the tensors
_LENGTH = 8  # bytes of the header's length
_CHECKSUM = "checksum"


def write_tensors(path: Path, tensors: Iterable[tuple[str, Tensor]], metadata: Mapping[str, str]) -> None:
    """Write tensors, of which one at a time is held in memory.

    Parameters
    ----------
    path
        The file.
    tensors
        Pairs of a name and a tensor.
    metadata
        Texts that are stored with them.
    """
    reserved = len(json.dumps(metadata)) + _RESERVED
    header: dict[str, Any] = {}
    digests = {}
    end = 0
    with path.open("wb") as file:
        file.seek(_LENGTH + reserved)
        for name, tensor in tensors:
            data = tensor.contiguous().cpu().numpy().reshape(-1).view("uint8").data
            file.write(data)
            offsets = [end, end + len(data)]
            header[name] = {
                "dtype": _TYPES[tensor.dtype],
                "shape": list(tensor.shape),
                "data_offsets": offsets,
            }
            digests[name] = hashlib.sha256(data).hexdigest()
            end += len(data)
            del tensor, data  # before the next one is computed
        header["__metadata__"] = {**metadata, _CHECKSUM: _checksum(digests, metadata)}
        text = json.dumps(header).encode()
        if len(text) > reserved:
            raise OSError(f"a header of {len(text)} bytes for {len(digests)} tensors is too long")
        file.seek(0)
        file.write(reserved.to_bytes(_LENGTH, "little") + text.ljust(reserved))


@contextmanager
def read_tensors(path: Path) -> Iterator[tuple[Mapping[str, Tensor], dict[str, str]]]:
    """The tensors of a file, each read on access, and its metadata. An `InputError` if the checksum is
    wrong."""
    try:
        opened: Any = safe_open(path, framework="pt")
        with opened as file:
            tensors = _OnDisk(file)
            metadata = dict(file.metadata() or {})
            expected = metadata.pop(_CHECKSUM, None)
            digests = {name: _digest(tensors[name]) for name in tensors}
            if _checksum(digests, metadata) != expected:
                raise InputError("file", path, "its checksum does not match")
            yield tensors, metadata
    except (SafetensorError, OSError) as error:
        raise InputError("file", path, f"it is damaged ({error})") from None


class _OnDisk(Mapping[str, Tensor]):
    def __init__(self, file: Any) -> None:
        self._file = file
        self._names = list(file.keys())

    def __getitem__(self, name: str) -> Tensor:
        tensor: Tensor = self._file.get_tensor(name)
        return tensor

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _digest(tensor: Tensor) -> str:
    return hashlib.sha256(tensor.contiguous().numpy().reshape(-1).view("uint8").data).hexdigest()


def _checksum(digests: Mapping[str, str], metadata: Mapping[str, str]) -> str:
    text = json.dumps([sorted(digests.items()), sorted(metadata.items())])
    return hashlib.sha256(text.encode()).hexdigest()
