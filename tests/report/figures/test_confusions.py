"""The paper's confusion matrices in one picture."""

from __future__ import annotations

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.report.figures.confusions import PIXELS, confusion_cells, confusions_figure, draw_confusions
from pconv.studies.directory import ResultsDirectory
from tests.report.fakes import result

MADE = result(RunConfig(modulus=22), census=50_000)
SOURCE = ResultsDirectory({MADE.run_id: MADE}, {})


def test_the_groups_are_the_papers() -> None:
    groups = [
        [cell.config.modulus for cell in confusion_cells("quick", table)]
        for table in ("prime-moduli", "prime-power-moduli", "splitting-moduli")
    ]
    assert groups == [[23, 11, 13, 19, 19, 29, 29, 29], [25, 25, 27, 27], [22, 26]]
    assert len(confusion_cells("paper")) == 14
    with pytest.raises(InputError, match="table 'primes': must be one of: prime-moduli"):
        confusion_cells("quick", "primes")


def test_a_matrix_without_a_run_is_an_empty_panel() -> None:
    record = confusions_figure(SOURCE, "quick", "splitting-moduli")
    first, second = record.panels
    assert first.title == "$m=22$, $B=8$, $k=7$"
    assert first.caption.endswith("on all unseen numbers, ceiling 0.911")
    assert (second.matrix, second.caption) == (None, "ceiling 0.774")
    figure = draw_confusions(record)
    drawn, empty = figure.axes
    [image] = drawn.images
    pixels = np.asarray(image.get_array())[::PIXELS, ::PIXELS]
    assert pixels.shape == (22, 22, 3)
    assert pixels[0, 1].tolist() == [1, 1, 1], "class 0 is never named otherwise"
    assert not empty.images
    assert "not computed yet" in [text.get_text() for text in empty.texts]


def test_all_fourteen_in_one_picture() -> None:
    figure = draw_confusions(confusions_figure(SOURCE, "quick"))
    assert sum("m=" in axes.get_title() for axes in figure.axes) == 14
