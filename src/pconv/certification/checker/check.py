"""`pconv certify --check`: computes a certificate again and compares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pconv._json import canonical_json, long_numbers, read_json
from pconv.certification.checker import weights
from pconv.certification.checker.enumerated import check_enumerated
from pconv.certification.checker.fields import Rejected, check_fields, shown
from pconv.certification.checker.recomputation import NotCheckable, Progress, Recomputation
from pconv.certification.checker.sampled import check_sampled
from pconv.config import RunConfig
from pconv.errors import InputError

_FORMAT = "pconv certificate 1"
_KINDS = {"enumerated": check_enumerated, "sampled": check_sampled}
_CONFIG = ("modulus", "offsets", "primes", "kernel", "channels", "architecture", "representation", "task")
_ROUNDING = {"unit": 2.0**-24, "slack": 2.0**-20, "inflation": 1 + 2.0**-16}


@long_numbers()
def check_certificate(path: Path, network: Path, on_progress: Progress | None = None) -> dict[str, Any]:
    """Check a certificate; an `InputError` with the reason if it does not hold, or cannot be checked.

    All is computed again but `wanted_width` and `pconv`, which are no part of the statement.

    Parameters
    ----------
    path
        The certificate.
    network
        The weights file of the network.
    on_progress
        Called with the grids so far and their number.
    """
    document = read_json(path, "check")
    arrays, config = weights.read_weights(network)
    try:
        _check_identity(document, arrays, config)
        _check_figures(Recomputation(document, arrays, on_progress))
    except Rejected as reason:
        raise InputError("check", path, f"is rejected: {reason}") from None
    except (NotCheckable, InputError) as reason:  # the latter: a task that is not registered here
        raise InputError("check", path, f"cannot be checked: {reason}") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        raise InputError("check", path, "is rejected: it is damaged, or no certificate at all") from None
    return dict(document)


def _check_identity(
    document: Mapping[str, Any], arrays: dict[str, NDArray[np.float32]], config: RunConfig
) -> None:
    if (
        not isinstance(document, dict)
        or document.get("format") != _FORMAT
        or document.get("kind") not in _KINDS
    ):
        raise Rejected("it is not a certificate of a kind that is known here")
    check_fields(document)
    signed = {name: value for name, value in document.items() if name != "checksum"}
    if hashlib.sha256(json.dumps(signed, sort_keys=True).encode()).hexdigest() != document["checksum"]:
        raise Rejected("its checksum does not match, so it was changed")
    if weights.checksum(arrays) != document["network"]:
        raise Rejected("it is about another network: the weights differ")
    if document["config"].keys() != {*_CONFIG}:
        raise Rejected(f"its config has other fields than {', '.join(_CONFIG)}")
    own = config.to_dict()
    for name in _CONFIG:
        if canonical_json(document["config"][name]) != canonical_json(own[name]):
            stated = shown(document["config"][name])
            raise Rejected(f"its {name} is {stated}, and that of the network is {shown(own[name])}")
    constants = {name: value for name, value in document["rounding"].items() if name != "whole_weights"}
    if canonical_json(constants) != canonical_json(_ROUNDING):
        raise Rejected("its bound on rounding is another one")


def _check_figures(again: Recomputation) -> None:
    if not again.network.in_range:
        raise Rejected("the bound on rounding does not apply to weights so large or so many")
    whole = again.network.whole
    if again.document["rounding"]["whole_weights"] is not whole:
        kind = "are whole numbers" if whole else "are not all whole numbers, so that evaluating it rounds"
        raise Rejected(f"its bound on rounding is another one: the network's weights {kind}")
    groups = again.label_counts()
    ceiling = sum((Fraction(int(counts.max()), int(counts.sum())) for counts in groups), Fraction(0))
    ceiling /= again.modulus
    again.same("ceiling_fraction", str(ceiling))
    right, leaks = _KINDS[again.document["kind"]](again, ceiling)
    for prefix, (low, high) in (("", right), ("leaks_", leaks)):
        if low > high:
            raise Rejected(f"its interval {prefix}low to {prefix}high has no density in it")
        again.same(f"{prefix}low_fraction", str(low))
        again.same(f"{prefix}high_fraction", str(high))
        again.same(f"{prefix}low", _outward(low, -np.inf))
        again.same(f"{prefix}high", _outward(high, np.inf))


def _outward(value: Fraction, direction: float) -> float:
    """The nearest float in this direction."""
    near = float(value)
    short = Fraction(near) > value if direction < 0 else Fraction(near) < value
    return float(np.nextafter(near, direction)) if short else near
