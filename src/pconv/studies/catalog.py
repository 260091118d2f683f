"""The catalogue: all studies by name.

It has the paper's studies, our own, those that a program adds with `register_study`, and those that installed
packages bring through an entry point::

    [project.entry-points."pconv.studies"]
    two-moduli = "my_package:two_moduli"
"""

from __future__ import annotations

from collections.abc import Iterable

from pconv.errors import InputError
from pconv.registry import Registry
from pconv.studies.own_studies import OWN_STUDIES
from pconv.studies.paper_studies import PAPER_STUDIES
from pconv.studies.study import ALL, Study

STUDIES = Registry("study", Study, "pconv.studies")
"""In order: a run that several studies share belongs to the first of them."""


def register_study(study: Study) -> Study:
    """Add a study to the catalogue, for every command of this process.

    Parameters
    ----------
    study
        Its name must not be taken.
    """
    return STUDIES.add(study)


for _study in (*PAPER_STUDIES, *OWN_STUDIES):
    register_study(_study)


def study(name: str, preset: str = "quick", seeds: int = 1) -> Study:
    """A study by its name.

    Parameters
    ----------
    name
        One of `study_names()`.
    preset
        "quick" (32 columns) or "paper" (5,000 columns).
    seeds
        How many runs each cell has, under the seeds 0 to seeds - 1.

    Examples
    --------
    >>> headline = study("headline", seeds=2)
    >>> headline.question
    'Does every regime come out as the paper and the theory say?'
    >>> len(headline.cells), headline.configs()[0].modulus
    (12, 7)
    """
    return STUDIES.named(name).at(preset, seeds)


def all_studies() -> Registry[Study]:
    """All studies by name, in the order of `STUDIES`."""
    return STUDIES


def study_names() -> list[str]:
    """The names of all studies, and `all` for those of the paper."""
    return [*STUDIES, ALL]


def studies(names: Iterable[str], preset: str = "quick", seeds: int = 1) -> list[Study]:
    """The studies of these names, each once.

    Parameters
    ----------
    names
        Some of `study_names()`.
    preset, seeds
        As for `study`.

    Examples
    --------
    >>> [len(study.cells) for study in studies(["headline", "kernels"], seeds=2)]
    [12, 34]
    """
    wanted: dict[str, None] = {}
    for name in names:
        if name not in study_names():
            raise InputError("study", name, f"must be one of: {', '.join(study_names())}")
        wanted.update(dict.fromkeys(_of_paper() if name == ALL else [name]))
    return [study(name, preset, seeds) for name in wanted]


def _of_paper() -> list[str]:
    return [name for name, study in STUDIES.items() if study.table]
