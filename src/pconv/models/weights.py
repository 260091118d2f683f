"""Weights on disk: safetensors with the run's configuration and a checksum in the metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
from pconv._text import shortened
from pconv.config import RunConfig
from pconv.data.examples import encode
from pconv.errors import InputError, PconvError
from pconv.models.registry import network_of, weight_shapes

_KIND = "pconv weights 1"
_COMPILED = "compiled"
"""The origin of weights that were computed from the theory. Files of trained weights name an epoch."""

NOT_FINITE = "the network's answers are not finite numbers, so its weights cannot be used"
"""The message where a file is intact, but the network in it has diverged or was changed."""


def checksum(weights: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """A digest of the whole content of a file: safetensors itself does not detect a changed number."""
    signed = {name: text for name, text in metadata.items() if name != "checksum"}
    digest = hashlib.sha256(json.dumps(signed, sort_keys=True).encode())
    for name in sorted(weights):
        array = weights[name].contiguous().cpu().numpy()
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save_weights(path: Path, weights: Mapping[str, Tensor], config: RunConfig, epoch: int | None) -> None:
    """Write weights to a file, with all that is needed to load them as a `Model`.

    Parameters
    ----------
    path
        The file.
    weights
        Under PyTorch's names.
    config
        The configuration of the run.
    epoch
        The epoch after which the weights were taken; None for weights that were compiled, not trained.
    """
    with atomic_write(path, "save") as temporary:
        try:
            save_file(contiguous(weights), temporary, _metadata(weights, config, epoch))
        except SafetensorError as error:  # safetensors raises its own error where a disk is full
            raise OSError(str(error)) from None


def packed_weights(weights: Mapping[str, Tensor], config: RunConfig, epoch: int) -> tuple[str, bytes]:
    """The checksum and the bytes of the file that `save_weights` would write.

    Parameters
    ----------
    weights, config, epoch
        As in `save_weights`.
    """
    metadata = _metadata(weights, config, epoch)
    return metadata["checksum"], save(contiguous(weights), metadata)


def _metadata(weights: Mapping[str, Tensor], config: RunConfig, epoch: int | None) -> dict[str, str]:
    metadata = {
        "kind": _KIND,
        "pconv": __version__,
        "config": json.dumps(config.to_dict()),
        **({"origin": _COMPILED} if epoch is None else {"epoch": str(epoch)}),
    }
    return {**metadata, "checksum": checksum(weights, metadata)}


def contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors in contiguous memory, as safetensors needs them."""
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


@contextmanager
def plain_convolutions() -> Iterator[None]:
    """Convolutions are sums of products, to which the bounds of certificates apply.

    Where oneDNN is off or missing, torch gives large batches to NNPACK, whose transforms (Winograd's and
    Fourier's) have far larger errors.
    """
    with torch.backends.nnpack.flags(enabled=False):
        yield


@dataclass(frozen=True)
class Model:
    """A network with the configuration of its run.

    Parameters
    ----------
    config
        The configuration of the run.
    network
        The torch module.
    epoch
        The epoch after which the weights were taken; None for compiled weights and files of older versions.
    compiled
        Whether the weights were computed from the theory (`pconv compile`), and not trained.
    """

    config: RunConfig
    network: nn.Module
    epoch: int | None = None
    compiled: bool = False

    @property
    def run_id(self) -> str | None:
        """The id of the run that trained the network; None if it was compiled."""
        return None if self.compiled else self.config.run_id

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Load a weights file; an `InputError` if it is damaged or cannot be used here."""
        path = Path(path)
        with _weights_errors(path):
            weights, metadata, config = _verified(path)
            network = network_of(config)
            network.load_state_dict(weights)
        epoch = metadata.get("epoch", "")
        known = epoch.isdecimal() and len(epoch) <= len(str(config.epochs))
        after = int(epoch) if known else None
        return cls(config, network.eval(), after, metadata.get("origin") == _COMPILED)

    @torch.no_grad()
    def probabilities(self, numbers: list[int]) -> NDArray[np.float32]:
        """The network's probability of each class, (numbers, classes)."""
        grid = encode(self.config, numbers)
        with plain_convolutions():
            logits = self.network(torch.from_numpy(grid.dense()))
        shares = torch.softmax(logits, dim=1).numpy()
        if not np.isfinite(shares).all():
            raise PconvError(NOT_FINITE)
        return np.asarray(shares)


def checked_weights(path: Path, config: RunConfig, epoch: int | None = None) -> tuple[str, bytes]:
    """The checksum and the bytes of a weights file; an `InputError` if it is damaged or of another run.

    Parameters
    ----------
    path
        The file.
    config
        The configuration of the run.
    epoch
        The epoch that the weights must be of; by default any.
    """
    with _weights_errors(path):
        _, metadata, found = _verified(path)
        if found != config or (epoch is not None and metadata.get("epoch") != str(epoch)):
            raise ValueError(f"not of run {config.run_id}")
        return metadata["checksum"], path.read_bytes()


def _verified(path: Path) -> tuple[dict[str, Tensor], dict[str, str], RunConfig]:
    """The tensors, metadata and configuration of a weights file, which fit each other."""
    weights, metadata = unpack(path)
    if metadata.get("kind") != _KIND:
        reason = "is not a weights file of pconv (train with --save to make one)"
        raise _Damaged("file", path, reason)
    if checksum(weights, metadata) != metadata.get("checksum"):
        raise _damaged(path, "its checksum does not match")
    config = RunConfig.from_dict(json.loads(metadata["config"]))
    _check_shapes(weights, config)
    if not all(bool(torch.isfinite(tensor).all()) for tensor in weights.values()):
        raise _damaged(path, "its weights are not all finite numbers")
    return weights, metadata, config


@contextmanager
def _weights_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except _Damaged:
        raise
    except InputError as error:  # the file is intact, but its task or network is not registered here
        raise InputError("file", path, f"cannot be used here ({error})") from None
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise _damaged(path, str(error).splitlines()[0]) from None


def _check_shapes(weights: Mapping[str, Tensor], config: RunConfig) -> None:
    """Raise `ValueError` if the weights are not those of the run's network, which may be huge."""
    expected = weight_shapes(config)
    if expected is None:
        return
    found = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if found.get(name) != expected.get(name):
            there, needed = (_described(shapes.get(name)) for shapes in (found, expected))
            raise ValueError(f"{shortened(name)} is {there}, and its configuration needs {needed}")


def _described(weight: tuple[tuple[int, ...], torch.dtype] | None) -> str:
    return "missing" if weight is None else f"{str(weight[1]).removeprefix('torch.')} {list(weight[0])}"


def unpack(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the metadata of a weights file; the checksum is not verified here."""
    if not path.is_file():
        raise _Damaged("file", path, "does not exist" if not path.exists() else "is not a file")
    try:
        opened: Any = safe_open(path, framework="pt")
        with opened as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, str(error)) from None


class _Damaged(InputError):
    """The file itself is at fault, or not there, and not what is registered here."""


def _damaged(path: Path, reason: str) -> InputError:
    return _Damaged("file", path, f"is damaged or not a weights file of pconv ({reason})")
