"""`pconv bench`: the engines compared, or a device compared with the CPU."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import AsJson, Quiet, flag
from pconv.cli.registry import command
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.engines.bench import Measurement

SIZES = ("quick", "paper")
DISAGREES = 3


@command(190)
def bench(
    size: Annotated[
        str, typer.Option(help="quick: N = 32 and 64; paper: N = 5,000, some minutes.", metavar="NAME")
    ] = "quick",
    check_device: Annotated[
        bool,
        flag("--check-device", help="Compare a few training steps on a device with the CPU's."),
    ] = False,
    device: Annotated[
        str | None,
        typer.Option(help="The torch device to check; the accelerator here if not given.", metavar="NAME"),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Time a training step of the plain PyTorch loop (dense), of the other engines, and of Adam alone.

    Steps are timed in alternation, and medians are compared.

    Adam alone is the floor: one fused pass that reads its gradient from memory, as any optimizer does.

    With --check-device nothing is measured: exit code 0 if the device agrees with the CPU, 3 if it does not.
    """
    if check_device:
        return _check_device(device, as_json, quiet)
    if device is not None:
        raise InputError("device", device, "needs --check-device: only the CPU is measured")
    if size not in SIZES:
        raise InputError("size", repr(size), f"must be one of: {', '.join(SIZES)}")
    from pconv.engines.bench import cases, measure
    from pconv.engines.threads import available_cores

    found = []
    for case in cases(size, available_cores()):
        if not quiet and sys.stderr.isatty():
            print(f"B={case.successors} k={case.kernel} N={case.primes} ...", file=sys.stderr)
        found.append(measure(case))
    if as_json:
        print(strict_json([one.to_dict() for one in found]))
    else:
        _show(found)


def _check_device(device: str | None, as_json: bool, quiet: bool) -> None:
    from pconv.engines.device_check import check_device, default_device

    found = check_device(default_device() if device is None else device)
    if as_json:
        print(strict_json(found.to_dict()))
    else:
        for check in found.checks if not quiet else ():
            difference = f"largest relative difference {check.difference:.1e}"
            verdict = "" if check.agrees else ": too much"
            print(f"{check.name}: {difference}, bound {check.bound:.0e}{verdict}")
        print(f"device {found.device}: {'agrees' if found.agrees else 'does not agree'} with the CPU")
    if not found.agrees:
        raise typer.Exit(DISAGREES)


def _show(found: list[Measurement]) -> None:
    from rich.table import Table

    from pconv.cli.views.console import output_console
    from pconv.engines.bench import BASELINE

    console = output_console()
    sizes = "B", "k", "N", "threads"
    chosen = found[0].engine
    others = [name for name in found[0].step_ms if name not in (BASELINE, chosen)]
    extra = [text for name in others for text in (f"{name} ms", f"{name} speedup")]
    table = Table(
        *sizes,
        f"{BASELINE} ms",
        f"{chosen} ms",
        "speedup",
        *extra,
        "floor ms",
        "over floor",
        "engine GB",
        "peak GB",
        "census share",
        box=None,
        header_style="bold",
    )
    split = Table(*sizes[:3], *found[0].split_ms, box=None, header_style="bold")
    for one in found:
        shape = str(one.successors), str(one.kernel), str(one.primes)
        times = [text for name in (chosen, *others) for text in _times(one, name)]
        floor = f"{one.floor_ms:.1f}", f"{one.over_floor:.2f}x"
        memory = ("-" if size is None else f"{size:.2f}" for size in (one.engine_gb, one.peak_gb))
        table.add_row(
            *shape,
            str(one.threads),
            f"{one.step_ms[BASELINE]:.1f}",
            *times,
            *floor,
            *memory,
            f"{one.census_share:.0%}",
        )
        split.add_row(*shape, *(f"{ms:.1f}" for ms in one.split_ms.values()))
    for column in (*table.columns, *split.columns):
        column.justify = "right"
    console.print(table)
    console.print("\ncensus share: the part of a run of ten epochs that the census of unseen numbers takes.")
    console.print(f"\nThe parts of a {chosen} step, in milliseconds:\n")
    console.print(split)
    console.print(
        "\nfloor: Adam alone on as many parameters, its gradient read from memory as in any optimizer."
    )


def _times(one: Measurement, engine: str) -> tuple[str, str]:
    return f"{one.step_ms[engine]:.1f}", f"{one.speedup_of(engine):.1f}x"
