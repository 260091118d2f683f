"""What a window can tell apart, said before any training: no network is known here."""

from pconv.theory.blocks import blocks_of
from pconv.theory.crucial import Disagreement, crucial_experiments
from pconv.theory.design import Design, design_window
from pconv.theory.explain import Explanation, explain, explain_class, explain_modulus, explain_number
from pconv.theory.labels import Forecast, LabelPrediction, merged
from pconv.theory.law import gcd_groups, law_of, visible_part
from pconv.theory.laws import totient_law
from pconv.theory.partition import Discrete, Listed, Partition
from pconv.theory.prediction import Prediction
from pconv.theory.problem import Problem
from pconv.theory.registry import Theory, predict, register, theories, theory_named

__all__ = [
    "Design",
    "Disagreement",
    "Discrete",
    "Explanation",
    "Forecast",
    "LabelPrediction",
    "Listed",
    "Partition",
    "Prediction",
    "Problem",
    "Theory",
    "blocks_of",
    "crucial_experiments",
    "design_window",
    "explain",
    "explain_class",
    "explain_modulus",
    "explain_number",
    "gcd_groups",
    "law_of",
    "merged",
    "predict",
    "register",
    "theories",
    "theory_named",
    "totient_law",
    "visible_part",
]
