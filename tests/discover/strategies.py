"""Random formulas."""

from __future__ import annotations

from hypothesis import strategies as st

from pconv.discover.formula import AGGREGATES, CLASS_VARIABLES, Formula
from pconv.discover.operations import operations

_leaves = st.sampled_from([*CLASS_VARIABLES.names, "1", "2", "17"]).map(Formula)


def _larger(smaller: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    names = [f"{kind}_{bound}" for kind in AGGREGATES for bound in CLASS_VARIABLES.bound]
    unary = [*names, *(name for name, each in operations().items() if each.arity == 1)]
    binary = [name for name, each in operations().items() if each.arity == 2]
    one = st.builds(lambda name, x: Formula(name, (x,)), st.sampled_from(unary), smaller)
    two = st.builds(lambda name, x, y: Formula(name, (x, y)), st.sampled_from(binary), smaller, smaller)
    return one | two


formulas = st.recursive(_leaves, _larger, max_leaves=6)
