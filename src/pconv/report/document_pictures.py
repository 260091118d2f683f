"""The pictures of the results document: those that show at least one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from pconv._atomic import make_directory
from pconv.config import PRESETS, RunConfig
from pconv.errors import InputError
from pconv.report.figures.confusions import confusion_cells, confusions_figure, draw_confusions
from pconv.report.figures.losses import draw_losses, paper_losses
from pconv.report.figures.scatter import draw_scatter, scatter_figure
from pconv.report.figures.style import save
from pconv.store.run import RunSource
from pconv.studies.catalog import study
from pconv.studies.paper import MAIN_TABLES, SIZES, printed, table_names

DPI = 150
"""Sharp on a page, in a file of about 100 kB."""


@dataclass(frozen=True)
class Picture:
    """A picture of the document: its subject, its file and how it is made from the runs."""

    subject: str  # scatter, confusions or losses
    preset: str
    name: str  # of the file, without its ending
    description: str
    make: Callable[[RunSource], Any]
    draw: Callable[[Any], Figure]

    def markdown(self, images: str) -> str:
        """The reference to the file in a directory of images."""
        return f"![{self.description}]({images}/{self.name}.png)"


def pictures(source: RunSource) -> list[Picture]:
    """The pictures of the document, the paper's size first, without those that would show no run."""
    return [
        picture
        for preset in SIZES
        for picture, configs in _possible(preset)
        if any(source.run(config.run_id) for config in configs)
    ]


def write_pictures(source: RunSource, directory: Path) -> int:
    """Draw the pictures of the document into a directory, which is made if it does not exist.

    Parameters
    ----------
    source
        A store or a directory of results.
    directory
        Where the files go.

    Returns
    -------
    The number of pictures.
    """
    try:
        make_directory(directory)
    except OSError as error:
        raise InputError("images", directory, f"cannot be made ({error.strerror or error})") from None
    found = pictures(source)
    for picture in found:
        record = picture.make(source)
        save(partial(picture.draw, record), directory / f"{picture.name}.png", DPI)
    return len(found)


def _possible(preset: str) -> Iterable[tuple[Picture, list[RunConfig]]]:
    """All pictures at a preset, each with the runs that it shows."""
    size = f"at N = {PRESETS[preset]['primes']:,}"
    compared = [figure for table in table_names() for figure in printed(table, preset)]
    yield (
        Picture(
            "scatter",
            preset,
            f"scatter-{preset}",
            f"Our accuracies against the paper's {size}, with the ceilings",
            partial(scatter_figure, preset=preset),
            draw_scatter,
        ),
        [figure.config for figure in compared if figure.accuracy is not None],
    )
    for table in MAIN_TABLES:
        yield (
            Picture(
                "confusions",
                preset,
                f"confusions-{table}-{preset}",
                f"The paper's confusion matrices, {table.replace('-', ' ')}, {size}",
                partial(confusions_figure, preset=preset, table=table),
                draw_confusions,
            ),
            [cell.config for cell in confusion_cells(preset, table)],
        )
    yield (
        Picture(
            "losses",
            preset,
            f"losses-{preset}",
            f"The paper's loss figure {size}, with the loss floor",
            partial(paper_losses, preset=preset),
            draw_losses,
        ),
        study("losses", preset).configs(),
    )
