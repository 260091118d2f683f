"""A certificate in the terminal: the statement, and the wrong grids as a table."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.table import Table

from pconv.certification.document import NetworkCertificate
from pconv.cli.defaults import DEFAULT_STORE
from pconv.cli.views.console import output_console, table_console


def show_certificate(certificate: NetworkCertificate, source: str, store: Path, quiet: bool) -> None:
    """Prints the statement and, unless quiet, the wrong grids.

    Parameters
    ----------
    certificate
        The certificate.
    source
        How the user named the network.
    store
        The store that was used.
    quiet
        The statement alone.
    """
    console = output_console()
    for sentence in certificate.sentences:
        console.print(sentence, soft_wrap=True)
    if certificate.unreached:
        console.print(certificate.unreached, soft_wrap=True)
    if quiet or not certificate.examples:
        return
    modulus = certificate.config["modulus"]
    table = Table("smallest n", f"n mod {modulus}", "answer", "classes", "integers", box=None)
    for row in certificate.rows():
        table.add_row(*row)
    for column in table.columns:
        column.justify = "right"
    table_console().print(table)
    shown = certificate.rows()
    numbers = [row[0] for row, one in zip(shown, certificate.examples, strict=False) if one.classifiable]
    if numbers:
        words = ["pconv", "classify", source, numbers[0]]
        words += [] if store == DEFAULT_STORE else ["--store", str(store)]
        console.print(f"To see one: {shlex.join(words)}", soft_wrap=True)
    too_large = sum(
        one.number is not None and not one.classifiable for one in certificate.examples[: len(shown)]
    )
    if too_large:
        console.print(f"Too large for pconv classify: {too_large} of these integers.", soft_wrap=True)
