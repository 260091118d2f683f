"""What a figure of the theory shows, as small records: the page and the drawers of files share them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pconv.config import RunConfig, successors
from pconv.data.factorization import PrimePower
from pconv.errors import InputError
from pconv.models.sizes import HIDDEN
from pconv.result import Evaluation, Matrix
from pconv.theory import Forecast, LabelPrediction, Problem, design_window, predict, theories
from pconv.theory.blocks import Kind, pattern_kinds
from pconv.theory.certificate import certificate
from pconv.theory.crucial import differing_classes
from pconv.theory.signature import valuation

APART = "apart"
"""The kind of a class that is mixed, but not with all that the paper's pattern mixes it with."""
FREE = "free"
"""The kind of every class where no theory applies."""


@dataclass(frozen=True)
class ConfusionFigure:
    """A confusion pattern, and what a run gave if there is one: `counts` of class i that were called j."""

    title: str
    kinds: tuple[str, ...]  # of each class
    labels: tuple[int, ...]  # the predicted group of each class
    counts: Matrix | None = None

    @property
    def modulus(self) -> int:
        return len(self.labels)

    def free(self, i: int, j: int) -> bool:
        """Whether the prediction lets class i be called j."""
        return self.labels[i] == self.labels[j]


def confusion_figure(
    prediction: Forecast, evaluation: Evaluation | None = None, title: str | None = None
) -> ConfusionFigure:
    """The predicted pattern, with a run's counts where there are any."""
    problem = prediction.problem
    return ConfusionFigure(
        title or f"$m={problem.modulus}$, {window_name(problem.offsets)}",
        block_kinds(prediction),
        tuple(prediction.labels.tolist()),
        evaluation.confusion if evaluation else None,
    )


def block_kinds(prediction: Forecast) -> tuple[str, ...]:
    """The kind of each class; mixed classes that the signature sets apart from the paper's groups have one.

    >>> from pconv.theory import predict
    >>> kinds = block_kinds(predict(16, range(3)))
    >>> [c for c in range(16) if kinds[c] == "mixed"], [c for c in range(16) if kinds[c] == APART]
    ([1, 5, 9, 13], [2, 3, 4, 10, 11, 12])
    """
    kinds = [str(kind) for kind in pattern_kinds(prediction)]
    if isinstance(prediction, LabelPrediction):
        return tuple(kinds)
    paper = theories()["paper"].predict(prediction.problem)
    if paper is not None and prediction.theory == "signature":
        for c in differing_classes(prediction, paper):
            kinds[c] = APART if kinds[c] == Kind.MIXED else kinds[c]
    return tuple(kinds)


def window_name(offsets: tuple[int, ...]) -> str:
    """A window as figures name it.

    >>> window_name((0, 1, 2)), window_name((-1, 0, 4))
    ('$B=2$', 'offsets -1, 0, 4')
    """
    if offsets == tuple(range(len(offsets))):
        return f"$B={len(offsets) - 1}$"
    return f"offsets {', '.join(map(str, offsets))}"


@dataclass(frozen=True)
class WindowFigure:
    """The windows of a class and of one that looks the same: which rows are multiples of p, p^2, .., p^a."""

    modulus: int
    offsets: tuple[int, ...]
    factors: tuple[PrimePower, ...]
    classes: tuple[int, ...]  # the class, and the other one where there is one
    exponents: tuple[Matrix, ...]  # of each class, for each row, of each prime of m, at most a


def window_figure(problem: Problem, residue: int) -> WindowFigure:
    """The window of a class beside that of another class that looks the same.

    >>> window_figure(Problem(11, range(9)), 1).classes
    (1, 2)
    """
    m = problem.modulus
    if not 0 <= residue < m:
        raise InputError("class", residue, f"must be from 0 to {m - 1}")
    found = certificate(problem, residue)
    classes = (residue,) if found is None else (residue, found.classes[1])
    return WindowFigure(
        m,
        problem.offsets,
        problem.factors,
        classes,
        tuple(tuple(_row(problem, c + offset) for offset in problem.offsets) for c in classes),
    )


