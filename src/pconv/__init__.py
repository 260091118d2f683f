"""pconv: say what a network can learn before it is trained, train it, and put the saying to a test.

The names below are loaded when they are first used: `import pconv` itself loads neither numpy nor torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pconv.config import RunConfig
    from pconv.data.domain import Domain, split
    from pconv.data.grid import PrimeGrid, prime_grid
    from pconv.data.primes import first_primes
    from pconv.errors import InputError, PconvError
    from pconv.estimator import PConvClassifier, PrimeGridTransformer
    from pconv.evaluate.comparison import compare
    from pconv.evaluate.judge import judge
    from pconv.evaluate.verdict import Verdict
    from pconv.models.dataset import PrimeGridDataset
    from pconv.models.export import convert
    from pconv.models.pconv import PrimeConvNet
    from pconv.models.weights import Model
    from pconv.result import RunResult
    from pconv.studies.catalog import register_study, study
    from pconv.studies.cell import StudyCell
    from pconv.studies.evaluate import evaluate_study
    from pconv.studies.study import Study
    from pconv.sweeps.local import sweep
    from pconv.sweeps.run import train
    from pconv.theory.prediction import Prediction
    from pconv.theory.problem import Problem
    from pconv.theory.registry import predict, register_theory, theories
    from pconv.training.trainer import Training

_HOMES = {
    "Domain": "pconv.data.domain",
    "InputError": "pconv.errors",
    "Model": "pconv.models.weights",
    "PConvClassifier": "pconv.estimator",
    "PconvError": "pconv.errors",
    "Prediction": "pconv.theory.prediction",
    "PrimeConvNet": "pconv.models.pconv",
    "PrimeGrid": "pconv.data.grid",
    "PrimeGridDataset": "pconv.models.dataset",
    "PrimeGridTransformer": "pconv.estimator",
    "Problem": "pconv.theory.problem",
    "RunConfig": "pconv.config",
    "RunResult": "pconv.result",
    "Study": "pconv.studies.study",
    "StudyCell": "pconv.studies.cell",
    "Training": "pconv.training.trainer",
    "Verdict": "pconv.evaluate.verdict",
    "compare": "pconv.evaluate.comparison",
    "convert": "pconv.models.export",
    "evaluate_study": "pconv.studies.evaluate",
    "split": "pconv.data.domain",
    "first_primes": "pconv.data.primes",
    "judge": "pconv.evaluate.judge",
    "predict": "pconv.theory.registry",
    "prime_grid": "pconv.data.grid",
    "register_theory": "pconv.theory.registry",
    "register_study": "pconv.studies.catalog",
    "study": "pconv.studies.catalog",
    "sweep": "pconv.sweeps.local",
    "theories": "pconv.theory.registry",
    "train": "pconv.sweeps.run",
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
    "PrimeGridDataset",
    "PrimeGridTransformer",
    "Problem",
    "RunConfig",
    "RunResult",
    "Study",
    "StudyCell",
    "Training",
    "Verdict",
    "__version__",
    "compare",
    "convert",
    "evaluate_study",
    "first_primes",
    "judge",
    "predict",
    "prime_grid",
    "register_study",
    "register_theory",
    "split",
    "study",
    "sweep",
    "theories",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pconv' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
