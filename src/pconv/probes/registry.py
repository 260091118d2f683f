"""The registry of probes: what each does, and whether it reads the network's layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pconv.errors import PconvError
from pconv.probes.finding import Finding, Standard
from pconv.probes.heatmap import HeatMap
from pconv.probes.target import ProbeTarget
from pconv.registry import Registry, import_modules


class ProbeResult(NamedTuple):
    """What one probe found, and the maps it drew of the window."""

    findings: Sequence[Finding]
    maps: Sequence[HeatMap] = ()


class ProbeUnavailable(PconvError):
    """A package that the probe needs is not installed."""


Run = Callable[[ProbeTarget, Standard], ProbeResult]


@dataclass(frozen=True)
class Probe:
    """A probe by name.

    Parameters
    ----------
    name
        Its name in `pconv probe --probe NAME`, and in its findings.
    run
        From a target and the standard of judgement to findings and maps.
    reads_layers
        Whether it needs the layers of p-Conv; other probes need only a network's answers.
    order
        Its place in a report; probes of one place are sorted by name.
    """

    name: str
    run: Run
    reads_layers: bool = False
    order: int = 100

    def __call__(self, target: ProbeTarget, standard: Standard) -> ProbeResult:
        return self.run(target, standard)


PROBES = Registry("probe", Probe, "pconv.probes")
"""The probes registered so far; use `probes()` to have those that ship among them."""


def register_probe(name: str, *, reads_layers: bool = False, order: int = 100) -> Callable[[Run], Probe]:
    """Decorator that adds a probe, given as its function from a target and a standard to a `ProbeResult`.

    Parameters
    ----------
    name, reads_layers, order
        As in `Probe`.

    Examples
    --------
    >>> @register_probe("repeated")
    ... def repeated(target, standard):
    ...     grids = target.grids(500)
    ...     same = target.answers(grids) == target.answers(grids)
    ...     return ProbeResult(
    ...         [share_finding("repeated", "answer twice", "the same answer", same, standard)]
    ...     )
    >>> repeated.name in probes()
    True
    """

    def register(run: Run) -> Probe:
        return PROBES.add(Probe(name, run, reads_layers, order))

    return register


def probes() -> dict[str, Probe]:
    """All probes in the order of a report: of this package, added by a program, of installed packages."""
    import_modules(__name__.rpartition(".")[0])
    return dict(sorted(PROBES.items(), key=lambda item: (item[1].order, item[0])))
