"""What determines a run: its configuration, the presets, and the run's name."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any, Self

from pconv.errors import InputError

MAX_PRIMES = 82_025
"""The number of primes below 2^20: the columns a grid can have (all primes below 10^6 are 78,498)."""
MAX_LIMIT = 10**8
"""Domains are sieved in memory, a byte a number."""
MAX_CLASSES = 1_024
"""A result holds a confusion matrix of classes x classes."""
MAX_ROWS = 4_096
MAX_LEARNING_RATE = 10
MAX_WEIGHT_DECAY = 100
"""Ten thousand times what is usual, each: beyond it is a slip of the pen, not an experiment."""
MAX_NUMBER = 2**63 - 1

PRESETS: Mapping[str, Mapping[str, int]] = {"quick": {"primes": 32}, "paper": {"primes": 5_000}}
"""The theory says that columns of primes not dividing m change nothing, so `quick` keeps 32 of them."""
DEFAULT_THEORY = "signature"
"""The theory that verdicts are about where none is named."""


def parse_offsets(text: str) -> tuple[int, ...]:
    """Offsets as written on the command line: `A:B` (half-open) or a list `a,b,c`.

    >>> parse_offsets("0:4"), parse_offsets("-1,0,2")
    ((0, 1, 2, 3), (-1, 0, 2))
    """
    allowed = "must be A:B (half-open, A < B) or a list a,b,c of different whole numbers"
    try:
        if ":" in text:
            first, end = (int(part) for part in text.split(":"))
            if end - first > MAX_ROWS:
                raise InputError("offsets", text, f"at most {MAX_ROWS} rows")
            offsets = tuple(range(first, end))
        else:
            offsets = tuple(int(part) for part in text.split(","))
    except InputError:
        raise
    except ValueError:
        raise InputError("offsets", repr(text), allowed) from None
    if not offsets:
        raise InputError("offsets", text, allowed)
    return canonical_offsets(offsets)


def successors(count: int) -> tuple[int, ...]:
    """The window of n and its `count` successors: count + 1 rows."""
    if not 0 <= count < MAX_ROWS:
        raise InputError("successors", count, f"must be from 0 to {MAX_ROWS - 1}")
    return tuple(range(count + 1))


def canonical_offsets(offsets: Iterable[int]) -> tuple[int, ...]:
    """A window is a set of offsets; its rows are kept in increasing order."""
    given = _integers("offsets", offsets)
    if not given:
        raise InputError("offsets", "()", "needs at least one offset")
    if len(given) > MAX_ROWS:
        raise InputError("offsets", f"of {len(given)} rows", f"at most {MAX_ROWS} rows")
    if len(set(given)) < len(given):
        raise InputError("offsets", ",".join(map(str, given)), "the same offset is given twice")
    if max(map(abs, given)) > MAX_LIMIT:
        raise InputError("offsets", max(given, key=abs), f"must be between -{MAX_LIMIT} and {MAX_LIMIT}")
    return tuple(sorted(given))


def _integer(name: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise InputError(name, repr(value), "must be a whole number") from None


def _integers(name: str, values: Any) -> tuple[int, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = (values,)
    return tuple(_integer(name, value) for value in values)


def _number(name: str, value: Any, high: int, *, zero: bool) -> float:
    """A number up to `high`, and above 0 where `zero` is not meant; infinities and nan are outside."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not 0 <= value <= high or (value == 0 and not zero):
        least = "from 0 to" if zero else "above 0 and at most"
        raise InputError(name, value if real else repr(value), f"must be a number {least} {high}")
    return float(value)


