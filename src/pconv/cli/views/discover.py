"""What a search for laws found, in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.table import Table

from pconv._text import pluralize
from pconv.cli.views.console import bold, output_console
from pconv.discover.derived import Derived
from pconv.discover.description import FOUND
from pconv.discover.formula import claim
from pconv.discover.report import Report
from pconv.discover.scoring import Law

_LISTED = 8  # runs that are listed by name


def show_report(report: Report) -> None:
    """Prints the law, the front of laws, its rivals, the numbers that follow, and what was set aside."""
    console = output_console()
    console.print(bold(_headline(report)))
    console.print(_evidence(report))
    if report.discovery and report.other_forms:
        console.print(f"The same: {'; '.join(map(str, report.other_forms[:4]))}.")
    console.print()
    console.print(_table(report, _listed(report)))
    if report.discovery:
        console.print()
        for sentence in _sentences(report):
            console.print(sentence)
    _show_exceptions(report)


def _headline(report: Report) -> str:
    law = report.laws[0]
    if report.discovery is None:
        return f"The formula {law.formula}: {claim(law.formula)}"
    if report.found is None:
        return "No law was found."
    return f"The law: {claim(law.formula)}"


def _evidence(report: Report) -> str:
    law, runs = report.laws[0], len(report.sample.observations)
    saved = f"{law.saved:,.1f} of {report.bits:,.1f} bits"
    if report.discovery is None:
        return f"It explains {law.count} of {pluralize(runs, 'run')} and saves {saved}."
    tried = f"{report.discovery.tried:,} laws were tried"
    if report.found is None:
        return (
            f"{tried} on {pluralize(runs, 'run')}; the best saves {saved}, and {FOUND:.0f} are needed to "
            "exclude an accident."
        )
    return (
        f"It explains {law.count} of {pluralize(runs, 'run')} and saves {saved}; {tried}. With "
        f"{report.discovery.randomized} some law would save as much with a probability of at most "
        f"2^-{law.saved:.0f}."
    )


def _listed(report: Report) -> list[tuple[str, Law]]:
    """The front by size, then the rivals that are not on it."""
    if report.discovery is None:
        return [("", law) for law in report.laws]
    front = report.discovery.front
    shown = {str(law.formula) for law in front}
    rivals = (law for law in report.laws if str(law.formula) not in shown)
    return [*(("front", law) for law in front), *(("rival", law) for law in rivals)]


def _table(report: Report, laws: Iterable[tuple[str, Law]]) -> Table:
    table = Table("", "law", "symbols", "runs explained", "bits saved", box=None, header_style="bold")
    for column in table.columns[2:]:
        column.justify = "right"
    runs = len(report.sample.observations)
    for kind, law in laws:
        table.add_row(kind, str(law.formula), str(law.size), f"{law.count} of {runs}", f"{law.saved:,.1f}")
    return table


def _sentences(report: Report) -> list[str]:
    assert report.discovery
    half, explained, of = report.discovery.held_out()
    found = [
        f"Half of the runs, chosen at random, have {half.formula} as their first law; it explains "
        f"{explained} of the other {of}."
    ]
    if report.counts:
        found.append(_counts(report))
    found += [
        f"{name}: {_differences(values)}."
        for name, values in (
            (
                "Accuracy minus the sum over groups of the largest class share",
                report.accuracy,
            ),
            ("Held-out loss minus H(class given group), nats", report.loss),
        )
        if values.observed
    ]
    if controls := report.discovery.controls:
        above = sum(saved >= FOUND for saved in controls)
        found.append(
            f"{pluralize(len(controls), 'control')} with {report.discovery.randomized}: a law is found in "
            f"{above}; the most bits saved are {max(controls):,.1f}."
        )
    return found


def _counts(report: Report) -> str:
    best, *others = report.counts
    steps = ", i from 0 to a," if "_i(" in str(best.formula) else ""
    next_best = f"; the next, {others[0].formula}, {others[0].count}" if others else ""
    return (
        f"Number of groups modulo p^a with W consecutive rows: {best.formula}{steps} explains "
        f"{best.count} of {pluralize(len(report.count_runs), 'run')}{next_best}."
    )


def _differences(values: Derived) -> str:
    found = values.to_dict()
    return (
        f"median {found['median']:+.4f}, from {found['low']:+.4f} to {found['high']:+.4f} over "
        f"{pluralize(found['runs'], 'run')} with mixed classes"
    )


def _show_exceptions(report: Report) -> None:
    console = output_console()
    names = {each.run_id: each.label for each in report.sample.observations}
    exceptions = [f"{run_id} ({names[run_id]})" for run_id in report.exceptions(report.laws[0])]
    if exceptions and (report.discovery is None or report.found):
        console.print(f"\nNot explained: {_abbreviated(exceptions)}.")
    aside = report.sample.set_aside
    if aside:
        console.print(f"\nSet aside, whatever they show: {pluralize(len(aside), 'run')}.")
        reasons = Counter(each.reason.partition(":")[0] for each in aside)
        for each in aside[:_LISTED]:
            console.print(f"  {each.run_id} ({each.label}): {each.reason}")
        if len(aside) > _LISTED:
            console.print(f"  all: {', '.join(f'{count} {reason}' for reason, count in reasons.items())}")


def _abbreviated(items: Sequence[str]) -> str:
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return ", ".join(items[:_LISTED]) + more
