"""Damage to files in the format of safetensors: weights and checkpoints.

A file starts with the length of its header in eight bytes and the header in JSON. Its checksum would refuse
almost all damage, so in every other case a new one is computed, as somebody would who wants to do harm.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load
from torch import Tensor

from tools.fuzz.damage_bytes import damage_bytes
from tools.fuzz.damage_documents import damage_document, write_document

Checksum = Callable[[dict[str, Tensor], dict[str, str]], str]
"""The checksum of tensors and metadata, as the program that reads the file computes it."""

_LENGTHS = (0, 1, 2, 7, 2**16, 10**8, 10**8 + 1, 2**31, 2**40, 2**63 - 1, 2**63, 2**64 - 1)
_TYPES = ("BF16", "F16", "F64", "I64", "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "C64", "X", "", "F4", "U64")


def damage_tensors(rng: random.Random, data: bytes, checksum: Checksum, documents: tuple[str, ...]) -> bytes:
    """The bytes of a damaged file.

    Parameters
    ----------
    rng
        The source of random numbers.
    data
        A valid file.
    checksum
        Computes the checksum of a file that is intact but for what it says.
    documents
        The metadata that are JSON documents.
    """
    choice = rng.random()
    if choice < 0.3:
        return damage_bytes(rng, data)
    length = int.from_bytes(data[:8], "little")
    if choice < 0.35:
        return rng.choice(_LENGTHS).to_bytes(8, "little") + data[8:]
    header, tensors = json.loads(data[8 : 8 + length]), bytearray(data[8 + length :])
    if choice < 0.5:
        header = damage_document(rng, header)
    elif choice < 0.6:
        _damage_description(rng, header)
    elif choice < 0.7:
        tensors = _damage_numbers(rng, tensors)
    else:
        _damage_metadata(rng, header, documents)
    damaged = _packed(rng, header, tensors)
    return damaged if rng.random() < 0.3 else _with_checksum(rng, damaged, header, tensors, checksum)


def _packed(rng: random.Random, header: Any, tensors: bytes | bytearray) -> bytes:
    text = write_document(rng, header).encode("utf-8", "surrogatepass")
    return len(text).to_bytes(8, "little") + text + tensors


def _damage_description(rng: random.Random, header: dict[str, Any]) -> None:
    """Another type, shape, place or name of one tensor."""
    name = rng.choice([name for name in header if name != "__metadata__"])
    described = header[name]
    match rng.randrange(5):
        case 0:
            described["dtype"] = rng.choice(_TYPES)
        case 1:
            described["shape"] = rng.choice(
                ([], [0], [1, *described["shape"]], described["shape"][::-1], [2**62, 4], [-1])
            )
        case 2:
            start, end = described["data_offsets"]
            described["data_offsets"] = rng.choice(
                ([end, start], [start, 2**63], [0, 0], [start + 1, end + 1], [-1, end])
            )
        case 3:
            header[rng.choice(("x", "", "a" * 5_000, "\x1b[2J", "losses", "conv.0.weight"))] = header.pop(
                name
            )
        case _:
            count = (described["data_offsets"][1] - described["data_offsets"][0]) // 4
            described["dtype"], described["shape"] = rng.choice(
                (("I32", [count]), ("F32", [count]), ("BF16", [2 * count]))
            )


def _damage_numbers(rng: random.Random, tensors: bytearray) -> bytearray:
    """NaN, infinities and other numbers in place of some weights."""
    number = rng.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"\xff\xff\x7f\x7f", b"\1\0\0\0"))
    start = 4 * rng.randrange(max(1, len(tensors) // 4))
    count = rng.choice((1, 1, 100, len(tensors) // 4))
    end = min(len(tensors), start + 4 * count)
    tensors[start:end] = number * ((end - start) // 4)
    return tensors


def _damage_metadata(rng: random.Random, header: dict[str, Any], documents: tuple[str, ...]) -> None:
    metadata = header["__metadata__"]
    name = rng.choice(documents if rng.random() < 0.8 else list(metadata))
    if name in documents and rng.random() < 0.8:
        document = damage_document(rng, json.loads(metadata[name]))
        metadata[name] = write_document(rng, document)
    else:
        metadata[name] = rng.choice(("", "x", "1", "[" * 3_000, "null", "{}", "9" * 5_000, "\x1b[2J"))


def _with_checksum(
    rng: random.Random, damaged: bytes, header: Any, tensors: bytes | bytearray, checksum: Checksum
) -> bytes:
    """The file with a checksum that is right, if it can be read at all."""
    try:
        found = load(damaged)
        metadata = dict(header["__metadata__"])
        header["__metadata__"]["checksum"] = checksum(found, metadata)
    except (SafetensorError, LookupError, TypeError, ValueError, RuntimeError, RecursionError):
        return damaged
    return _packed(rng, header, tensors)


def checkpoint_checksum(tensors: dict[str, Tensor], metadata: dict[str, str]) -> str:
    """The checksum of a checkpoint."""
    from pconv.models.tensor_file import _checksum, _digest

    metadata.pop("checksum", None)
    return _checksum({name: _digest(tensor) for name, tensor in tensors.items()}, metadata)


def weights_checksum(tensors: dict[str, Tensor], metadata: dict[str, str]) -> str:
    """The checksum of a weights file."""
    from pconv.models.weights import checksum

    if any(tensor.dtype == torch.bfloat16 for tensor in tensors.values()):
        raise TypeError("numpy has no such type")
    return checksum(tensors, metadata)