# What a whole-number field may be, both ends included.
_RANGES = {
    "modulus": (2, MAX_CLASSES),
    "primes": (1, MAX_PRIMES),
    "batches": (1, MAX_LIMIT),
    "batch_size": (1, MAX_LIMIT),
    "epochs": (1, 1_000_000),
    "seed": (0, MAX_NUMBER),
    "limit": (2, MAX_LIMIT),
    "smooth": (0, MAX_PRIMES),
    "test_size": (1, MAX_LIMIT),
}
PLUGIN_FIELDS = ("architecture", "representation", "task")
"""What is the paper's own where it is at its default; registries know which others there are."""


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All that the mathematics of one training depends on; how it is computed is not part of it.

    >>> RunConfig(modulus=11).rows
    9
    >>> RunConfig(modulus=11).run_id == RunConfig(modulus=11, offsets=range(9), kernel=7).run_id
    True
    """

    modulus: int
    offsets: tuple[int, ...] = tuple(range(9))
    primes: int = 32
    kernel: tuple[int, ...] = (7,)
    channels: tuple[int, ...] = (4,)
    batches: int = 400
    batch_size: int = 256
    epochs: int = 10
    seed: int = 0
    limit: int = 1_000_000
    smooth: int = 5_000
    test_size: int = 20_000
    early_stop: bool = True
    architecture: str = "pconv"
    representation: str = "exponents"
    task: str = "residue"
    learning_rate: float = 1e-3
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = _integer(name, getattr(self, name))
            if not low <= value <= high:
                raise InputError(name, value, f"must be from {low} to {high}")
            object.__setattr__(self, name, value)
        for name in PLUGIN_FIELDS:
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise InputError(name, repr(getattr(self, name)), "must be a name")
        if not isinstance(self.early_stop, bool):
            raise InputError("early_stop", repr(self.early_stop), "must be true or false")
        rate = _number("learning_rate", self.learning_rate, MAX_LEARNING_RATE, zero=False)
        decay = _number("weight_decay", self.weight_decay, MAX_WEIGHT_DECAY, zero=True)
        object.__setattr__(self, "learning_rate", rate)
        object.__setattr__(self, "weight_decay", decay)
        object.__setattr__(self, "offsets", canonical_offsets(self.offsets))
        self._check_layers()

    def _check_layers(self) -> None:
        channels = _integers("channels", self.channels)
        shown = ",".join(map(str, channels))
        if not channels or min(channels) < 1 or max(channels) > 4096:
            raise InputError("channels", shown or "()", "needs from 1 to 4096 channels for each layer")
        kernel = _integers("kernel", self.kernel)
        shown = ",".join(map(str, kernel))
        if not kernel or any(k < 3 or k % 2 == 0 or k > 999 for k in kernel):
            raise InputError("kernel", shown or "()", "must be odd, from 3 to 999")
        if len(kernel) not in (1, len(channels)):
            raise InputError(
                "kernel",
                shown,
                f"needs one size, or one for each of the layers in --channels ({len(channels)})",
            )
        if len(set(kernel)) == 1:  # 7 and 7,7 are the same run
            kernel = kernel[:1]
        object.__setattr__(self, "channels", channels)
        object.__setattr__(self, "kernel", kernel)
        if self.architecture == "pconv":
            self._check_pooling()
        elif (channels, kernel) != (RunConfig.channels, RunConfig.kernel):
            name, sizes = ("kernel", kernel) if channels == RunConfig.channels else ("channels", channels)
            given = ",".join(map(str, sizes))
            raise InputError(name, given, f"belongs to pconv alone, not to {self.architecture}")

    def _check_pooling(self) -> None:
        channels = self.channels
        least = 2 ** len(channels)
        needs = f"pooling in {len(channels)} layer(s) needs at least {least}"
        if self.rows < least:
            raise InputError("offsets", ",".join(map(str, self.offsets)), f"{needs} rows")
        if self.primes < least:
            raise InputError("primes", self.primes, f"{needs} columns")

    @property
    def rows(self) -> int:
        """The number of rows of a window."""
        return len(self.offsets)

    @property
    def kernels(self) -> tuple[int, ...]:
        """The kernel size of each layer."""
        return self.kernel * len(self.channels) if len(self.kernel) == 1 else self.kernel

    @property
    def run_id(self) -> str:
        """The run's name: fields at their default do not enter it, so it survives new fields."""
        text = json.dumps(self.non_defaults(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def non_defaults(self) -> dict[str, Any]:
        """The fields that are not at their default, as JSON knows them."""
        document = self.to_dict()
        return {f.name: document[f.name] for f in fields(self) if getattr(self, f.name) != f.default}

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON knows them: tuples become lists."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; a missing field takes its default."""
        known = {f.name for f in fields(cls)}
        for name in data:
            if name not in known:
                raise InputError(str(name), repr(data[name]), "is not a field of a run's configuration")
        if "modulus" not in data:
            raise InputError("modulus", "(missing)", "a run needs its modulus")
        return cls(**data)
