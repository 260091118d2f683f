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
    from pconv.estimator import PConvClassifier, PrimeGridTransformer
    from pconv.learn.network import PrimeConvNet
    from pconv.learn.training import Training, train
    from pconv.learn.weights import Model
    from pconv.result import RunResult
    from pconv.theory.prediction import Prediction
    from pconv.theory.question import Question
    from pconv.theory.registry import predict, register, theories
    from pconv.verify.comparison import compare
    from pconv.verify.verdict import Verdict, judge

_HOMES = {
    "Domain": "pconv.arithmetic.domain",
    "InputError": "pconv.errors",
    "Model": "pconv.learn.weights",
    "PConvClassifier": "pconv.estimator",
    "PconvError": "pconv.errors",
    "Prediction": "pconv.theory.prediction",
    "PrimeConvNet": "pconv.learn.network",
    "PrimeGrid": "pconv.arithmetic.windows",
    "PrimeGridTransformer": "pconv.estimator",
    "Question": "pconv.theory.question",
    "RunConfig": "pconv.config",
    "RunResult": "pconv.result",
    "Training": "pconv.learn.training",
    "Verdict": "pconv.verify.verdict",
    "compare": "pconv.verify.comparison",
    "draw": "pconv.arithmetic.domain",
    "first_primes": "pconv.arithmetic.primes",
    "judge": "pconv.verify.verdict",
    "predict": "pconv.theory.registry",
    "prime_grid": "pconv.arithmetic.windows",
    "register": "pconv.theory.registry",
    "theories": "pconv.theory.registry",
    "train": "pconv.learn.training",
}

__all__ = [
    "Domain",
    "InputError",
    "Model",
    "PConvClassifier",
    "PconvError",
    "Prediction",
    "PrimeConvNet",
    "PrimeGrid",
    "PrimeGridTransformer",
    "Question",
    "RunConfig",
    "RunResult",
    "Training",
    "Verdict",
    "__version__",
    "compare",
    "draw",
    "first_primes",
    "judge",
    "predict",
    "prime_grid",
    "register",
    "theories",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pconv' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
