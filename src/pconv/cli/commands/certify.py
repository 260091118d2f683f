"""`pconv certify`: how often a network is right among all positive integers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pconv._json import strict_json
from pconv.cli.interrupts import Interrupted
from pconv.cli.options import DEFAULT_STORE, AsJson, Quiet, Source, StoreFile, refuse_options
from pconv.cli.registry import command
from pconv.cli.standard_streams import print_line


def _option(metavar: str, help: str) -> Any:
    """An option that is None where it is not given: with --check none of them may be."""
    return typer.Option(metavar=metavar, help=help)


@command(75)
def certify(
    source: Source,
    width: Annotated[
        float | None, _option("SHARE", "The width of the interval to reach; 0.001 if not given.")
    ] = None,
    budget: Annotated[
        int | None, _option("GRIDS", "Enumerate at most so many grids, also if the width is not reached.")
    ] = None,
    samples: Annotated[
        int | None, _option("GRIDS", "Draw at least so many grids in place of an enumeration.")
    ] = None,
    confidence: Annotated[
        float | None, _option("SHARE", "The confidence of an interval from drawn grids; 0.999 if not given.")
    ] = None,
    seed: Annotated[int | None, _option("INT", "The seed of the draws; 0 if not given.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the certificate here; if interrupted, the same command continues.",
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        Path | None, _option("FILE", "Check this certificate of the network, and compute no other.")
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Bound the density of a network's right answers among all positive integers.

    The bound is proved by enumerating grids if 4,000,000 of them reach the width (--budget sets another
    number). Otherwise grids are drawn, and the bound holds with a confidence.

    --check computes a certificate again with a second implementation. Exit code 2 if it does not hold.
    """
    from pconv.cli.weights_of import weights_of

    network = weights_of(source, store)
    options = {"width": width, "budget": budget, "samples": samples, "confidence": confidence, "seed": seed}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if check is not None:
        refuse_options({**given, "output": output}, "is not for use with --check: no certificate is made")
        return _check(check, network, as_json, quiet)
    from pconv.certification.certify import certify as make_certificate
    from pconv.cli.views.certificate import show_certificate
    from pconv.cli.views.progress import progress

    try:
        with progress("certify", "grids", quiet) as on_progress:
            made = make_certificate(network, output=output, on_progress=on_progress, **given)
    except KeyboardInterrupt:
        kept = "the same command goes on from here" if output else "nothing is kept without -o FILE"
        raise Interrupted(f"interrupted; {kept}") from None
    if as_json:
        print(strict_json(made.to_dict()))
    else:
        show_certificate(made, source, store, quiet)


def _check(certificate: Path, network: Path, as_json: bool, quiet: bool) -> None:
    from pconv.certification.checker.check import check_certificate
    from pconv.cli.views.progress import progress

    with progress("check", "grids", quiet) as on_progress:
        document = check_certificate(certificate, network, on_progress)
    if as_json:
        print(strict_json({"holds": True, "kind": document["kind"], "grids": document["grids"]}))
    else:
        again = f"{document['grids']:,} grids computed again, every figure is the same"
        print_line(f"{certificate} holds: {again}. Not checked: wanted_width, and the version in pconv.")
