"""How much memory a run needs, estimated before anything is built, and how much this machine has left."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path

from pconv.config import RunConfig
from pconv.data.domain import SELECTION_SIZE
from pconv.data.examples import class_count
from pconv.data.representations import representation_named
from pconv.engines.base import EngineSpec
from pconv.engines.pieces import CELLS_AT_ONCE, CENSUS_CHUNK, LEAST_PIECE
from pconv.errors import PconvError
from pconv.models.registry import weight_shapes

_FLOAT = 4  # bytes
_PROGRAM = 550_000_000
"""Python with torch and numba, and the factors of all numbers below 2^20."""
_FACTORS = 2.6
"""Prime factors of a number below a million, on average: the entries of a row."""
_ROW = 8 + int(2 * 5 * _FACTORS)
"""Bytes of a row of a grid while it is encoded: a pointer, and its entries twice."""
_CELL = 24
"""Bytes of a cell of a representation that is not sparse while it is encoded, as measured with residues: the
value, its column and its place, with copies."""
_LOGIT = 12
"""Bytes of an answer's logit in a census: in single precision, and in double precision for the loss."""
_NUMBER = 72
"""Bytes for each number of the domain: the sieve, the random order, and its place in the census."""
_COUNT = 48
"""Bytes of an entry of a confusion matrix as a Python integer."""


@dataclass(frozen=True)
class MemoryEstimate:
    """The parts of a run's largest memory, in bytes.

    Parameters
    ----------
    program
        Python and its libraries.
    weights
        The weights, the copies of them that are kept as the best so far, and those of snapshots, each once
        more as the bytes that are stored.
    moments
        Adam's two moments, and the gradient where the engine stores it.
    grids
        The numbers of the domain and the grids of the training numbers.
    activations
        The feature maps of a batch.
    census
        The grids and the logits of the numbers that are evaluated at a time, or the confusion matrices, if
        those are larger.
    """

    program: int
    weights: int
    moments: int
    grids: int
    activations: int
    census: int

    def to_dict(self) -> dict[str, int]:
        """The parts and their sum, for JSON."""
        return {**asdict(self), "total": self.total}

    @property
    def total(self) -> int:
        return sum(asdict(self).values())

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {gigabytes(size)}" for name, size in asdict(self).items())
        return f"{gigabytes(self.total)} GB ({parts})"


def gigabytes(size: int) -> str:
    """A size in gigabytes, with a digit after the point.

    >>> gigabytes(1_550_000_000)
    '1.6'
    """
    return f"{size / 1e9:,.1f}"


def estimated_memory(
    config: RunConfig, engine: EngineSpec, census: bool = True, snapshots: int = 0
) -> MemoryEstimate | None:
    """The largest memory of a run on the CPU; None for a network whose weights are not known beforehand.

    Parameters
    ----------
    config
        The run.
    engine
        The engine that computes it.
    census
        Whether a census is taken at the end.
    snapshots
        Of how many epochs the weights are kept besides the best ones.
    """
    shapes = weight_shapes(config)
    if shapes is None:
        return None
    size = _FLOAT * sum(prod(shape) for shape, _ in shapes.values())
    sparse = representation_named(config.representation).sparse
    windows = config.batches * config.batch_size if sparse else config.batch_size
    window = config.rows * (_ROW if sparse else _CELL * config.primes)
    return MemoryEstimate(
        program=_PROGRAM,
        # of the engine, of the best epoch so far, and of the one that replaces it
        weights=(3 + 2 * snapshots) * size,
        moments=(engine.copies - 1) * size,
        grids=_NUMBER * config.limit + window * windows,
        activations=_activations(config, engine),
        census=_evaluation(config, window, config.limit if census else max(config.test_size, SELECTION_SIZE)),
    )


def _evaluation(config: RunConfig, window: int, numbers: int) -> int:
    """The evaluation of many numbers, by the bytes of a window: tests/engines/test_memory.py measures it."""
    sparse = representation_named(config.representation).sparse
    most = CENSUS_CHUNK if sparse else max(1, CELLS_AT_ONCE // (config.rows * config.primes))
    at_once, classes = min(numbers, most), class_count(config)
    return at_once * window + max(_LOGIT * at_once * classes, 6 * _COUNT * classes**2)


def _activations(config: RunConfig, engine: EngineSpec) -> int:
    """The feature maps of a batch, forward and backward."""
    channels = max(config.channels)
    if not engine.skips_zeros:
        cells = max(config.batch_size * config.rows * config.primes, CELLS_AT_ONCE)
        return (
            _FLOAT * cells * (2 + 5 * channels)
        )  # as measured: PyTorch rearranges maps for its convolutions
    touched = min(config.primes, int(_FACTORS * config.rows * (max(config.kernels) + 1)))
    maps = touched // 2 * (config.rows // 2) * channels
    return _FLOAT * max(3 * config.batch_size, 2 * LEAST_PIECE) * maps  # a step needs more than an answer


def check_memory(config: RunConfig, engine: EngineSpec, census: bool = True, snapshots: int = 0) -> None:
    """Raise an error with the figures if a run needs more memory than there is.

    Parameters
    ----------
    config, engine, census, snapshots
        As in `estimated_memory`.
    """
    needed, available = estimated_memory(config, engine, census, snapshots), available_memory()
    if needed is not None and available is not None and needed.total > available:
        raise PconvError(
            f"the run needs about {needed} of memory, and {gigabytes(available)} GB are available; fewer "
            "columns (-N), rows (-B), channels (-C) or batches of fewer numbers (-s) need less"
        )


def available_memory() -> int | None:
    """The bytes that a new process can have here, also inside a container; None where the system does not
    tell."""
    free = [size for size in (_from_meminfo(), _from_cgroup()) if size is not None]
    if free:
        return min(free)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _from_meminfo() -> int | None:
    found = re.search(r"MemAvailable:\s*(\d+) kB", _content("/proc/meminfo"))
    return int(found[1]) * 1024 if found else None


def _from_cgroup() -> int | None:
    limit, used = (_content(f"/sys/fs/cgroup/memory.{name}").strip() for name in ("max", "current"))
    if not (limit.isdecimal() and used.isdecimal()):
        return None
    # files in the page cache count as used, and the kernel drops them where memory is needed
    cached = re.findall(r"^(?:in)?active_file (\d+)$", _content("/sys/fs/cgroup/memory.stat"), re.MULTILINE)
    return int(limit) - max(0, int(used) - sum(map(int, cached)))


def _content(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
