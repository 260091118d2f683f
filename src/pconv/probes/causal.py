"""Causal probes: another class's evidence is written into a window, and the answer must follow it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pconv._arrays import IntArray
from pconv.probes.finding import Finding, Standard, share_finding
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.registry import ProbeResult, register_probe
from pconv.probes.target import ProbeTarget
from pconv.theory.problem import row_name

NAME = "causal"
WINDOWS = 5_000
_LISTED = 16
"""The most groups that get a finding each."""


@register_probe(NAME, order=20)
def probe_causal(target: ProbeTarget, standard: Standard) -> ProbeResult:
    """Rewrites the evidence, transplants it, and transplants everything else."""
    if target.reader.prediction.distinguishable == 1:
        predicted = "nothing: the window tells no classes apart"
        what = "write in the evidence of another class"
        return ProbeResult([Finding(NAME, what, predicted, "not tried", None, 0)])
    return ProbeResult([*_rewritten(target, standard), *_transplanted(target, standard)])


def _rewritten(target: ProbeTarget, standard: Standard) -> Iterator[Finding]:
    """Write another class with the least change: only the exponents of the primes of m."""
    reader, grids = target.reader, target.grids(WINDOWS)
    targets = other_groups(reader.read(grids), reader.prediction.distinguishable, target.random())
    changed = with_evidence(reader, grids, targets)
    followed = target.answered_groups(changed) == targets
    if reader.prediction.distinguishable > _LISTED:
        what = "write in the evidence of another class"
        yield share_finding(NAME, what, "the answer becomes that class", followed, standard)
        return
    for label in range(reader.prediction.distinguishable):
        mine = targets == label
        if mine.any():
            predicted = f"the answer becomes {reader.in_words(label)}"
            yield share_finding(NAME, in_words(reader, label), predicted, followed[mine], standard)


def _transplanted(target: ProbeTarget, standard: Standard) -> Iterator[Finding]:
    """Exchange the evidence of two real windows: each answer must follow the evidence, not the rest."""
    reader, grids = target.reader, target.grids(WINDOWS)
    labels = reader.read(grids)
    donor = np.roll(np.arange(len(grids)), 1)
    differ = labels != labels[donor]
    changed = grids.copy()
    changed[:, :, reader.columns] = grids[donor][:, :, reader.columns]
    answered = target.answered_groups(changed)[differ]
    what = "exchange the evidence with another number's window"
    predicted = "the answer becomes the other number's class"
    yield share_finding(NAME, what, predicted, answered == labels[donor][differ], standard)
    what = "exchange everything but the evidence"  # the other half of the exchange
    changed = grids[donor].copy()
    changed[:, :, reader.columns] = grids[:, :, reader.columns]
    yield share_finding(
        NAME, what, "the class stays", (target.answered_groups(changed) == labels)[differ], standard
    )


def other_groups(labels: IntArray, groups: int, random: np.random.Generator) -> IntArray:
    """A random group other than its own for each window.

    Parameters
    ----------
    labels
        The group of each window.
    groups
        The number of groups.
    random
        The generator to draw from.
    """
    return np.asarray((labels + random.integers(1, groups, len(labels))) % groups)


def with_evidence(reader: SignatureReader, grids: Grids, labels: IntArray) -> Grids:
    """The same windows with the signatures of other groups at the primes of m.

    Parameters
    ----------
    reader
        The theory's reader of grids.
    grids
        The windows.
    labels
        The group whose signature each window gets.
    """
    changed = grids.copy()
    changed[:, :, reader.columns] = reader.signatures[reader.representative(labels)]
    return changed


def in_words(reader: SignatureReader, label: int) -> str:
    """The change of a window that gets this group's evidence, in words."""
    signature = reader.signatures[int(reader.representative(np.array([label]))[0])]
    if len(reader.factors) > 1 or (signature > 0).sum() > 1:
        return f"write in the evidence of {reader.in_words(label)}"
    prime = reader.factors[0].prime
    if not signature.any():
        return f"make no row a multiple of {prime}"
    row, power = int(signature.argmax()), prime ** int(signature.max())
    return f"make {row_name(reader.problem.offsets[row])} the only multiple of {power}"
