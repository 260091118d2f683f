"""pconv: say what a network can learn before it is trained, train it, and put the saying to a test.

The names below are loaded when they are first used: `import pconv` itself loads neither numpy nor torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pconv.arithmetic.domain import Domain, draw
    from pconv.arithmetic.primes import first_primes
    from pconv.arithmetic.windows import PrimeGrid, prime_grid
    from pconv.config import RunConfig
    from pconv.errors import InputError, PconvError
    from pconv.learn.network import PrimeConvNet
    from pconv.learn.training import Training, train
    from pconv.learn.weights import Model
    from pconv.result import RunResult

_HOMES = {
    "Domain": "pconv.arithmetic.domain",
    "InputError": "pconv.errors",
    "Model": "pconv.learn.weights",
    "PconvError": "pconv.errors",
    "PrimeConvNet": "pconv.learn.network",
    "PrimeGrid": "pconv.arithmetic.windows",
    "RunConfig": "pconv.config",
    "RunResult": "pconv.result",
    "Training": "pconv.learn.training",
    "draw": "pconv.arithmetic.domain",
    "first_primes": "pconv.arithmetic.primes",
    "prime_grid": "pconv.arithmetic.windows",
    "train": "pconv.learn.training",
}

__all__ = [
    "Domain",
    "InputError",
    "Model",
    "PconvError",
    "PrimeConvNet",
    "PrimeGrid",
    "RunConfig",
    "RunResult",
    "Training",
    "__version__",
    "draw",
    "first_primes",
    "prime_grid",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pconv' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
