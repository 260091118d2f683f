"""Readers: the best accuracy that a part of the evidence allows, for any task, on the numbers of a domain."""

from pconv.theory.readers.limit import Density
from pconv.theory.readers.limit_law import LimitLaw, limit_law
from pconv.theory.readers.reading import READERS, Readers, Reading
from pconv.theory.readers.task_problem import TaskProblem, visible_products

__all__ = [
    "READERS",
    "Density",
    "LimitLaw",
    "Readers",
    "Reading",
    "TaskProblem",
    "limit_law",
    "visible_products",
]
