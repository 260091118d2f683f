"""The report of probes as a document and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pconv.errors import InputError
from pconv.probes.finding import Finding, Standard
from pconv.probes.heatmap import HeatMap
from pconv.probes.report import ProbeReport

REPORT = ProbeReport(
    Standard(0.1, 0.9),
    (
        Finding("extrapolation", "numbers from 10^6", "accuracy 1", "99%", True, 4_000, 0.99, (0.98, 1.0)),
        Finding("layers", "channel 0", "-", "reads 2", None, 100),
    ),
    (HeatMap("hidden cells", ("n", "n+1"), ("2", "3"), np.array([[0, 0.25], [np.nan, 1]]), 0, 2),),
)


def test_it_is_read_back() -> None:
    document = json.loads(json.dumps(REPORT.to_dict()))
    again = ProbeReport.from_dict(document)
    assert (again.standard, again.findings) == (REPORT.standard, REPORT.findings)
    assert np.array_equal(again.maps[0].values, REPORT.maps[0].values, equal_nan=True)
    assert json.loads(json.dumps(again.to_dict())) == document
    assert again.sentence == REPORT.sentence


def test_without_a_standard_it_is_the_default() -> None:
    assert ProbeReport.from_dict({"findings": [], "maps": []}).standard == Standard()


@pytest.mark.parametrize(
    "document", [{}, {"findings": [{"odd": 1}], "maps": []}, {"findings": [], "maps": [1]}, {"findings": 1}]
)
def test_what_is_no_report_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(InputError, match="is not the report of a probe"):
        ProbeReport.from_dict(document)
