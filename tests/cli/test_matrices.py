"""Matrices and maps in the terminal."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pconv.cli.views.picture import draw_matrix
from pconv.cli.views.probe import _picture
from pconv.cli.views.run import _groups_in_words
from pconv.data.primes import first_primes
from pconv.probes.heatmap import HeatMap
from pconv.theory import predict


@pytest.mark.parametrize(("room", "columns"), [(80, 32), (100, 32), (80, 60), (80, 8)])
def test_a_map_fits_into_the_terminal(room: int, columns: int) -> None:
    names = tuple(map(str, first_primes(columns)))
    heat = HeatMap("map", ("n", "n+1", "n+24"), names, np.full((3, columns), 0.5))
    lines = _picture(heat, room).plain.splitlines()
    assert max(map(len, lines)) <= room
    title, *header = lines[:-4]  # three rows and the scale follow
    assert title == "map"
    stacked = zip(*(line[5:] for line in header), strict=True)
    read = "".join("".join(column) for column in stacked) if len(header) > 1 else header[0]
    assert re.sub(r"\s", "", read) == "".join(names)


def test_dots_are_empty_cells_and_colons_few_answers() -> None:
    shown = draw_matrix(((1000, 0, 0), (5, 995, 0), (0, 500, 500)), "some numbers").plain.splitlines()
    assert "dots: empty, colons: up to 1%" in shown[1]
    assert shown[2:] == ["0 ██ · ·", "1  :██ ·", "2  ·▓▓▓▓"]


def test_groups_are_counted_as_in_the_theory() -> None:
    prediction = predict(11, range(9))  # mixes 1 and 2
    confusion = tuple(tuple(50 * bool(cell) for cell in row) for row in prediction.pattern.tolist())
    shown = _groups_in_words(confusion)
    assert shown == f"The 11 classes form {prediction.distinguishable} groups. Mixed: {{1, 2}}.\n"
