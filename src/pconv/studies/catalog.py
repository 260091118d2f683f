"""The studies: each is a list of cells, laid out as a table. First the paper's, then our own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from pconv.config import DEFAULT_THEORY, PRESETS, RunConfig
from pconv.errors import InputError
from pconv.studies.paper import Printed, printed, table_names
from pconv.window import successor_window

_TIMED = ("locality", "losses")  # times and curves mean nothing when a run may stop early
PATTERN_EPOCHS = (10, 50)
"""The paper compares the pattern of one training after so many epochs."""
HEADLINE = (7, 11, 16, 25, 22, 30)
"""Every regime at B=8: prime, prime power and splitting moduli, solved and not."""


@dataclass(frozen=True)
class StudyCell:
    """A run of a study: where it stands in the table, and what the paper printed for it."""

    row: str
    column: str
    config: RunConfig
    paper: float | None = None
    minutes: float | None = None
    snapshots: tuple[int, ...] = ()  # epochs whose answers to the test numbers are recorded


@dataclass(frozen=True)
class Study:
    """A table to be filled by runs."""

    name: str
    question: str
    cells: tuple[StudyCell, ...]
    keeps_weights: bool = False

    def with_seeds(self, count: int) -> Study:
        """Every cell under the seeds 0, 1, .., count - 1."""
        cells = tuple(
            replace(cell, config=replace(cell.config, seed=seed))
            for cell in self.cells
            for seed in range(count)
        )
        return replace(self, cells=cells)


Builder = Callable[[str], Iterable[StudyCell]]
Place = Callable[[RunConfig], str]


def _rows(c: RunConfig) -> str:
    return f"B={c.rows - 1}"


def _modulus(c: RunConfig) -> str:
    return f"m={c.modulus}"


def _kernel(c: RunConfig) -> str:
    return "k=" + ",".join(map(str, c.kernel))


def _channels(c: RunConfig) -> str:
    return "C=" + ",".join(map(str, c.channels))


def _both(first: Place, second: Place) -> Place:
    return lambda c: f"{first(c)} {second(c)}"


# Row and column of a cell, as the paper lays out its tables.
_LAYOUT: dict[str, tuple[Place, Place]] = {
    "prime-moduli": (_modulus, _both(_rows, _kernel)),
    "prime-power-moduli": (_modulus, _both(_rows, _kernel)),
    "splitting-moduli": (_modulus, _both(_rows, _kernel)),
    "channels": (_channels, _modulus),
    "layers": (_channels, _modulus),
    "epochs": (lambda c: f"t={c.epochs}", _modulus),
    "batches": (lambda c: f"r={c.batches} s={c.batch_size}", _modulus),
    "locality": (_both(_rows, _kernel), _modulus),
    "kernels": (_both(_modulus, _rows), _kernel),
    "confusions": (_modulus, _both(_rows, _kernel)),
    "losses": (_modulus, _kernel),
}


def _of_paper(name: str, preset: str) -> Iterator[StudyCell]:
    row, column = _LAYOUT[name]
    for figure in printed(name, preset, early_stop=name not in _TIMED):
        yield _cell(figure, row, column)


def _cell(figure: Printed, row: Place, column: Place) -> StudyCell:
    config = figure.config
    snapshots = PATTERN_EPOCHS if config.epochs == max(PATTERN_EPOCHS) else ()
    return StudyCell(row(config), column(config), config, figure.accuracy, figure.minutes, snapshots)


def _headline(preset: str) -> Iterator[StudyCell]:
    figures = {
        (figure.config.modulus, figure.config.rows): figure
        for name in table_names()[:3]
        for figure in printed(name, preset)
    }
    for modulus in HEADLINE:
        yield _cell(figures[modulus, 9], _modulus, _both(_rows, _kernel))


def _columns(preset: str) -> Iterator[StudyCell]:
    for modulus in (7, 11, 25):
        for primes in (16, 32, 64, 256, 1024, 5000):
            config = RunConfig(modulus=modulus, primes=primes)
            yield StudyCell(_modulus(config), f"N={primes}", config)


def _window(preset: str) -> Iterator[StudyCell]:
    figures = [f for name in table_names()[:2] for f in printed(name, preset) if f.config.rows == 9]
    for figure in figures:
        if figure.config.modulus not in (7, 11, 13, 17, 25):
            continue
        for rows, words in ((8, "B rows"), (9, "B+1 rows")):
            config = replace(figure.config, offsets=tuple(range(rows)))
            yield StudyCell(_modulus(config), words, config, figure.accuracy)


def _crucial(preset: str) -> Iterator[StudyCell]:
    from pconv.theory.crucial import cheapest_first, crucial_experiments
    from pconv.theory.registry import theories

    questions = cheapest_first(100, range(2, 11))
    pair = theories()[DEFAULT_THEORY], theories()["paper"]
    for found in islice(crucial_experiments(*pair, questions), 10):
        rows = found.problem.rows
        kernel = 7 if rows >= 7 else 3
        config = RunConfig(
            modulus=found.problem.modulus,
            offsets=tuple(range(rows)),
            kernel=(kernel,),
            primes=PRESETS[preset]["primes"],
        )
        yield StudyCell(_modulus(config), _rows(config), config)


def _boundary(preset: str) -> Iterator[StudyCell]:
    for modulus, totient in ((32, 16), (49, 42), (64, 32), (81, 54)):
        for count, words in ((totient - 1, "B=phi-1"), (totient - 2, "B=phi-2")):
            config = RunConfig(
                modulus=modulus,
                offsets=successor_window(count),
                kernel=(15,),
                primes=PRESETS[preset]["primes"],
            )
            yield StudyCell(_modulus(config), words, config)


def _more_data(preset: str) -> Iterator[StudyCell]:
    for modulus in (11, 13):
        for batches, epochs in ((400, 10), (1600, 10), (2400, 10), (400, 50)):
            config = RunConfig(
                modulus=modulus, batches=batches, epochs=epochs, primes=PRESETS[preset]["primes"]
            )
            yield StudyCell(_modulus(config), f"r={batches} t={epochs}", config)


def _extrapolation(preset: str) -> Iterator[StudyCell]:
    for modulus in (7, 11, 16):
        config = RunConfig(modulus=modulus, primes=PRESETS[preset]["primes"])
        yield StudyCell(_modulus(config), "n < 10^6", config)


def _architectures(preset: str) -> Iterator[StudyCell]:
    """Named, not asked of the registries: the study stays the same where users have added to them."""
    for architecture in ("pconv", "mlp", "transformer"):
        for representation in ("exponents", "capped", "binary", "residues"):
            for modulus in range(2, 11):
                config = RunConfig(
                    modulus=modulus,
                    primes=PRESETS[preset]["primes"],
                    architecture=architecture,
                    representation=representation,
                )
                yield StudyCell(f"{architecture} {representation}", _modulus(config), config)


_QUESTIONS: dict[str, tuple[str, Builder]] = {
    "headline": ("Does every regime come out as the paper and the theory say?", _headline),
    **{name: (f"The paper's {name.replace('-', ' ')}", partial(_of_paper, name)) for name in table_names()},
    "columns": ("Do columns of primes that do not divide m change anything? The theory says no.", _columns),
    "window": ("Does a window have B rows, as the paper writes, or B+1, as its figures need?", _window),
    "crucial": ("Where signature and paper disagree, which is right?", _crucial),
    "boundary": ("Is a prime power solved at B = phi - 1 and not one row earlier?", _boundary),
    "more-data": ("Do more numbers or more epochs ever beat the ceiling?", _more_data),
    "extrapolation": ("Does what is learned below 10^6 hold for larger numbers?", _extrapolation),
    "architectures": ("Is it the convolution or what is shown that solves m = 2..10?", _architectures),
}


def study_names() -> list[str]:
    """All that can be asked for, `all` (the paper's tables and figures) last."""
    return [*_QUESTIONS, "all"]


def studies(names: Iterable[str], preset: str = "quick", seeds: int = 1) -> list[Study]:
    """The studies of these names, each once, in the order asked for.

    >>> [len(study.cells) for study in studies(["headline", "kernels"], seeds=2)]
    [12, 34]
    """
    wanted: dict[str, None] = {}
    for name in names:
        if name not in study_names():
            raise InputError("study", name, f"must be one of: {', '.join(study_names())}")
        wanted.update(dict.fromkeys(table_names() if name == "all" else [name]))
    if preset not in PRESETS:
        raise InputError("preset", repr(preset), f"must be one of: {', '.join(PRESETS)}")
    if seeds < 1:
        raise InputError("seeds", seeds, "must be at least 1")
    return [_study(name, preset).with_seeds(seeds) for name in wanted]


def _study(name: str, preset: str) -> Study:
    question, build = _QUESTIONS[name]
    return Study(name, question, tuple(build(preset)), keeps_weights=name == "extrapolation")
