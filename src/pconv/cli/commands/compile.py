"""`pconv compile`: a network written from the theory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pconv._json import strict_json
from pconv._text import pluralize
from pconv.cli.options import AsJson, Modulus, Offsets, Successors, config_option
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line
from pconv.config import RunConfig

if TYPE_CHECKING:
    from pconv.compiler.network import CompiledModel


@command(55, name="compile")
def compile_weights(
    modulus: Modulus,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The weights, as of train --save.", metavar="FILE")
    ],
    successors: Successors = None,
    offsets: Offsets = None,
    kernel: Annotated[
        int | None, config_option("kernel", help="Kernel size; the smallest that suffices if not given.")
    ] = None,
    primes: Annotated[
        int | None, config_option("primes", help="Columns; the fewest with all primes of m if not given.")
    ] = None,
    channels: Annotated[
        int | None, config_option("channels", help="Channels; as many as are needed if not given.")
    ] = None,
    architecture: Annotated[
        str, config_option("architecture", help="The network: pconv or mlp.")
    ] = RunConfig.architecture,
    as_json: AsJson = False,
) -> None:
    """Write the weights of a network that reads the signature: computed from the theory, without training.

    On all numbers with windows up to 2^63 - 1 it attains the ceiling and answers no class outside the group.
    """
    from pconv._atomic import WEIGHTS_ENDINGS, check_output
    from pconv.cli.views.progress import status
    from pconv.compiler.network import compile_network
    from pconv.config_args import parse_window

    check_output(output, WEIGHTS_ENDINGS)
    with status(f"compiling {output}"):
        model = compile_network(
            modulus,
            parse_window(successors, offsets),
            primes=primes,
            kernel=kernel,
            channels=channels,
            architecture=architecture,
        )
        model.save(output)
    document = _document(model, output)
    if as_json:
        print(strict_json(document))
    else:
        _show(document)


def _document(model: CompiledModel, output: Path) -> dict[str, Any]:
    circuit, config = model.circuit, model.config
    return {
        "path": str(output),
        "bytes": output.stat().st_size,
        "config": config.to_dict(),
        "groups": circuit.groups,
        "thresholds": len(circuit.steps),
        "hidden_units": len(circuit.units),
        "circuit": list(circuit.lines()),
    }


def _show(document: dict[str, Any]) -> None:
    config = RunConfig.from_dict(document["config"])
    size = f"{document['bytes'] / 1e6:.1f} MB"
    shape = [config.architecture]
    if config.convolves:
        shape += [f"kernel {config.kernel[0]}", pluralize(config.channels[0], "channel")]
    shape += [pluralize(config.primes, "column"), pluralize(document["thresholds"], "threshold")]
    units = pluralize(document["hidden_units"], "hidden unit")
    print_line(f"{document['path']} ({size}): {', '.join(shape)} in {units}.")
    print(
        f"It identifies {pluralize(document['groups'], 'group')} of {config.modulus} classes, as many as the "
        "theory allows, on every number whose window is from 1 to 2^63 - 1."
    )
