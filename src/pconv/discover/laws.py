"""All laws up to a size: formulas, one for each way to partition the classes of a probe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pconv.discover.enumeration import Block, Enumeration, Seen
from pconv.discover.evaluation import Case, ClassFrames, Evaluator, Values
from pconv.discover.formula import CLASS_VARIABLES, Formula
from pconv.discover.frames import Frames
from pconv.discover.partitions import Fingerprints, class_fingerprints, leaders_of, multipliers

PROBE = (
    Case(4, (0, 1)),
    Case(6, (0, 1, 2)),
    Case(7, (0, 1, 2)),
    Case(8, (0, 1)),
    Case(9, (0, 2)),
    Case(10, (1, 4)),
    Case(12, (-1, 0)),
    Case(16, (0, 1, 2)),
    Case(18, (0,)),
)
"""Two formulas with the same partitions in all of these cases are one law: the smaller formula."""


def distinct_laws(max_size: int, probe: Sequence[Case] = PROBE) -> Iterator[Formula]:
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


def equivalent_formulas(formula: Formula, max_size: int, probe: Sequence[Case] = PROBE) -> list[Formula]:
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
        for block in enumeration.grow(size):
            yield block, _keys(enumeration.frames, block.found)


def _keys(frames: Frames, found: Values) -> Fingerprints:
    assert isinstance(frames, ClassFrames)
    leaders = leaders_of(frames, class_fingerprints(frames, found))
    return np.asarray((leaders.astype(np.uint64) * multipliers(frames.base)).sum(axis=-1, dtype=np.uint64))
