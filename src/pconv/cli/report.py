"""`pconv report`: one page to explore the theory and the runs of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write.", metavar="FILE.html")
    ] = Path("report.html"),
) -> None:
    """Write one interactive page that needs no server: what the theories say for every m and B."""
    from pconv.report.files import check_output

    check_output(output, (".html", ".htm"))
    from pconv.report.page import write_page

    write_page(output)
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB")
