"""Relations between partitions, for the tests of theories."""

from __future__ import annotations

from pconv._arrays import IntArray


def refines(fine: IntArray, coarse: IntArray) -> bool:
    """Whether each group of the first partition lies inside a group of the second."""
    assert len(fine) == len(coarse)
    return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))
