"""pconv: predict what a network can learn before it is trained, train it, and test the prediction.

The names below are loaded when they are first used: `import pconv` itself loads neither numpy nor torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from pconv.certification.certify import certify as certify
    from pconv.certification.document import NetworkCertificate as NetworkCertificate
    from pconv.compiler.network import compile_network as compile_network
    from pconv.config import RunConfig as RunConfig
    from pconv.data.domain import Domain as Domain
    from pconv.data.domain import split as split
    from pconv.data.grid import PrimeGrid as PrimeGrid
    from pconv.data.grid import prime_grid as prime_grid
    from pconv.data.primes import first_primes as first_primes
    from pconv.errors import InputError as InputError
    from pconv.errors import PconvError as PconvError
    from pconv.estimator import PConvClassifier as PConvClassifier
    from pconv.estimator import PrimeGridTransformer as PrimeGridTransformer
    from pconv.evaluate.comparison import compare as compare
    from pconv.evaluate.judge import judge as judge
    from pconv.evaluate.verdict import Verdict as Verdict
    from pconv.models.dataset import PrimeGridDataset as PrimeGridDataset
    from pconv.models.export import convert as convert
    from pconv.models.pconv import PrimeConvNet as PrimeConvNet
    from pconv.models.weights import Model as Model
    from pconv.pacing.pace import pace as pace
    from pconv.probes.suite import probe as probe
    from pconv.result import RunResult as RunResult
    from pconv.store.sqlite import Store as Store
    from pconv.studies.catalog import register_study as register_study
    from pconv.studies.catalog import study as study
    from pconv.studies.cell import StudyCell as StudyCell
    from pconv.studies.evaluate import evaluate_study as evaluate_study
    from pconv.studies.importing import import_runs as import_runs
    from pconv.studies.study import Study as Study
    from pconv.sweeps.local import sweep as sweep
    from pconv.sweeps.run import train as train
    from pconv.sweeps.verify import verify as verify
    from pconv.theory.explain import explain as explain
    from pconv.theory.prediction import Prediction as Prediction
    from pconv.theory.problem import Problem as Problem
    from pconv.theory.registry import predict as predict
    from pconv.theory.registry import register_theory as register_theory
    from pconv.theory.registry import theories as theories
    from pconv.training.trainer import Training as Training

_EXPORTS = {
    "pconv.certification.certify": ["certify"],
    "pconv.certification.document": ["NetworkCertificate"],
    "pconv.compiler.network": ["compile_network"],
    "pconv.config": ["RunConfig"],
    "pconv.data.domain": ["Domain", "split"],
    "pconv.data.grid": ["PrimeGrid", "prime_grid"],
    "pconv.data.primes": ["first_primes"],
    "pconv.errors": ["InputError", "PconvError"],
    "pconv.estimator": ["PConvClassifier", "PrimeGridTransformer"],
    "pconv.evaluate.comparison": ["compare"],
    "pconv.evaluate.judge": ["judge"],
    "pconv.evaluate.verdict": ["Verdict"],
    "pconv.models.dataset": ["PrimeGridDataset"],
    "pconv.models.export": ["convert"],
    "pconv.models.pconv": ["PrimeConvNet"],
    "pconv.models.weights": ["Model"],
    "pconv.pacing.pace": ["pace"],
    "pconv.probes.suite": ["probe"],
    "pconv.result": ["RunResult"],
    "pconv.store.sqlite": ["Store"],
    "pconv.studies.catalog": ["register_study", "study"],
    "pconv.studies.cell": ["StudyCell"],
    "pconv.studies.evaluate": ["evaluate_study"],
    "pconv.studies.importing": ["import_runs"],
    "pconv.studies.study": ["Study"],
    "pconv.sweeps.local": ["sweep"],
    "pconv.sweeps.run": ["train"],
    "pconv.sweeps.verify": ["verify"],
    "pconv.theory.explain": ["explain"],
    "pconv.theory.prediction": ["Prediction"],
    "pconv.theory.problem": ["Problem"],
    "pconv.theory.registry": ["predict", "register_theory", "theories"],
    "pconv.training.trainer": ["Training"],
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'pconv' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
