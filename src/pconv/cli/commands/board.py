"""`pconv board`: attribution methods against a known truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._atomic import atomic_write, check_output
from pconv._json import strict_json
from pconv._text import pluralize
from pconv.board.metrics import SEEDS, WINDOWS
from pconv.cli.completion import complete_method
from pconv.cli.exit_codes import INVALID_INPUT
from pconv.cli.options import AsJson, Quiet, refuse_options
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line, print_note
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.board.entries import Entry
    from pconv.board.table import Board

DEFAULT_NETWORKS = Path("board-networks")


@command(85)
def board(
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            help="A file FILE.py with your own function attribute(network, grids, target), added to the "
            "others; or the name of one method, to score no others. Repeatable.",
            metavar="FILE|NAME",
            autocompletion=complete_method,
        ),
    ] = None,
    networks: Annotated[
        Path | None,
        typer.Option(
            help=f"Score on the .safetensors files here; if not given, on the board's own networks, which "
            f"are trained into {DEFAULT_NETWORKS} where they are missing.",
            metavar="DIRECTORY",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds, from 0.", metavar="INT")] = SEEDS,
    windows: Annotated[int, typer.Option(help="Windows of each network.", metavar="INT")] = WINDOWS,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the document of --json here, too.", metavar="FILE.json"),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Score nothing; write networks, inputs and masks into a new directory, for other programs.",
            metavar="DIRECTORY",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Rank attribution methods on networks whose deciding cells are known by exact search.

    A method that fails is reported in a line, and exit code 2; the others keep their results.
    """
    from pconv.board.registry import check_methods, chosen_methods
    from pconv.board.run import check_windows, run_board
    from pconv.cli.views.progress import progress

    check_windows(windows)
    if not 1 <= seeds <= 100:
        raise InputError("seeds", seeds, "must be from 1 to 100")
    if export is not None:
        unused = {"method": methods, "output": output, "json": as_json or None}
        refuse_options(unused, "is not for use with --export: nothing is scored")
        return _export(export, networks, seeds, windows, quiet)
    if output is not None:
        check_output(output, (".json",))
    chosen = chosen_methods(methods or [])
    check_methods(chosen)
    entries = _entries(networks, seeds, quiet)
    if not quiet:
        print_note(f"scoring {pluralize(len(chosen), 'method')} on {pluralize(len(entries), 'network')}")
    with progress("board", "scores", quiet) as on_progress:
        found = run_board(chosen, entries, windows, on_progress)
    _show(found, output, as_json)


def _entries(directory: Path | None, seeds: int, quiet: bool) -> list[Entry]:
    """The networks of a directory, or the board's own, trained if needed."""
    from pconv.board.default_networks import check_directory, default_entries, missing_networks
    from pconv.board.entries import read_entries
    from pconv.cli.views.progress import progress, shown_log

    if directory is not None:
        return read_entries(directory, seeds)
    check_directory(DEFAULT_NETWORKS)
    missing = missing_networks(DEFAULT_NETWORKS, seeds)
    if missing and not quiet:
        print_note(f"training {pluralize(missing, 'network')} into {DEFAULT_NETWORKS}, some seconds each")
    with shown_log(quiet), progress("networks", "training steps", quiet) as on_progress:
        return default_entries(DEFAULT_NETWORKS, seeds, on_progress)


def _export(directory: Path, networks: Path | None, seeds: int, windows: int, quiet: bool) -> None:
    from pconv.board.export import check_export, export_board
    from pconv.cli.views.progress import progress

    check_export(directory)
    entries = _entries(networks, seeds, quiet)
    if not quiet:
        print_note(f"exporting {pluralize(len(entries), 'network')} to {directory}")
    with progress("export", "networks", quiet) as on_progress:
        written = export_board(entries, windows, directory, on_progress)
    print_line(
        f"{directory}: {pluralize(written, 'network')} with twins, inputs and masks. See README.md there."
    )


def _show(found: Board, output: Path | None, as_json: bool) -> None:
    """Prints and writes the board; exit code 2 if a method failed."""
    document = found.to_dict()
    if output is not None:
        with atomic_write(output, "output") as draft:
            Path(draft).write_text(strict_json(document) + "\n", "utf-8")
    if as_json:
        print(strict_json(document))
    else:
        from pconv.cli.views.board import show_board

        show_board(document)
    for name, reason in found.failed.items():
        print_note(f"the method {name} failed: {reason}")
    if found.failed:
        raise typer.Exit(INVALID_INPUT)
