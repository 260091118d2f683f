"""The figure of laws against the document it shows."""

from __future__ import annotations

import pytest

from pconv.errors import InputError
from pconv.report.figures.laws import draw_laws, laws_figure

LAWS = [
    {"formula": "gcd(n+o, m)", "size": 5, "explained": 9},
    {"formula": "v(n+o, p)", "size": 5, "explained": 7},
]
DOCUMENT = {
    "runs": 9,
    "tried": 100,
    "found": "gcd(n+o, m)",
    "front": [{"formula": "n", "size": 1, "explained": 3}, LAWS[0]],
    "laws": LAWS,
    "fits": [[1, 3], [5, 7], [5, 9]],
}


def test_a_point_for_each_law() -> None:
    record = laws_figure(DOCUMENT)
    assert [point.formula for point in record.rivals] == ["v(n+o, p)"]
    texts = {text.get_text() for text in draw_laws(record).axes[0].texts}
    assert texts == {"n", "gcd(n+o, m)", "v(n+o, p)"}


def test_other_documents_are_refused() -> None:
    with pytest.raises(InputError, match="is not what `pconv discover --json` prints"):
        laws_figure({"runs": 3})
    assert draw_laws(laws_figure({**DOCUMENT, "found": None})).axes[0].get_title().endswith("no law found")