def _row(problem: Problem, number: int) -> tuple[int, ...]:
    return tuple(valuation(number, factor.prime, factor.exponent) for factor in problem.factors)


@dataclass(frozen=True)
class MapFigure:
    """Over all (m, B): what is solved, where it begins, and where the paper's pattern is another.

    `distinguishable` counts the classes that can be distinguished, a row each modulus; `solved_from` is the
    smallest B that solves it.
    """

    moduli: tuple[int, ...]
    successors: tuple[int, ...]
    distinguishable: Matrix
    solved_from: tuple[int, ...]
    disputed: tuple[tuple[int, int], ...]  # (m, B)
    runs: tuple[tuple[int, int, str], ...] = ()  # (m, B, verdict)

    def solved(self, i: int, j: int) -> bool:
        return self.distinguishable[i][j] == self.moduli[i]


def map_figure(
    moduli: Iterable[int], counts: Iterable[int], runs: Iterable[tuple[int, int, str]] = ()
) -> MapFigure:
    """The map of these moduli and these B."""
    moduli, windows = tuple(moduli), {count: successors(count) for count in counts}
    predicted = [[predict(m, window) for window in windows.values()] for m in moduli]
    paper = theories()["paper"]
    disputed = []
    for row in predicted:
        for prediction in row:
            rival = paper.predict(prediction.problem)
            if rival is not None and differing_classes(prediction, rival):
                disputed.append((prediction.modulus, prediction.problem.rows - 1))
    return MapFigure(
        moduli,
        tuple(windows),
        tuple(tuple(prediction.distinguishable for prediction in row) for row in predicted),
        tuple(design_window(m).successors for m in moduli),
        tuple(disputed),
        tuple(run for run in runs if run[0] in moduli and run[1] in windows),
    )


@dataclass(frozen=True)
class Layer:
    """One step of the network: what leaves it, and its number of weights."""

    name: str
    detail: str
    shape: tuple[int, ...]
    weights: int


@dataclass(frozen=True)
class ArchitectureFigure:
    """The network of a configuration, from the prime grid to the classes."""

    title: str
    layers: tuple[Layer, ...]


def architecture_figure(config: RunConfig) -> ArchitectureFigure:
    """The network of a configuration with the shape of everything that passes through it."""
    if config.architecture != RunConfig.architecture:
        raise InputError("architecture", config.architecture, "is not drawn: only pconv is")
    rows, columns, incoming = config.rows, config.primes, 1
    layers = [Layer("prime grid", f"{rows} rows, {columns:,} primes", (1, rows, columns), 0)]
    for i, (channels, k) in enumerate(zip(config.channels, config.kernels, strict=True), start=1):
        weights = channels * (incoming * k * k + 1)
        layers.append(Layer(f"convolution {i}", f"{k} × {k}, padded", (channels, rows, columns), weights))
        rows, columns, incoming = rows // 2, columns // 2, channels
        layers.append(Layer(f"max-pool {i}", "2 × 2, stride 2", (channels, rows, columns), 0))
    inner = incoming * rows * columns
    layers.append(Layer("flatten", "LeakyReLU", (inner,), 0))
    for i, outer in enumerate((*HIDDEN, config.modulus), start=1):
        last = i > len(HIDDEN)
        layers.append(Layer(f"linear {i}", "classes" if last else "LeakyReLU", (outer,), outer * (inner + 1)))
        inner = outer
    sizes = {"k": config.kernel, "C": config.channels, "N": (config.primes,)}
    named = (f"${letter}={','.join(map(str, values))}$" for letter, values in sizes.items())
    title = ", ".join([f"$m={config.modulus}$", window_name(config.offsets), *named])
    return ArchitectureFigure(title, tuple(layers))
