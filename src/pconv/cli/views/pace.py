"""A predicted pace, and a law of pace, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from pathlib import Path

from rich.table import Table
from rich.text import Text

from pconv._text import pluralize
from pconv.cli.standard_streams import print_line, print_note
from pconv.cli.views.console import output_console, table_console
from pconv.config import NO_BIAS
from pconv.config_args import as_flags
from pconv.pacing.fastest import Candidate
from pconv.pacing.features import SPREAD
from pconv.pacing.law import HeldOut, PaceLaw
from pconv.pacing.pace import Pace

LARGE = 10
"""Times the spread between windows, from which on the shift of the background is mentioned."""


def show_pace(found: Pace) -> None:
    """Prints the predicted epochs, what they mean and what they are based on; a warning outside the fit."""
    console = output_console()
    config, goal = found.config, found.goal
    console.print(
        Text.assemble(
            "Predicted: ",
            (f"{_number(found.epochs)} epochs", "bold"),
            f" until the training loss is at the floor, {found.level:.0%} interval "
            f"{_number(found.low)} to {_number(found.high)} ({config.label()}).",
        )
    )
    console.print(
        f"An epoch is {config.batches:,} steps. The floor is {goal.floor:.4f} nats, "
        f"and up to {goal.tolerance:.4f} above it count as at the floor, as in verdicts. Half of the "
        f"way down from ln m is made after {_number(found.curve.half / config.batches)} epochs."
    )
    if found.background_shift > LARGE * SPREAD:
        console.print(
            "With this seed the biases of the convolution slow it down: the first step moves all units on an "
            f"empty window by {_number(found.background_shift)}. --architecture {NO_BIAS} has none."
        )
    console.print(basis(found.law))
    if found.outside:
        print_note(f"extrapolated, outside the range of the fit: {'; '.join(found.outside)}")


def basis(law: PaceLaw) -> str:
    """What a law is based on, in a sentence."""
    based = f"Based on {pluralize(law.runs, 'run')} of {pluralize(law.cells, 'configuration')}"
    if not law.held_out:
        return f"{based}."
    test = law.held_out[0]
    return (
        f"{based}. Of {test.runs:,} runs whose configurations were left out of a fit, {test.covered:,} "
        f"({test.covered / test.runs:.0%}) were in their intervals."
    )


def show_law(law: PaceLaw, path: Path | None) -> None:
    """Prints the law as powers, and its tests on runs that were held out."""
    console = output_console()
    console.print("Excess loss: 1 / (1 + (steps / half)^sharpness)")
    for name in ("half", "sharpness"):
        console.print(f"{name} = {_powers(getattr(law.coefficients, name))}")
    low, high = (exp(q) for q in law.quantiles)
    console.print(
        f"{law.level:.0%} of the runs are between {low:.2f} and {high:.2f} times the predicted steps "
        "(cross-validation)."
    )
    console.print(basis(law))
    console.print()
    table_console().print(_tests(law.held_out))
    if path is not None:
        print_line(f"\nwritten to {path}")


def show_trainings(found: Sequence[Candidate]) -> None:
    """Prints the shortest trainings to the floor, one for each kernel, and the command of the first."""
    best = found[0]
    by_kernel: dict[int, Candidate] = {}
    for each in found:
        by_kernel.setdefault(each.config.kernel[0], each)
    table = Table("k", "N", "epochs to the floor", "interval", "seconds", box=None, header_style="bold")
    for column in table.columns:
        column.justify = "right"
    for each in by_kernel.values():
        ends = f"{_number(each.pace.low)} to {_number(each.pace.high)}"
        sizes = str(each.config.kernel[0]), str(each.config.primes)
        table.add_row(*sizes, _number(each.pace.epochs), ends, _number(each.seconds))
    console = output_console()
    console.print("\nPredicted time to the loss floor, on one core and without evaluations:")
    console.print(table)
    console.print(f"The shortest: pconv train {as_flags(best.config)}", soft_wrap=True)
    console.print(basis(best.pace.law))
    if best.pace.outside:
        print_note(f"extrapolated, outside the range of the fit: {'; '.join(best.pace.outside)}")


def _powers(coefficients: object) -> str:
    assert isinstance(coefficients, dict)
    rest = dict(coefficients)
    factors = [f"{exp(rest.pop('constant')):.3g}"]
    factors += [f"{_SIZES[name]}^{value:.2f}" for name, value in rest.items()]
    return " ".join(factors)


_SIZES = {
    "modulus": "m",
    "largest_prime": "P",
    "distinct_primes": "omega",
    "rows": "(W/9)",
    "kernel": "(k/7)",
    "background": f"(1+S/{SPREAD})",
    "beyond_kernel": "max(1, P/k)",
    "batch_size": "(s/256)",
    "learning_rate": "(rate/0.001)",
    "channels": "(C/4)",
    "layers": "e^(layers-1)",
}
"""The sizes whose powers the features stand for."""


def _tests(tests: tuple[HeldOut, ...]) -> Table:
    table = Table(
        "held out", "runs", "in the interval", "ended above the floor", "measured / predicted", box=None
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for test in tests:
        covered = f"{test.covered} ({test.covered / test.runs:.0%})"
        ratio = "" if test.ratio is None else f"{test.ratio:.2f}"
        table.add_row(test.name, str(test.runs), covered, str(test.ended_above), ratio)
    return table


def _number(value: float) -> str:
    """Two digits, or all of a larger number.

    >>> _number(0.0412), _number(3.14), _number(1234.5)
    ('0.041', '3.1', '1,234')
    """
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"
