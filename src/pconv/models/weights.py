"""Weights on disk: safetensors with the run's configuration and a checksum in the metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save, save_file
from torch import Tensor, nn

from pconv import __version__
from pconv._atomic import atomic_write
from pconv.config import RunConfig
from pconv.data.examples import encode
from pconv.errors import InputError
from pconv.models.registry import network_of

_KIND = "pconv weights 1"


def checksum(weights: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """A digest of all that the file says: safetensors itself does not notice a changed number."""
    told = {name: text for name, text in metadata.items() if name != "checksum"}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for name in sorted(weights):
        array = weights[name].contiguous().cpu().numpy()
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save_weights(path: Path, weights: Mapping[str, Tensor], config: RunConfig, epoch: int) -> None:
    """Write the weights that an epoch left as a file."""
    with atomic_write(path, "save") as draft:
        try:
            save_file(contiguous(weights), draft, _told(weights, config, epoch))
        except SafetensorError as error:  # that of a full disk, for one
            raise OSError(str(error)) from None


def packed_weights(weights: Mapping[str, Tensor], config: RunConfig, epoch: int) -> tuple[str, bytes]:
    """The file that `save_weights` would write, after the checksum of what it says."""
    told = _told(weights, config, epoch)
    return told["checksum"], save(contiguous(weights), told)


def _told(weights: Mapping[str, Tensor], config: RunConfig, epoch: int) -> dict[str, str]:
    metadata = {
        "kind": _KIND,
        "pconv": __version__,
        "config": json.dumps(config.to_dict()),
        "epoch": str(epoch),
    }
    return {**metadata, "checksum": checksum(weights, metadata)}


def contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """As safetensors takes them."""
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


@dataclass(frozen=True)
class Model:
    """A trained network with the configuration of its run."""

    config: RunConfig
    network: nn.Module
    epoch: int | None = None  # that left these weights; None: the file is of an older version

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a weights file, or say what is wrong with it."""
        weights, metadata = unpack(path)
        if metadata.get("kind") != _KIND:
            raise InputError("file", path, "is not a weights file of pconv (train with --save to make one)")
        try:
            config = RunConfig.from_dict(json.loads(metadata["config"]))
            network = network_of(config)
            network.load_state_dict(weights)
        except InputError as error:  # whole, but of a task or network that is not registered here
            raise InputError("file", path, f"cannot be used here ({error})") from None
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            raise _damaged(path, str(error).splitlines()[0]) from None
        if checksum(weights, metadata) != metadata.get("checksum"):
            raise _damaged(path, "its checksum does not match")
        epoch = metadata.get("epoch", "")
        return cls(config, network.eval(), int(epoch) if epoch.isdecimal() else None)

    @torch.no_grad()
    def probabilities(self, numbers: list[int]) -> NDArray[np.float32]:
        """The network's probability of each class, (numbers, classes)."""
        grid = encode(self.config, numbers)
        logits = self.network(torch.from_numpy(grid.dense()))
        return np.asarray(torch.softmax(logits, dim=1).numpy())


def unpack(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The inverse of `pack`; the checksum is for the caller to compare."""
    if not path.is_file():
        raise InputError("file", path, "does not exist" if not path.exists() else "is not a file")
    try:
        opened: Any = safe_open(path, framework="pt")
        with opened as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: Path, reason: str) -> InputError:
    return InputError("file", path, f"is damaged or not a weights file of pconv ({reason})")
