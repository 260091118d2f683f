"""Readers: the best accuracy that a part of the evidence allows, for any task, on the numbers of a domain."""

from pconv.theory.readers.explain import LabelShares, explain_label, why_label
from pconv.theory.readers.limit import Density
from pconv.theory.readers.limit_law import LimitLaw
from pconv.theory.readers.prediction import ReaderPrediction, predict_reader
from pconv.theory.readers.reading import READERS, Readers, Reading
from pconv.theory.readers.task_problem import TaskProblem

__all__ = [
    "READERS",
    "Density",
    "LabelShares",
    "LimitLaw",
    "ReaderPrediction",
    "Readers",
    "Reading",
    "TaskProblem",
    "explain_label",
    "predict_reader",
    "why_label",
]
