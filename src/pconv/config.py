"""The configuration of a run, its presets and its id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any, NamedTuple, Self

from pconv._text import shortened
from pconv.config_fields import Integer, Name, Number, Sizes, Switch, option, option_of
from pconv.errors import InputError
from pconv.window import Offsets, successor_count, successor_window

MAX_PRIMES = 82_025
"""The number of primes below 2^20: the columns a grid can have (all primes below 10^6 are 78,498)."""
MAX_LIMIT = 10**8
"""Domains are sieved in memory, a byte a number."""
MAX_CLASSES = 1_024
"""A result holds a confusion matrix of classes x classes."""
MAX_NUMBER = 2**63 - 1

PRESETS: Mapping[str, Mapping[str, int]] = {"quick": {"primes": 32}, "paper": {"primes": 5_000}}
"""Defaults by preset. Columns of primes that do not divide m change nothing, so `quick` keeps only 32."""
DEFAULT_THEORY = "signature"
"""The theory that verdicts are about where none is named."""
NO_BIAS = "pconv-nobias"
"""The architecture that is p-Conv without the biases of its convolutions."""
PLUGIN_FIELDS = ("architecture", "representation", "task")
"""The fields that name a plugin of a registry; their defaults are the paper's own."""


class FeatureShape(NamedTuple):
    """The shape of a feature map."""

    channels: int
    height: int
    width: int

    @property
    def size(self) -> int:
        """How many numbers a map of this shape holds."""
        return self.channels * self.height * self.width


