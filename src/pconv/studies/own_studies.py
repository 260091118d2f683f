"""The studies that go past the paper. To add one, write the function of its cells and an entry below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from pconv.config import PRESETS, RunConfig
from pconv.studies import axes
from pconv.studies.cell import StudyCell
from pconv.studies.paper import MAIN_TABLES, printed
from pconv.studies.study import Study
from pconv.studies.views import EXTRAPOLATION, NARROW, THEORIES
from pconv.window import successor_window

_ALL_PRIMES = 78_498  # those below 10^6: with so many columns no prime factor of n is left out
_COLUMNS = {"quick": (16, 32, 64, 256, 1024, 5000), "paper": (5000, _ALL_PRIMES)}


def _columns(preset: str) -> Iterator[StudyCell]:
    for modulus in (7, 11, 25):
        for primes in _COLUMNS[preset]:
            config = RunConfig(modulus=modulus, primes=primes)
            yield StudyCell(axes.modulus(config), f"N={primes}", config)


def _window(preset: str) -> Iterator[StudyCell]:
    for figure in (figure for table in MAIN_TABLES[:2] for figure in printed(table, preset)):
        if figure.config.rows != 9 or figure.config.modulus not in (7, 11, 13, 17, 25):
            continue
        for rows, column in ((8, "B rows"), (9, "B+1 rows")):
            config = replace(figure.config, offsets=tuple(range(rows)))
            yield StudyCell(axes.modulus(config), column, config, figure.accuracy)


def _crucial(preset: str) -> Iterator[StudyCell]:
    from pconv.theory.crucial import crucial_experiments, smallest_first
    from pconv.theory.registry import theories

    problems = smallest_first(100, range(2, 11))
    pair = theories()["signature"], theories()["paper"]
    for found in islice(crucial_experiments(*pair, problems), 10):
        rows = found.problem.rows
        config = RunConfig(
            modulus=found.problem.modulus,
            offsets=tuple(range(rows)),
            kernel=(7 if rows >= 7 else 3,),
            primes=PRESETS[preset]["primes"],
        )
        yield StudyCell(axes.modulus(config), axes.successors(config), config)


def _boundary(preset: str) -> Iterator[StudyCell]:
    for modulus, totient in ((32, 16), (49, 42), (64, 32), (81, 54)):
        for count, column in ((totient - 1, "B=phi-1"), (totient - 2, "B=phi-2")):
            config = RunConfig(
                modulus=modulus,
                offsets=successor_window(count),
                kernel=(15,),
                primes=PRESETS[preset]["primes"],
            )
            yield StudyCell(axes.modulus(config), column, config)


def _more_data(preset: str) -> Iterator[StudyCell]:
    for modulus in (11, 13):
        for batches, epochs in ((400, 10), (1600, 10), (2400, 10), (400, 50)):
            config = RunConfig(
                modulus=modulus, batches=batches, epochs=epochs, primes=PRESETS[preset]["primes"]
            )
            yield StudyCell(axes.modulus(config), f"r={batches} t={epochs}", config)


def _extrapolation(preset: str) -> Iterator[StudyCell]:
    for modulus in (7, 11, 16):
        config = RunConfig(modulus=modulus, primes=PRESETS[preset]["primes"])
        yield StudyCell(axes.modulus(config), "n < 10^6", config)


def _architectures(preset: str) -> Iterator[StudyCell]:
    """The names are fixed, so that the study does not change with what users register."""
    for architecture in ("pconv", "mlp", "transformer"):
        for representation in ("exponents", "capped", "binary", "residues"):
            for modulus in range(2, 11):
                config = RunConfig(
                    modulus=modulus,
                    primes=PRESETS[preset]["primes"],
                    architecture=architecture,
                    representation=representation,
                )
                yield StudyCell(f"{architecture} {representation}", axes.modulus(config), config)


def _sizes_in_time(preset: str) -> Iterator[StudyCell]:
    """Capped exponents hide powers of 2, which the sizes of rows reveal in part; plain ones hide none."""
    for representation in ("capped", "exponents"):
        for architecture in ("pconv", "mlp"):
            config = RunConfig(
                modulus=4,
                primes=PRESETS[preset]["primes"],
                epochs=200,
                representation=representation,
                architecture=architecture,
            )
            yield StudyCell(representation, architecture, config)


OWN_STUDIES = (
    Study(
        "columns",
        "Do columns of primes that do not divide m change anything? The theory says no.",
        _columns,
    ),
    Study(
        "window",
        "Does a window have B rows, as the paper writes, or B+1, as its figures need?",
        _window,
    ),
    Study(
        "crucial",
        "Where signature and paper disagree, which is right?",
        _crucial,
        view=THEORIES,
    ),
    Study(
        "boundary",
        "Is a prime power solved at B = phi - 1 and not one row earlier?",
        _boundary,
    ),
    Study(
        "more-data",
        "Do more numbers or more epochs ever beat the ceiling?",
        _more_data,
    ),
    Study(
        "extrapolation",
        "Does what is learned below 10^6 hold for larger numbers?",
        _extrapolation,
        view=EXTRAPOLATION,
        keeps_weights=True,
        extrapolates=True,
        in_document=False,  # the document has an analysis of its tests past the domain
    ),
    Study(
        "architectures",
        "Is it the convolution or what is shown that solves m = 2..10?",
        _architectures,
        view=NARROW,
    ),
    Study(
        "sizes-in-time",
        "Does a longer training on capped exponents pass the local reader towards the size reader?",
        _sizes_in_time,
        snapshots=(1, 2, 5, 10, 20, 50, 100, 200),
        in_document=False,  # its answer is the path of each run: `pconv show RUN --readers`
    ),
)
