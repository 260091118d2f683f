"""`pconv probe`: does a trained network work for the reason that the theory gives?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pconv._atomic import check_output
from pconv._json import strict_json
from pconv.cli.completion import PROBES, complete_probe
from pconv.cli.options import DEFAULT_STORE, AsJson, Source, StoreFile
from pconv.cli.registry import command


@command(80)
def probe(
    source: Source,
    probes: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            help=f"{', '.join(PROBES[:-1])} or {PROBES[-1]}; repeatable. All if not given.",
            metavar="NAME",
            autocompletion=complete_probe,
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="How far a share may be from its prediction.", metavar="SHARE")
    ] = 0.05,
    confidence: Annotated[
        float, typer.Option(help="The confidence of the exact bounds on a share.", metavar="SHARE")
    ] = 0.99,
    numbers: Annotated[
        int | None,
        typer.Option(help="Fresh numbers to evaluate: 20,000, or fewer on large grids.", metavar="INT"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the choice of numbers.", min=0, metavar="INT")] = 0,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the maps into a .png, .svg or .pdf.", metavar="FILE")
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Change a network's windows, look inside it, and compare with what the theory predicts."""
    from pconv.cli.views.progress import probe_progress
    from pconv.cli.weights_of import weights_of
    from pconv.models.weights import Model
    from pconv.probes.finding import Standard
    from pconv.probes.heatmap import FORMATS, draw
    from pconv.probes.suite import probe as probe_model
    from pconv.probes.suite import probe_names

    names, standard = tuple(probes or ()), Standard(tolerance, confidence)
    probe_names(names)  # before the weights are read
    if figure:
        check_output(figure, FORMATS, "figure")
    model = Model.load(weights_of(source, store))
    with probe_progress() as on_progress:
        report = probe_model(model, names, standard, numbers, seed, on_progress)
    if as_json:
        run = {"run_id": model.run_id, "modulus": model.config.modulus}
        print(strict_json({**run, **report.to_dict()}))
    else:
        from pconv.cli.views.probe import show_report

        show_report(report)
    if figure:  # last: the findings are there if it cannot be drawn
        config = model.config
        window = ",".join(map(str, config.offsets)) if config.rows <= 12 else f"{config.rows} rows"
        draw(report.maps, figure, f"m = {config.modulus}, offsets {window}, {config.primes} primes")
