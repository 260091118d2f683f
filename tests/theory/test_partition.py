"""Partitions against plain constructions of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pconv.theory.partition import canonical, connected, groups_of

pairs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
)


@settings(derandomize=True, deadline=None)
@given(pairs)
def test_connected_classes_are_those_that_a_chain_joins(case: tuple[int, set[tuple[int, int]]]) -> None:
    size, joined = case
    adjacent = np.zeros((size, size), dtype=bool)
    group = list(range(size))
    for one, other in joined:
        adjacent[one, other] = True
        merged, gone = group[one], group[other]
        group = [merged if g == gone else g for g in group]
    assert connected(adjacent).tolist() == canonical(np.array(group)).tolist()


def test_groups_are_sorted_by_their_least_class() -> None:
    assert groups_of(canonical(np.array([5, 2, 5, 9, 2]))) == ((0, 2), (1, 4), (3,))
