"""Which classes a window can distinguish, predicted from number theory alone, without any network."""

from pconv.theory.crucial import Disagreement, crucial_experiments
from pconv.theory.design import Design, design_window
from pconv.theory.explain import Explanation, explain, explain_class, explain_modulus, explain_number
from pconv.theory.labels import LabelPrediction, for_task
from pconv.theory.law import gcd_groups, law_of, visible_part
from pconv.theory.laws import totient_law
from pconv.theory.partition import Discrete, Listed, Partition
from pconv.theory.prediction import BasePrediction, Prediction
from pconv.theory.problem import Problem
from pconv.theory.registry import Theory, predict, register_theory, theories, theory_named

__all__ = [
    "BasePrediction",
    "Design",
    "Disagreement",
    "Discrete",
    "Explanation",
    "LabelPrediction",
    "Listed",
    "Partition",
    "Prediction",
    "Problem",
    "Theory",
    "crucial_experiments",
    "design_window",
    "explain",
    "explain_class",
    "explain_modulus",
    "explain_number",
    "for_task",
    "gcd_groups",
    "law_of",
    "predict",
    "register_theory",
    "theories",
    "theory_named",
    "totient_law",
    "visible_part",
]
