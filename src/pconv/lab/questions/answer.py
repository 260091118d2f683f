"""What an answer is: a sentence that the runs decide, and the figures it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pconv.config import KINDS, RunConfig
from pconv.lab.source import Run

NOT_RUN = "Not run yet."
LEVEL = 0.01
"""What a family of tests may reject by mistake."""


@dataclass(frozen=True)
class Answer:
    """A question, what the runs say, and a table of the figures."""

    question: str
    sentence: str = NOT_RUN
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def p_conv(runs: Iterable[Run]) -> list[Run]:
    """The runs of the paper's network on the paper's task."""
    return [run for run in runs if all(getattr(run.config, f) == getattr(RunConfig, f) for f in KINDS)]


def groups_by(runs: Iterable[Run], *free: str) -> list[list[Run]]:
    """Runs that differ in nothing but these fields, where there are several; each sorted by them."""
    found: dict[RunConfig, list[Run]] = {}
    alike = {name: getattr(RunConfig, name) for name in free}
    for run in runs:
        found.setdefault(replace(run.config, **alike), []).append(run)
    several = (members for members in found.values() if len(members) > 1)
    return [sorted(members, key=lambda run: [getattr(run.config, f) for f in free]) for members in several]


def apart(groups: Iterable[Sequence[Run]]) -> list[float]:
    """For each group, whether its runs' test accuracies differ by more than chance: Holm over all groups."""
    from pconv.verify.statistics import chance_of_one_rate, holm  # loads scipy

    tests = [[run.result.test for run in group] for group in groups]
    return holm([chance_of_one_rate([t.correct for t in ts], [t.size for t in ts]) for ts in tests])


def name(config: RunConfig) -> str:
    """A run as a table names it; what is as the quick preset has it is left out.

    >>> name(RunConfig(modulus=17, kernel=3, seed=2))
    'm=17, B=8, k=3, seed 2'
    >>> name(RunConfig(modulus=17, architecture="mlp"))
    'm=17, B=8, mlp'
    """
    straight = config.offsets == tuple(range(config.rows))
    window = f"B={config.rows - 1}" if straight else f"offsets {_listed(config.offsets)}"
    told = [f"m={config.modulus}", window]
    if config.architecture == RunConfig.architecture:
        told.append(f"k={_listed(config.kernel)}")
    for field, letter in (("channels", "C="), ("batches", "r="), ("batch_size", "s="), ("epochs", "t=")):
        if getattr(config, field) != getattr(RunConfig, field):
            told.append(f"{letter}{_listed(getattr(config, field))}")
    if config.primes != RunConfig.primes:
        told.append(f"N={config.primes:,}")
    told += [getattr(config, field) for field in KINDS if getattr(config, field) != getattr(RunConfig, field)]
    if config.seed:
        told.append(f"seed {config.seed}")
    return ", ".join(told)


def _listed(value: int | Sequence[int]) -> str:
    return str(value) if isinstance(value, int) else ",".join(map(str, value))


def chance(pvalue: float) -> str:
    """A p-value as a table shows it.

    >>> chance(0.25), chance(0.0004), chance(1e-12)
    ('0.25', '4e-04', '< 1e-9')
    """
    if pvalue < 1e-9:
        return "< 1e-9"
    return f"{pvalue:.2f}" if pvalue >= 0.01 else f"{pvalue:.0e}"
