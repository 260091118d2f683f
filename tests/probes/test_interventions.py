"""Interventions on networks of known behaviour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pconv.probes.causal import probe_causal
from pconv.probes.extrapolation import probe_extrapolation
from pconv.probes.finding import Finding, Standard
from pconv.probes.interventions import WINDOWS, interventions, probe_interventions
from pconv.probes.reader import NO_CLASS, Grids, SignatureReader
from pconv.probes.target import ProbeTarget
from tests.probes.conftest import blind, target_for

CASES = [(11, 9), (7, 9), (16, 9), (16, 3), (6, 3), (12, 5), (25, 6)]


def findings_of(target: ProbeTarget) -> list[Finding]:
    return [
        *probe_interventions(target, Standard()).findings,
        *probe_causal(target, Standard()).findings,
        *probe_extrapolation(target, Standard()).findings,
    ]


@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_an_ideal_reader_agrees_everywhere(modulus: int, rows: int) -> None:
    for finding in findings_of(target_for(modulus, rows)):
        if finding.share is None:
            assert finding.predicted.startswith("nothing"), finding
        elif finding.predicted.startswith("accuracy"):
            assert finding.agrees is not False, finding
        else:
            assert finding.share == 1, finding
            assert finding.agrees or finding.n < 110, finding  # fewer leave it open


def test_a_network_that_ignores_the_primes_of_m_disagrees() -> None:
    target = target_for(11, 9)
    target = replace(target, logits=blind(target.reader))
    findings = [finding for finding in findings_of(target) if finding.share is not None]
    assert findings
    assert not any(finding.agrees for finding in findings)


def test_a_network_that_knows_the_class_from_elsewhere_is_found_out() -> None:
    """It names the true class whatever its window shows: what must stay stays, and so does what must move."""
    target = target_for(11, 9)
    reader, truth = target.reader, target.numbers[:WINDOWS] % 11

    def knows(grids: Grids) -> Grids:
        answers = truth if len(grids) == len(truth) else np.zeros(len(grids), dtype=int)  # maps ask in pieces
        return np.eye(11, dtype=np.float32)[reader.representative(reader.labels[answers])]

    findings = probe_interventions(replace(target, logits=knows), Standard())[0]
    hidden = [f for f in findings if f.what == "hide row n+3"]
    assert [f.agrees for f in hidden] == [True, False]
    assert hidden[1].predicted == "8 become {1, 2}"
    assert hidden[1].share == 0


def test_what_hiding_predicts() -> None:
    """m = 11: hide the row of the multiple and the class looks like those without one; no class is 16's."""
    eleven = {i.what: i for i in interventions(SignatureReader(11, range(9), 32))}
    target = target_for(11, 9, columns=32)
    reader, grids = target.reader, target.grids(200)
    before = reader.read(grids)
    mixed = reader.labels[1]
    gone = reader.read(eleven["hide the column of 11"].apply(grids))
    assert (gone == mixed).all()
    row = reader.read(eleven["hide row n+8"].apply(grids))
    assert (row == np.where(before == reader.labels[3], mixed, before)).all()
    for untouched in (
        "hide one column of a prime not dividing m",
        "hide all columns but those of primes dividing m",
        "raise the exponent of another prime by 1 in one row",
    ):
        assert (reader.read(eleven[untouched].apply(grids)) == before).all()

    sixteen = {i.what: i for i in interventions(SignatureReader(16, range(9), 32))}
    target = target_for(16, 9, columns=32)
    assert (target.reader.read(sixteen["hide the column of 2"].apply(target.grids(200))) == NO_CLASS).all()


def test_interventions_change_what_they_say() -> None:
    target = target_for(11, 9, columns=32)
    grids = target.grids(300)
    for intervention in interventions(target.reader):
        difference = intervention.apply(grids) - grids
        if "by 1" in intervention.what:
            changed = np.abs(difference).reshape(len(grids), -1)
            assert set(changed.sum(axis=1)) <= {0, 1}
            assert set(np.unique(difference)) <= ({0, 1} if "raise" in intervention.what else {-1, 0})
        else:
            assert (difference <= 0).all()
        if intervention.what == "raise the exponent of 11 by 1 in one row":
            assert set(np.nonzero(difference)[2]) == {4}
            assert set(np.nonzero(difference)[1]) == set(range(9))


def test_a_window_that_tells_nothing_gets_no_causal_prediction() -> None:
    target = target_for(11, 9, columns=4)
    assert [finding.n for finding in probe_causal(target, Standard()).findings] == [0]


def test_the_maps_of_an_ideal_reader_are_the_theory() -> None:
    said, seen = probe_interventions(target_for(5, 4), Standard())[1]
    assert said.values.shape == (4, 8)
    assert said.columns[2] == "5"
    assert (said.values[:, 2] == 1).all()
    assert np.nansum(said.values) == 4
    np.testing.assert_array_equal(said.values, seen.values)
