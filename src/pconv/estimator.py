"""p-Conv as estimators of scikit-learn, with the theory's prediction and its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from pconv._arrays import IntArray
from pconv.config import MAX_CLASSES, RunConfig
from pconv.data.grid import PrimeGrid, prime_grid
from pconv.data.primes import first_primes
from pconv.engines.base import Engine
from pconv.engines.census import confusion_matrix
from pconv.engines.registry import make_engine
from pconv.engines.threads import torch_threads
from pconv.errors import InputError
from pconv.evaluate.assess import Answered, Reference
from pconv.evaluate.judge import judge_answers
from pconv.evaluate.verdict import Verdict
from pconv.result import Evaluation
from pconv.theory.labels import MAX_LABELLED_MODULUS, LabelPrediction
from pconv.theory.problem import row_name
from pconv.theory.registry import predict
from pconv.training.batches import minibatches, train_batches
from pconv.window import canonical_offsets, successor_window

_SEEDS = 2**31 - 1
_WHOLE = 2**53  # floating point numbers hold all whole numbers up to here


class _ReadsNumbers(BaseEstimator):  # type: ignore[misc]
    """The base of both estimators: it reads whole numbers through their windows as prime exponents."""

    successors: int
    offsets: Iterable[int] | None
    primes: int

    def __sklearn_tags__(self) -> Any:
        """The input is positive integers; scikit-learn's checks then pass such numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        return tags

    def _window(self) -> tuple[int, ...]:
        return successor_window(self.successors) if self.offsets is None else canonical_offsets(self.offsets)

    def _numbers(self, X: Any, reset: bool, **also: Any) -> Any:
        """The numbers as an int64 array (examples, columns), with y if it is among `also`."""
        if _is_list(X) and (reset or self.n_features_in_ == 1):
            X = np.asarray(X).reshape(-1, 1)
        checked = validate_data(self, X, reset=reset, dtype="numeric", **also)
        table = checked[0] if also else checked
        whole = _whole(table)
        if whole.size and whole.min() < 0:
            raise InputError("number", whole.min(), "Negative values in data are not read")
        return (whole, checked[1]) if also else whole

    def _grid(self, numbers: IntArray) -> PrimeGrid:
        """The prime grid; the windows of an example's numbers are stacked in rows."""
        grid = prime_grid(numbers.ravel(), self._window(), self.primes)
        return replace(grid, rows=grid.rows * numbers.shape[1])


def _is_list(X: Any) -> bool:
    return np.ndim(X) == 1 if isinstance(X, list | tuple | range) else getattr(X, "ndim", None) == 1


def _whole(table: NDArray[Any]) -> IntArray:
    if table.dtype.kind == "f":
        wrong = table[(table != np.floor(table)) | (np.abs(table) > _WHOLE)]
        if wrong.size:
            raise InputError("number", wrong[0], "must be a whole number (write those past 2^53 as integers)")
    if table.dtype.kind == "u" and table.size and table.max() > np.iinfo(np.int64).max:
        raise InputError("number", table.max(), "must be below 2^63")
    return table.astype(np.int64)


