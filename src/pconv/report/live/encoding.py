"""Weights as text in the page: little-endian numbers of half or single precision in base64.

Of a compiled network, most of whose weights are zero, only the others are written, with their places."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pconv.errors import InputError

HALF, SINGLE, SPARSE = "half", "single", "sparse"
_BYTES = {HALF: 2, SINGLE: 4}
LARGEST = 2_000_000
"""The most characters that the weights of a network take in the page."""

Weights = Mapping[str, Tensor]
"""Under PyTorch's names, in the order of the network's layers."""


def encoded(weights: Weights, form: str) -> str:
    """All weights one after the other.

    Parameters
    ----------
    weights
        The weights.
    form
        `half`, `single` or `sparse`.

    Examples
    --------
    >>> import torch
    >>> encoded({"bias": torch.tensor([1.0, -2.0])}, "half")
    'ADwAwA=='
    >>> encoded({"bias": torch.tensor([0.0, 0.0, 1.0])}, "sparse")  # the place 2, the value 1
    'AgAAAAAAgD8='
    """
    flat = _flat(weights)
    if form == SPARSE:
        places = np.flatnonzero(flat)
        data = places.astype("<u4").tobytes() + flat[places].astype("<f4").tobytes()
    else:
        data = flat.astype(f"<f{_BYTES[form]}").tobytes()
    return base64.b64encode(data).decode()


def check_size(name: str, weights: Weights, form: str, why: str = "") -> None:
    """Raise an `InputError` if the text of the weights is too long for the page.

    Parameters
    ----------
    name
        What the user calls the network.
    weights, form
        As for `encoded`.
    why
        The reason of the form, for the message.
    """
    flat = _flat(weights)
    size = 8 * np.count_nonzero(flat) if form == SPARSE else _BYTES[form] * flat.size
    if 4 * size / 3 > LARGEST:
        took = f"its {flat.size:,} weights take {4e-6 * size / 3:.1f} MB in {form} precision{why}"
        raise InputError("live", name, f"{took}; in the page a network takes at most {LARGEST / 1e6:.0f} MB")


def rounded(weights: Weights) -> dict[str, Tensor]:
    """The weights rounded to half precision, as numbers of single precision."""
    return {name: tensor.half().float() for name, tensor in weights.items()}


def _flat(weights: Weights) -> NDArray[np.float32]:
    return np.concatenate([tensor.detach().cpu().numpy().ravel() for tensor in weights.values()])
