"""A found law as a theory: for this process, or as a package that every command accepts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pconv._atomic import atomic_write
from pconv.data.representations import representation_named
from pconv.discover.evaluation import ClassFrames, Evaluator, WindowCase
from pconv.discover.formula import claim
from pconv.discover.parser import parse
from pconv.discover.partitions import class_fingerprints
from pconv.errors import InputError
from pconv.theory.partition import Listed, Partition
from pconv.theory.problem import Problem
from pconv.theory.registry import Theory, theories

MAX_POINTS = 10**7
"""Classes times rows that are evaluated; the theory does not apply to larger problems."""


def formula_theory(name: str, text: str, representation: str = "exponents") -> Theory:
    """The theory that classes are mixed iff the values of a formula agree, in every row.

    It applies to the representation on which the law was found, where every prime of m has a column.

    Parameters
    ----------
    name
        The theory's name.
    text
        The formula.
    representation
        The representation of the runs that the law is about.

    Examples
    --------
    >>> theory = formula_theory("found", "gcd(n+o, m)")
    >>> theory.predict(Problem(16, range(3))).groups[:3]
    ((0,), (1, 5, 9, 13), (2, 10))
    """
    formula, shown = parse(text), representation_named(representation)

    def partition(problem: Problem) -> list[Partition] | None:
        columns = (problem.shows, problem.cap) == (shown.shows, shown.cap)
        visible = all(problem.sees(factor.prime) for factor in problem.factors)
        if not columns or not visible or problem.modulus * problem.rows > MAX_POINTS:
            return None
        evaluator = Evaluator(ClassFrames([WindowCase(problem.modulus, problem.offsets)]))
        alike = class_fingerprints(evaluator.frames, evaluator.values(formula))
        return [Listed(alike.view(np.int64))]

    return Theory(name, claim(formula), partition)


def write_theory(name: str, text: str, representation: str, directory: Path) -> Path:
    """Write a package with the theory of a formula, and return its directory.

    Once it is installed (`pip install ./NAME`), every command includes the theory.

    Parameters
    ----------
    name
        The name of the theory and of the package: a Python identifier that no theory has.
    text
        The formula.
    representation
        The representation of the runs that the law is about.
    directory
        Where the package's directory is made.
    """
    check_theory_name(name, directory)
    formula = str(parse(text))
    package = directory / name
    module = (
        f'"""The law {formula}, found by `pconv discover`."""\n\n'
        "from pconv.discover.theory_module import formula_theory\n\n"
        f"{name} = formula_theory({json.dumps(name)}, {json.dumps(formula)}, {json.dumps(representation)})\n"
    )
    project = (
        f'[project]\nname = "{name}"\nversion = "1.0"\n\n[tool.setuptools]\npy-modules = ["{name}"]\n\n'
        f'[project.entry-points."pconv.theories"]\n{name} = "{name}:{name}"\n'
    )
    try:
        package.mkdir()
    except OSError as error:
        raise InputError("register", name, f"{package} cannot be made ({error.strerror})") from None
    for file, content in ((f"{name}.py", module), ("pyproject.toml", project)):
        with atomic_write(package / file, "register") as draft:
            Path(draft).write_text(content, "utf-8")
    return package


def check_theory_name(name: str, directory: Path) -> None:
    """Raise an `InputError` for a name that a new theory cannot have."""
    if not (name.isidentifier() and name.isascii() and name.islower()):
        raise InputError("register", name, "must be lower-case letters, digits and _, a letter first")
    if name in theories():
        raise InputError("register", name, "is the name of a theory already")
    if (directory / name).exists():
        raise InputError("register", name, f"{directory / name} exists already")