@dataclass(eq=False, repr=False)  # scikit-learn compares, clones and prints by get_params
class PrimeGridTransformer(TransformerMixin, _ReadsNumbers):  # type: ignore[misc]
    """Transforms numbers to their prime grids: a sparse row of rows x primes exponents for each.

    Parameters
    ----------
    successors, offsets
        The window: n and its `successors`, or the rows n+o for o in `offsets` where these are given.
    primes
        The number of primes.

    Examples
    --------
    >>> grid = PrimeGridTransformer(successors=1, primes=3).fit_transform([4, 9])
    >>> grid.toarray().astype(int).tolist()
    [[2, 0, 0, 0, 0, 1], [0, 2, 0, 1, 0, 1]]
    """

    successors: int = 8
    offsets: Sequence[int] | None = None
    primes: int = RunConfig.primes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Checks the numbers; nothing is learned."""
        self._grid(self._numbers(X, reset=True)[:1])
        return self

    def transform(self, X: Any) -> csr_matrix:
        """The exponents, (examples, columns of X x rows x primes)."""
        check_is_fitted(self)
        numbers = self._numbers(X, reset=False)
        grid = self._grid(numbers)
        row = np.repeat(np.arange(grid.count * grid.rows), np.diff(grid.indptr))
        column = row % grid.rows * grid.columns + grid.indices
        shape = grid.count, grid.rows * grid.columns
        indptr = grid.indptr[:: grid.rows]
        return csr_matrix((grid.values.astype(np.float32), column, indptr), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """`v3(n+1)`: the exponent of 3 in n+1.

        >>> PrimeGridTransformer(successors=1, primes=2).fit([1]).get_feature_names_out().tolist()
        ['v2(n)', 'v3(n)', 'v2(n+1)', 'v3(n+1)']
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if input_features is None and not hasattr(self, "feature_names_in_") and len(names) == 1:
            names = ["n"]
        rows = [f"{name}{row_name(offset)[1:]}" for name in names for offset in self._window()]
        primes = first_primes(self.primes).tolist()
        return np.array([f"v{prime}({row})" for row in rows for prime in primes], dtype=object)


