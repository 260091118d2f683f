"""Numbers far outside the training range, for which the theory predicts the same."""

from __future__ import annotations

from collections.abc import Iterator

from pconv.probes.finding import Finding, Standard, share_finding
from pconv.probes.registry import ProbeResult, register_probe
from pconv.probes.target import ProbeTarget

NAME = "extrapolation"
POWERS = (6, 9, 12, 15, 18)
WINDOWS = 4_000
_SPREAD = 10**6
"""The width of the range above a power of ten from which numbers are drawn: classes are equally likely."""


@register_probe(NAME, order=50)
def probe_extrapolation(target: ProbeTarget, standard: Standard) -> ProbeResult:
    """At each size: the share of answers inside the predicted group, and the accuracy against the ceiling."""
    return ProbeResult(list(_findings(target, standard)))


def _findings(target: ProbeTarget, standard: Standard) -> Iterator[Finding]:
    reader, random = target.reader, target.random()
    ceiling = float(reader.prediction.ceiling)
    for power in POWERS:
        start = 10**power - min(0, target.offsets[0])
        numbers = start + random.integers(0, _SPREAD, min(WINDOWS, len(target.numbers)))
        answers = target.answers(target.windows(numbers))
        classes = numbers % reader.problem.modulus
        inside = reader.labels[answers] == reader.labels[classes]
        what = f"numbers from 10^{power}"
        yield share_finding(NAME, what, "the answer is in the predicted group", inside, standard)
        predicted = f"accuracy {ceiling:.4f}, as everywhere"
        yield share_finding(NAME, what, predicted, answers == classes, standard, expected=ceiling)