def pooled_shape(rows: int, columns: int, channels: Sequence[int]) -> FeatureShape:
    """The shape of the map after the last pooling: each layer halves rows and columns.

    Parameters
    ----------
    rows, columns
        The size of the grid.
    channels
        The channels of each convolution.

    Examples
    --------
    >>> pooled_shape(9, 32, (4, 8))
    FeatureShape(channels=8, height=2, width=8)
    """
    return FeatureShape(channels[-1], rows >> len(channels), columns >> len(channels))


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All that the mathematics of one training depends on; how it is computed is not part of it.

    A field declares once which values it takes, its flag and its help text. Validation, the options of
    `pconv train` and the keys of a sweep's file follow from it. The order of fields is that of stored
    documents: new fields go to the end, with a default that means what runs meant without the field.

    >>> RunConfig(modulus=11).rows
    9
    >>> RunConfig(modulus=11).run_id == RunConfig(modulus=11, offsets=range(9), kernel=7).run_id
    True
    """

    modulus: int = field(
        metadata=option(Integer(2, MAX_CLASSES), "-m", metavar="m", help="The classes are n modulo m.")
    )
    offsets: tuple[int, ...] = field(
        default=successor_window(8),
        metadata=option(
            Offsets(),
            metavar="A:B|a,b,c",
            help="The window's offsets in place of -B: A:B (half-open) or a,b,c.",
        ),
    )
    primes: int = field(
        default=PRESETS["quick"]["primes"],
        metadata=option(
            Integer(1, MAX_PRIMES),
            "-N",
            metavar="N",
            help="Columns of the grid: 32 quick, 5000 paper.",
            label="N={:,}",
        ),
    )
    kernel: tuple[int, ...] = field(
        default=(7,),
        metadata=option(
            Sizes(3, 999, odd=True), "-k", metavar="k", help="Kernel size, odd and >= 3; 7,3: one a layer."
        ),
    )
    channels: tuple[int, ...] = field(
        default=(4,),
        metadata=option(Sizes(1, 4096), "-C", metavar="C", help="Channels; 8,16: two layers."),
    )
    batches: int = field(
        default=400, metadata=option(Integer(1, MAX_LIMIT), "-r", metavar="r", help="Training batches.")
    )
    batch_size: int = field(
        default=256, metadata=option(Integer(1, MAX_LIMIT), "-s", metavar="s", help="Numbers a batch.")
    )
    epochs: int = field(
        default=10,
        metadata=option(Integer(1, 1_000_000), "-t", metavar="t", help="Passes over the batches."),
    )
    seed: int = field(
        default=0,
        metadata=option(Integer(0, MAX_NUMBER), metavar="INT", help="Fixes draws and first weights."),
    )
    limit: int = field(
        default=1_000_000, metadata=option(Integer(2, MAX_LIMIT), metavar="INT", help="Numbers are below it.")
    )
    smooth: int = field(
        default=5_000,
        metadata=option(
            Integer(0, MAX_PRIMES),
            metavar="K",
            help="Prime factors of n are among the first K primes; 0: any.",
        ),
    )
    test_size: int = field(
        default=20_000,
        metadata=option(
            Integer(1, MAX_LIMIT), metavar="INT", help="Fresh numbers that no choice is made on."
        ),
    )
    early_stop: bool = field(
        default=True, metadata=option(Switch(), help="Go on after validation accuracy 1.")
    )
    architecture: str = field(
        default="pconv",
        metadata=option(
            Name(),
            metavar="NAME",
            help="The network: pconv, pconv-nobias, mlp, transformer, or one of your own.",
        ),
    )
    representation: str = field(
        default="exponents",
        metadata=option(
            Name(),
            metavar="NAME",
            help="What is shown of a window: exponents, capped, binary, residues, or one of your own.",
        ),
    )
    task: str = field(
        default="residue",
        metadata=option(
            Name(),
            metavar="NAME",
            help="What to predict about n: residue, divisibility, quadratic, omega, primality, "
            "or one of your own.",
        ),
    )
    learning_rate: float = field(
        default=1e-3,
        metadata=option(
            Number(10, zero=False), metavar="RATE", help="Adam's step size, at most 10.", label="rate {}"
        ),
    )
    weight_decay: float = field(
        default=0.0,
        metadata=option(
            Number(100),
            metavar="RATE",
            help="Decoupled, as in AdamW: from 0, none, to 100.",
            label="decay {}",
        ),
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            self._set(one.name, option_of(one).values.check(one.name, getattr(self, one.name)))
        self._check_layers()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_layers(self) -> None:
        """Kernel and channels fit each other, the architecture and the grid."""
        layers = len(self.channels)
        if len(self.kernel) not in (1, layers):
            allowed = f"needs one size, or one for each of the layers in --channels ({layers})"
            raise InputError("kernel", _joined(self.kernel), allowed)
        if len(set(self.kernel)) == 1:  # 7 and 7,7 are the same run
            self._set("kernel", self.kernel[:1])
        if self.convolves:
            self._check_pooling()
            return
        for name in ("channels", "kernel"):
            if getattr(self, name) != getattr(RunConfig, name):
                allowed = f"the architecture {self.architecture} has none"
                raise InputError(name, _joined(getattr(self, name)), allowed)

    def _check_pooling(self) -> None:
        _, height, width = self.feature_shape
        layers = len(self.channels)
        needs = f"pooling in {layers} layer(s) needs at least {2**layers}"
        if height < 1:
            raise InputError("offsets", _joined(self.offsets), f"{needs} rows")
        if width < 1:
            raise InputError("primes", self.primes, f"{needs} columns")

    @property
    def rows(self) -> int:
        """The number of rows of a window."""
        return len(self.offsets)

    @property
    def successors(self) -> int | None:
        """B if the window is n and its B successors, else None."""
        return successor_count(self.offsets)

    @property
    def convolves(self) -> bool:
        """Whether the network is p-Conv, with biases or without: no other has a kernel and channels."""
        return self.architecture in (RunConfig.architecture, NO_BIAS)

    @property
    def kernels(self) -> tuple[int, ...]:
        """The kernel size of each layer."""
        return self.kernel * len(self.channels) if len(self.kernel) == 1 else self.kernel

    @property
    def feature_shape(self) -> FeatureShape:
        """The shape of the features that p-Conv's linear layers read.

        >>> RunConfig(modulus=11, channels=(8, 16)).feature_shape
        FeatureShape(channels=16, height=2, width=8)
        """
        return pooled_shape(self.rows, self.primes, self.channels)

    @property
    def run_id(self) -> str:
        """The run's id, a hash of the fields that are not at their default: new fields do not change it."""
        text = json.dumps(self.non_defaults(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]

    def label(self) -> str:
        """The run's name for a reader: modulus, window and kernel, then what is not at its default.

        Early stopping is left out.

        >>> RunConfig(modulus=17, kernel=3, seed=2).label()
        'm=17, B=8, k=3, seed 2'
        >>> RunConfig(modulus=17, offsets=(-1, 0), architecture="mlp", primes=5_000).label()
        'm=17, offsets -1,0, N=5,000, mlp'
        >>> RunConfig(modulus=17, epochs=50, weight_decay=0.1).label()
        'm=17, B=8, k=7, t=50, decay 0.1'
        """
        B = self.successors
        parts = [f"m={self.modulus}", f"offsets {_joined(self.offsets)}" if B is None else f"B={B}"]
        if self.convolves:
            parts.append(f"k={_joined(self.kernel)}")
        others = [
            one
            for one in fields(self)
            if one.name not in _NOT_IN_REST and getattr(self, one.name) != one.default
        ]
        parts += [
            option_of(one).describe(one.name, getattr(self, one.name))
            for one in sorted(others, key=_label_order)
        ]
        return ", ".join(parts)

    def non_defaults(self) -> dict[str, Any]:
        """The fields that are not at their default, as JSON values."""
        document = self.to_dict()
        return {f.name: document[f.name] for f in fields(self) if getattr(self, f.name) != f.default}

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values: tuples become lists."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; a missing field takes its default."""
        if not isinstance(data, Mapping):
            raise InputError("config", shortened(repr(data)), "must be an object with a run's fields")
        known = {f.name for f in fields(cls)}
        for name in data:
            if name not in known:
                raise InputError(
                    shortened(str(name)),
                    shortened(repr(data[name])),
                    "is not a field of a run's configuration",
                )
        if "modulus" not in data:
            raise InputError("modulus", "(missing)", "a run needs its modulus")
        return cls(**data)


def may_start_id(text: str) -> bool:
    """Whether a run's id could start like this.

    >>> may_start_id("ea64"), may_start_id("w.safetensors")
    (True, False)
    """
    return len(text) <= ID_DIGITS and set(text) <= set("0123456789abcdef")


def preset_fields(name: str) -> Mapping[str, int]:
    """The defaults of a preset; an `InputError` that lists the presets if there is none of this name.

    >>> preset_fields("paper")
    {'primes': 5000}
    """
    if name not in PRESETS:
        raise InputError("preset", repr(name), f"must be one of: {', '.join(PRESETS)}")
    return PRESETS[name]


ID_DIGITS = 16
_NOT_IN_REST = {"modulus", "offsets", "kernel", "early_stop"}
"""The fields that a label begins with, and the one that it leaves out."""


def _label_order(one: Field[Any]) -> int:
    """The paper's letters first, then names, then the rest; the seed last."""
    if option_of(one).short:
        return 0
    return 1 if one.name in PLUGIN_FIELDS else 2 + (one.name == "seed")


def _joined(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))
