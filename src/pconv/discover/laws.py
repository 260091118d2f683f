"""All laws up to a size: formulas, one for each way to partition the classes of a probe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pconv.discover.enumeration import Block, Enumeration, Seen
from pconv.discover.evaluation import ClassFrames, Evaluator, Values, WindowCase
from pconv.discover.formula import CLASS_VARIABLES, Formula
from pconv.discover.frames import Frames
from pconv.discover.partitions import Fingerprints, class_fingerprints, leaders_of, multipliers

PROBE = (
    WindowCase(4, (0, 1)),
    WindowCase(6, (0, 1, 2)),
    WindowCase(7, (0, 1, 2)),
    WindowCase(8, (0, 1)),
    WindowCase(9, (0, 2)),
    WindowCase(10, (1, 4)),
    WindowCase(12, (-1, 0)),
    WindowCase(16, (0, 1, 2)),
    WindowCase(18, (0,)),
    WindowCase(15, (0, 3)),
    WindowCase(13, (0, 1, 2, 3)),
    WindowCase(4, (0, 1, 2, 3, 4)),
    WindowCase(2, (0, 3)),
    WindowCase(4, (-1, 0, 2)),
    WindowCase(3, (0, 1, 2, 3, 4)),
    WindowCase(14, (0, 1, 3)),
    WindowCase(3, (0, 3)),
    WindowCase(11, (0, 1, 2, 3, 4)),
    WindowCase(16, (0, 3)),
    WindowCase(4, (0, 2)),
    WindowCase(8, (0, 1, 2, 3, 4)),
    WindowCase(2, (0, 1, 2, 3, 4)),
)
"""Two formulas with the same partitions in all of these cases are one law: the smaller formula.

The last thirteen are possible experiments without which formulas of up to five symbols that differ in some
experiment would be one law.
"""
_LARGEST_MODULUS = 18
"""Of the probe: with a larger one more formulas have values past the bound of a search."""
_MOST_CELLS = 300
"""Classes times rows of a case that is added to the probe: the time of a search grows with them."""


def probe_for(cases: Sequence[WindowCase]) -> tuple[WindowCase, ...]:
    """The probe, and one case more for each window of these cases that it lacks.

    Formulas are compared on it before they are compared on the cases, all of which would be too many. What
    is long is left out, so that formulas that differ there alone remain one law.

    Parameters
    ----------
    cases
        The cases that laws are about.

    Examples
    --------
    >>> added = probe_for([WindowCase(m, window) for m in (5, 14, 16) for window in ((0, 1), (0, 9))])
    >>> [str(case) for case in added[len(PROBE):]]
    ['m=14, offsets 0,9']
    """
    known = {case.offsets for case in PROBE}
    added: dict[tuple[int, ...], WindowCase] = {}
    for case in sorted(cases, key=lambda case: abs(case.modulus - 12)):  # many classes, within the limits
        small = case.modulus <= _LARGEST_MODULUS and case.modulus * len(case.offsets) <= _MOST_CELLS
        if small and case.offsets not in known:
            added.setdefault(case.offsets, case)
    return (*PROBE, *added.values())


def distinct_laws(max_size: int, probe: Sequence[WindowCase] = PROBE) -> Iterator[Formula]:
    """Formulas of growing size, one for each sequence of partitions of the probe.

    Parameters
    ----------
    max_size
        The largest size.
    probe
        The cases on which two laws must differ to be two.

    Examples
    --------
    >>> [str(law) for law in distinct_laws(1)]
    ['n', 'm']
    """
    enumeration, seen = Enumeration(ClassFrames(probe), CLASS_VARIABLES), Seen()
    for block, keys in _keyed(enumeration, max_size):
        for place in seen.new(keys).tolist():
            yield enumeration.formula(int(block.ids[place]))


def equivalent_formulas(
    formula: Formula, max_size: int, probe: Sequence[WindowCase] = PROBE
) -> list[Formula]:
    """Other formulas with the same partitions of the probe, the smallest first.

    Parameters
    ----------
    formula
        A law.
    max_size
        The largest size of the others.
    probe
        The cases on which they must agree.

    Examples
    --------
    >>> from pconv.discover import parse
    >>> [str(other) for other in equivalent_formulas(parse("n % p"), 4)]
    ['n % rad(m)']
    """
    frames = ClassFrames(probe)
    enumeration, evaluator = Enumeration(frames, CLASS_VARIABLES), Evaluator(frames)
    own = _keys(frames, evaluator.values(formula))
    same = [
        enumeration.formula(int(block.ids[place]))
        for block, keys in _keyed(enumeration, max_size)
        for place in np.flatnonzero(keys == own).tolist()
    ]
    return [other for other in same if other != formula]


def _keyed(enumeration: Enumeration, max_size: int) -> Iterator[tuple[Block, Fingerprints]]:
    """Blocks of formulas with a fingerprint of the partitions of each."""
    for size in range(1, max_size + 1):
        for block in enumeration.grow(size, last=size == max_size):
            yield block, _keys(enumeration.frames, block.found)


def _keys(frames: Frames, found: Values) -> Fingerprints:
    assert isinstance(frames, ClassFrames)
    leaders = leaders_of(frames, class_fingerprints(frames, found))
    return np.asarray((leaders.astype(np.uint64) * multipliers(frames.base)).sum(axis=-1, dtype=np.uint64))
