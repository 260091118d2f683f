"""Run notebooks from top to bottom and keep what they show. `make notebooks` runs all of them in place.

    python notebooks/run.py [--into DIRECTORY] [NOTEBOOK ...]

Each runs in an empty directory of its own; what it leaves there is an error, as is a cell that fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LARGEST = 300_000
"""Bytes: notebooks are read on pages that show no more."""


def run(path: Path, target: Path) -> None:
    """Execute the notebook and write it, with its outputs and without traces of when and where."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as empty:
        NotebookClient(
            notebook,
            timeout=300,
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": empty}},
        ).execute()
        left = sorted(os.listdir(empty))
    if left:
        sys.exit(f"{path} leaves files behind: {', '.join(left)}")
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02d}"  # stable, so that a change shows where it is
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            if {"text/html", "image/png"} & shown.keys():
                shown.pop("text/plain", None)  # the same once more, and long
    text = nbformat.writes(notebook) + "\n"
    if len(text) > LARGEST:
        sys.exit(f"{path} has {len(text):,} bytes with its outputs; at most {LARGEST:,}")
    target.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("notebooks", nargs="*", type=Path, help="all in this directory, if none is named")
    parser.add_argument("--into", type=Path, help="write there and leave the notebooks as they are")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:  # no history, no connection files in the user's home
        os.environ.update(IPYTHONDIR=own, JUPYTER_RUNTIME_DIR=own, JUPYTER_PLATFORM_DIRS="1")
        for path in asked.notebooks or sorted(HERE.glob("*.ipynb")):
            run(path, (asked.into or path.parent) / path.name)
            print(path)


if __name__ == "__main__":
    main()
