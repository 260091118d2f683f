"""`pconv convert`: a trained network as a file that runs without pconv."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pconv._json import strict_json
from pconv.cli.options import DEFAULT_STORE, AsJson, Source, StoreFile
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line


@command(90)
def convert(
    source: Source,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A torch program (.pt2) or ONNX (.onnx).", metavar="FILE"),
    ],
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
) -> None:
    """Write a trained network as a file that runs without pconv, and check its answers."""
    from pconv.cli.weights_of import weights_of
    from pconv.models.export import convert, format_of
    from pconv.models.weights import Model

    format_of(output)  # an invalid name is reported before anything is loaded
    model = Model.load(weights_of(source, store))
    written = convert(model, output)
    size = output.stat().st_size
    if as_json:
        document = {**written._asdict(), "path": str(output), "bytes": size}
        print(strict_json({"run_id": model.run_id, **document}))
        return
    print_line(
        f"{output} ({size / 1e6:.1f} MB) takes grids of shape (batch, {written.rows}, {written.columns})."
    )
    print(
        f"Checked on {written.numbers} numbers not trained on: "
        f"its logits differ from the network's by at most {written.difference:.1g}."
    )
