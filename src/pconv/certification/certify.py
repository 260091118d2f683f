"""From a trained network to its certificate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pconv._atomic import check_output
from pconv._json import long_numbers
from pconv._text import pluralize
from pconv.certification import document
from pconv.certification.columns import ColumnValue, PrimeColumn
from pconv.certification.document import Interval, NetworkCertificate, WrongExample
from pconv.certification.enumeration import Enumeration, Progress
from pconv.certification.groups import GridClasses, GroupTable, columns_of
from pconv.certification.intervals import bounded_mean, rounded_down, rounded_up
from pconv.certification.lengths import can_be_written, check_drawn
from pconv.certification.partial import PartialFile
from pconv.certification.plan import EnumerationPlan, grids_needed, in_order, make_plan, within_reach
from pconv.certification.rounding import RoundedNetwork
from pconv.certification.sampling import MAIN, MOST_SAMPLES, Sample, batch_size, whole_strata
from pconv.certification.tally import Tally
from pconv.certification.witness import smallest_integer
from pconv.config import RunConfig
from pconv.engines.threads import default_threads, torch_threads
from pconv.errors import InputError
from pconv.models.weights import Model

DEFAULT_WIDTH = 1e-3
DEFAULT_BUDGET = 4_000_000
DEFAULT_CONFIDENCE = 0.999
_FOR_ROUNDING = 0.1
"""The share of the width that is left for grids that rounding leaves undecided."""
_MOST_GRIDS = 10**12
_MOST_DRAWN = 10**9
FIELDS = ("modulus", "offsets", "primes", "kernel", "channels", "architecture", "representation", "task")
"""The fields of a configuration that a certificate is about."""


def certify(
    model: Model | Path | str,
    width: float = DEFAULT_WIDTH,
    budget: int | None = None,
    samples: int | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int = 0,
    output: Path | str | None = None,
    on_progress: Progress | None = None,
) -> NetworkCertificate:
    """A statement about a network's answers to all positive integers.

    It is proved by enumeration where 4,000,000 grids, or `budget`, suffice for the width. Otherwise grids are
    drawn, and it holds with a confidence.

    Parameters
    ----------
    model
        The network, or its weights file.
    width
        The width of the interval to reach.
    budget
        Enumerate at most so many grids, also if the width is not reached.
    samples
        Draw so many grids, in place of an enumeration.
    confidence
        The probability that the interval of a drawn sample contains the density.
    seed
        The seed of the draws.
    output
        A file for the certificate. An interrupted computation is continued from a file next to it.
    on_progress
        Called with the grids so far and their number.

    Examples
    --------
    >>> from pconv.models.registry import network_of
    >>> config = RunConfig(modulus=2, offsets=(0, 1), primes=2, kernel=3)
    >>> certificate = certify(Model(config, network_of(config)), width=0.01)
    >>> certificate.kind, certificate.grids, certificate.reached
    ('enumerated', 130, True)
    """
    _check(width, budget, samples, confidence, seed)
    path = None if output is None else Path(output)
    if path is not None:
        check_output(path, (".json",))
    model = model if isinstance(model, Model) else Model.load(model)
    subject = _Subject.of(model)
    task = {"width": width, "budget": budget, "samples": samples, "confidence": confidence, "seed": seed}
    with long_numbers(), torch_threads(default_threads(model.config)):
        partial = PartialFile(path, {**task, "network": subject.checksum, "config": subject.config})
        plan = None if samples is not None else _plan(subject, width, budget)
        if plan is not None:
            made = _enumerated(subject, plan, width, partial, on_progress)
        else:
            made = _sampled(subject, width, samples, confidence, seed, partial, on_progress)
        if path is not None:
            made.save(path)
            partial.remove()
    return made


def _check(width: float, budget: int | None, samples: int | None, confidence: float, seed: int) -> None:
    if not 0 < width <= 1:
        raise InputError("width", width, "must be above 0 and at most 1")
    if budget is not None and not 1 <= budget <= _MOST_GRIDS:
        raise InputError("budget", budget, f"must be from 1 to {_MOST_GRIDS}")
    if samples is not None and not 1 <= samples <= _MOST_DRAWN:
        raise InputError("samples", samples, f"must be from 1 to {_MOST_DRAWN}")
    if budget is not None and samples is not None:
        raise InputError("samples", samples, "is not for use with --budget: grids are drawn or enumerated")
    if not 0.5 < confidence < 1:
        raise InputError("confidence", confidence, "must be above 0.5 and below 1")
    if not 0 <= seed < 2**63:
        raise InputError("seed", seed, "must be from 0 to 2^63 - 1")


@dataclass(frozen=True)
class _Subject:
    """What is certified."""

    model: Model
    columns: tuple[PrimeColumn, ...]
    table: GroupTable
    network: RoundedNetwork
    checksum: str

    @classmethod
    def of(cls, model: Model) -> _Subject:
        columns = columns_of(model.config)  # first: other representations have no groups
        table = GroupTable.of(model.config)
        return cls(model, columns, table, RoundedNetwork(model), weights_checksum(model))

    @property
    def config(self) -> dict[str, Any]:
        fields = self.model.config.to_dict()
        return {name: fields[name] for name in FIELDS}

    def example(
        self, values: Sequence[ColumnValue], answer: int, share: Fraction | None, place: tuple[int, int]
    ) -> WrongExample:
        config: RunConfig = self.model.config
        primes = [column.prime for column in self.columns]
        number = smallest_integer(primes, values, max(1, 1 - config.offsets[0]))
        group = self.table.group_of[GridClasses(self.columns, config.modulus).residue(values)]
        return WrongExample(number, answer, self.table.classes(int(group)), share, place)


def weights_checksum(model: Model) -> str:
    """SHA-256 of a network's weights: name, type, shape and bytes of each tensor, by name."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.network.state_dict().items()):
        array = tensor.detach().contiguous().cpu().numpy()
        digest.update(f"{name} {array.dtype} {list(array.shape)}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()


def _plan(subject: _Subject, width: float, budget: int | None) -> EnumerationPlan | None:
    """The grids to enumerate; None where they are to be drawn."""
    columns, table = subject.columns, subject.table
    if budget is None and not within_reach(columns, table, width, DEFAULT_BUDGET):
        return None
    first = next(in_order(columns))  # with too many columns no plan is made, which would take long
    if not can_be_written(columns, table, first.exponents, budget):
        return None
    planned = width * (1 - _FOR_ROUNDING)
    plan = make_plan(columns, table, planned, budget or DEFAULT_BUDGET)
    if budget is None and not (plan.blocks and plan.open <= planned):
        return None
    if not plan.blocks and plan.following is not None:
        least = pluralize(plan.following.grids, "grid")
        raise InputError("budget", budget, f"is too small: the first block alone has {least}")
    return plan if can_be_written(columns, table, plan.highest, budget) else None


def _enumerated(
    subject: _Subject, plan: EnumerationPlan, width: float, partial: PartialFile, on_progress: Progress | None
) -> NetworkCertificate:
    enumeration = Enumeration(subject.columns, subject.table, plan)
    tally = enumeration.run(subject.network, partial, on_progress)
    total = enumeration.denominator
    examples = []
    for one in tally.heaviest:
        values = [level.values[place] for level, place in enumeration.values(one.order)]
        examples.append(subject.example(values, one.answer, Fraction(one.weight, total), one.order))
    primes = [str(column.prime) for column in subject.columns]
    details = {
        "levels": dict(zip(primes, plan.highest, strict=True)),
        "blocks": [list(block.exponents) for block in plan.blocks],
        "covered": str(plan.covered),
        "covered_ceiling": str(plan.ceiling),
        "wrong": str(Fraction(tally.wrong_weight, total)),
        "unsure": str(Fraction(tally.unsure_weight, total)),
        "shortfall": str(tally.shortfall / total),
        "doubt": str(tally.doubt / total),
        "digest": tally.digest,
    }
    right = Interval(*enumeration.interval(tally))
    return NetworkCertificate(
        kind=document.ENUMERATED,
        right=right,
        leaks=Interval(*enumeration.leaks(tally)),
        advice=_advice(subject, plan, width) if right.width > width else None,
        **_common(subject, plan.grids, tally, examples, details, width),
    )


def _advice(subject: _Subject, plan: EnumerationPlan, width: float) -> str:
    step = plan.following
    if step is None or plan.open <= width:
        return "Grids that rounding leaves undecided make the difference."
    levels = ", ".join(
        f"{column.prime}^{exponent}"
        for column, exponent in zip(subject.columns, step.block.exponents, strict=True)
        if exponent
    )
    cost = pluralize(step.block.grids, "grid")
    left = float(subject.table.ceiling - step.ceiling)
    text = f"The next level ({levels or 'no prime divides a row'}) costs {cost} and leaves {left:.3g}"
    needed = grids_needed(subject.columns, subject.table, width)
    goal = f"; {pluralize(needed, 'grid')} in all would reach {width:g}" if needed else ""
    return f"{text}{goal}. --samples gives a statement with a confidence instead."


def _sampled(
    subject: _Subject,
    width: float,
    samples: int | None,
    confidence: float,
    seed: int,
    partial: PartialFile,
    on_progress: Progress | None,
) -> NetworkCertificate:
    check_drawn(subject.columns)
    table, sample = subject.table, Sample(subject.table, subject.columns, subject.network, seed)
    if samples is None:
        size = sample.size_for(width, confidence, partial, on_progress)
    else:
        size = whole_strata(samples, table.modulus)
    tally = sample.count(size, MAIN, partial, on_progress)
    most = max(table.shortfalls, default=Fraction(1))
    lost = tally.shortfall / most, (tally.shortfall + tally.doubt) / most
    low, high = bounded_mean(float(lost[0]), float(lost[1]), size, confidence, sample.binary)
    leak = bounded_mean(tally.wrong, tally.wrong + tally.unsure, size, confidence, binary=True)
    right = Interval(
        max(Fraction(0), table.ceiling - most * rounded_up(high)), table.ceiling - most * rounded_down(low)
    )
    examples = []
    for one, grid in zip(tally.heaviest, sample.grids([one.order[1] for one in tally.heaviest]), strict=True):
        values = [column.representative(grid[:, i]) for i, column in enumerate(subject.columns)]
        examples.append(subject.example(values, one.answer, None, one.order))
    config = subject.model.config
    details = {
        "confidence": confidence,
        "seed": seed,
        "batch": batch_size(config.rows, config.primes),
        "interval": "Clopper-Pearson" if sample.binary else "Hoeffding",
        "lost": {str(share): count for share, count in sorted(tally.lost.items())},
        "open": {str(share): count for share, count in sorted(tally.open.items())},
        "digest": tally.digest,
    }
    more = "More draws (--samples) make it narrower."
    if samples is None and size >= MOST_SAMPLES:
        more = f"{size:,} draws are the most that are chosen automatically; --samples draws more."
    return NetworkCertificate(
        kind=document.SAMPLED,
        right=right,
        leaks=Interval(rounded_down(leak[0]), rounded_up(leak[1])),
        advice=more,
        **_common(subject, size, tally, examples, details, width),
    )


def _common(
    subject: _Subject,
    grids: int,
    tally: Tally,
    examples: list[WrongExample],
    details: dict[str, Any],
    width: float,
) -> dict[str, Any]:
    return {
        "network": subject.checksum,
        "config": subject.config,
        "ceiling": subject.table.ceiling,
        "grids": grids,
        "wrong_grids": tally.wrong,
        "short_grids": tally.short,
        "unsure_grids": tally.unsure,
        "whole_weights": subject.network.whole_weights,
        "examples": tuple(examples),
        "details": details,
        "wanted": width,
    }
