"""`pconv pace`: how long a training will take, said before it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pconv._json import strict_json
from pconv.cli.config_options import with_config_options
from pconv.cli.options import AsJson
from pconv.cli.registry import command
from pconv.config import RunConfig
from pconv.errors import InputError

if TYPE_CHECKING:
    from pconv.pacing.law import PaceLaw


@command(35)
@with_config_options
def pace(
    config: RunConfig | None,
    law: Annotated[
        Path | None, typer.Option(help="A law of --fit, in place of the one that ships.", metavar="FILE")
    ] = None,
    fit: Annotated[
        list[Path] | None,
        typer.Option(
            help="Fit a new law to the runs of a results directory or store; may be repeated.",
            metavar="RESULTS",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="With --fit: write the law here.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict how many epochs a training needs until its loss is at the theory's floor."""
    from pconv.cli.views.pace import show_law, show_pace

    if fit:
        if config is not None or law is not None:
            raise InputError("fit", fit[0], "makes a law: not with --modulus or --law")
        made = _fitted(fit, output)
        print(strict_json(made.to_dict())) if as_json else show_law(made, output)
        return
    if output is not None:
        raise InputError("output", output, "belongs to --fit")
    if config is None:
        raise InputError("modulus", "(missing)", "a prediction needs it, such as -m 23")
    from pconv.cli.views.progress import status
    from pconv.pacing.law import PaceLaw
    from pconv.pacing.pace import pace as predicted

    with status("computing the loss floor on the domain"):
        found = predicted(config, PaceLaw.read(law) if law else None)
    if as_json:
        print(strict_json(found.to_dict()))
    else:
        show_pace(found)


def _fitted(sources: list[Path], output: Path | None) -> PaceLaw:
    from pconv._atomic import check_output
    from pconv.cli.views.progress import status
    from pconv.pacing.holdout import tested_law
    from pconv.studies.directory import read_results

    if output is not None:
        check_output(output, (".json",))
    with status("reading the runs, fitting their curves, and testing laws on runs that are held out"):
        law = tested_law(result for source in sources for result in read_results(source))
    if output is not None:
        law.save(output)
    return law