@dataclass(eq=False, repr=False)
class PConvClassifier(ClassifierMixin, _ReadsNumbers):  # type: ignore[misc]
    """The Prime Convolutional Model as a classifier of whole numbers.

    Parameters
    ----------
    successors, offsets
        The window: n and its `successors`, or the rows n+o for o in `offsets` where these are given.
    primes, kernel, channels, epochs, batch_size, learning_rate, weight_decay
        The fields of `RunConfig` of the same names, with its defaults.
    modulus
        If the labels are a function of n modulo m, this m: `fit` then checks that they are and sets
        `theory_`, and `score` sets `verdict_`.
    engine
        The engine: `auto`, `sparse` or `dense`.
    random_state
        Fixes the first weights and the order of the numbers.

    Attributes
    ----------
    classes_, n_features_in_
        As in every classifier of scikit-learn.
    loss_curve_
        The mean loss of each epoch.
    weights_
        The trained weights under PyTorch's names.
    config_
        The configuration of the network.
    theory_
        The prediction of the signature theory for these labels; None without a modulus.
    verdict_
        Whether the network's answers agree with the prediction; None before `score`.

    Examples
    --------
    >>> PConvClassifier(epochs=3).get_params()["learning_rate"]
    0.001
    """

    successors: int = 8
    offsets: Sequence[int] | None = None
    primes: int = RunConfig.primes
    kernel: int | Sequence[int] = RunConfig.kernel
    channels: int | Sequence[int] = RunConfig.channels
    epochs: int = RunConfig.epochs
    batch_size: int = RunConfig.batch_size
    modulus: int | None = None
    engine: str = "auto"
    random_state: Any = None
    learning_rate: float = RunConfig.learning_rate
    weight_decay: float = RunConfig.weight_decay

    def __sklearn_tags__(self) -> Any:
        """scikit-learn's checks use Gaussian blobs; neighbouring integers share no structure."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Trains the network on labels y of numbers: one number an example, or several in columns."""
        numbers, y = self._numbers(X, reset=True, y=y)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        seed = int(check_random_state(self.random_state).randint(_SEEDS))
        self.config_ = self._config(numbers.shape[1], seed)
        self.theory_ = self._theory(numbers, labels)
        self.verdict_: Verdict | None = None
        order = np.random.default_rng(seed).permutation(len(numbers))
        with torch_threads(1):
            engine = make_engine(self.config_, self.engine)
            self.loss_curve_ = self._train(engine, self._grid(numbers[order]), labels[order])
            self.weights_ = {name: w.numpy() for name, w in engine.weights().items()}
        return self

    def _config(self, columns: int, seed: int) -> RunConfig:
        """The configuration of the network; it has a class for each label, but at least two."""
        if len(self.classes_) > MAX_CLASSES:
            raise InputError("y", f"of {len(self.classes_)} classes", f"at most {MAX_CLASSES} are possible")
        rows = self._window() if columns == 1 else range(columns * len(self._window()))
        own = {one.name for one in fields(self)} - {"modulus", "offsets"}  # they have another meaning here
        shared = {one.name: getattr(self, one.name) for one in fields(RunConfig) if one.name in own}
        return RunConfig(modulus=max(2, len(self.classes_)), offsets=tuple(rows), seed=seed, **shared)

    def _train(self, engine: Engine, grid: PrimeGrid, labels: IntArray) -> list[float]:
        """The mean loss of each epoch; all epochs have the same batches in the same order, as in a run."""
        batches = list(minibatches(grid, labels, self.batch_size))
        means = []
        for _ in range(self.epochs):
            losses = train_batches(engine, batches)
            total = sum(len(batch[1]) * loss for batch, loss in zip(batches, losses, strict=True))
            means.append(total / grid.count)
        return means

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The network's probability of each label, in the order of `classes_`."""
        check_is_fitted(self)
        grid = self._grid(self._numbers(X, reset=False))
        with torch_threads(1):
            engine = make_engine(self.config_, self.engine)
            engine.load_weights({name: torch.from_numpy(w.copy()) for name, w in self.weights_.items()})
            logits = engine.logits(grid).astype(np.float64)[:, : len(self.classes_)]
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest label of each number."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy; with a modulus, `verdict_` is set to the verdict on the theory.

        Parameters
        ----------
        X
            The numbers, as in `fit`.
        y
            Their labels.
        sample_weight
            The weights of the examples in the accuracy; the verdict does not depend on them.
        """
        from sklearn.metrics import accuracy_score

        check_is_fitted(self)
        y = column_or_1d(y)
        check_consistent_length(X, y)
        shares = self.predict_proba(X)
        answers = self.classes_[shares.argmax(axis=1)]
        self.verdict_ = None if self.theory_ is None else self._verdict(self.theory_, X, y, shares)
        return float(accuracy_score(y, answers, sample_weight=sample_weight))

    def _theory(self, numbers: IntArray, labels: IntArray) -> LabelPrediction | None:
        """The prediction for the labels of the residues that occur among the training numbers."""
        if self.modulus is None:
            return None
        if numbers.shape[1] != 1:
            raise InputError("modulus", self.modulus, f"theories apply to one column, not {numbers.shape[1]}")
        prediction = predict(self.modulus, self._window(), self.primes)
        if prediction.modulus > MAX_LABELLED_MODULUS:
            raise InputError("modulus", self.modulus, f"must be at most {MAX_LABELLED_MODULUS}")
        residues = numbers[:, 0] % self.modulus
        label_of = np.full(self.modulus, -1, dtype=np.int64)
        label_of[residues] = labels
        wrong = np.flatnonzero(label_of[residues] != labels)
        if len(wrong):
            n = int(numbers[wrong[0], 0])
            raise InputError("modulus", self.modulus, f"y is not a function of n modulo m (see n = {n})")
        return LabelPrediction(prediction, label_of, len(self.classes_))

    def _verdict(
        self, theory: LabelPrediction, X: Any, y: NDArray[Any], shares: NDArray[np.float64]
    ) -> Verdict | None:
        """The verdict on the numbers whose residue occurred in training; None if its label has changed."""
        modulus = theory.modulus
        residues = self._numbers(X, reset=False)[:, 0] % modulus
        known = theory.label_of[residues] >= 0
        labels = theory.label_of[residues[known]]
        expected = theory.expected_on(np.bincount(residues, minlength=modulus))
        if expected is None or (self.classes_[labels] != y[known]).any():
            return None
        table = confusion_matrix(labels, shares[known].argmax(axis=1), len(self.classes_))
        losses = -np.log(shares[known][np.arange(len(labels)), labels].clip(min=np.finfo(np.float64).tiny))
        answered = Answered(
            Evaluation.from_lists(table.tolist()),
            loss=float(losses.mean()),
            training_loss=self.loss_curve_[-1],
            loss_error=float(losses.std(ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else 0.0,
        )
        return judge_answers(answered, theory, Reference(*expected))
