"""The crucial list, windows, boundaries and numbers past the domain."""

from __future__ import annotations

import pytest

from pconv.config import RunConfig
from pconv.probes.finding import Finding, Standard
from pconv.probes.report import ProbeReport
from pconv.store.run import JudgedRun
from pconv.studies.analyses.theory_tests import boundary, crucial, extrapolation, window, window_likelihood
from pconv.studies.catalog import study
from tests.report.fakes import result
from tests.studies.analyses.fake_runs import ideal, judged, knowing


def test_the_crucial_list() -> None:
    configs = study("crucial").configs()
    runs = [judged(result(config)) for config in configs[:3]]
    assert crucial(runs).sentence.startswith("3 of 3 runs of the crucial list refute the paper's pattern")
    knows = knowing(1.0, **{f: getattr(configs[0], f) for f in ("modulus", "offsets", "kernel")})
    assert crucial([*runs[1:], knows]).sentence.endswith("1 refute the signature's.")


def test_windows_and_boundaries() -> None:
    eight, nine = ideal(modulus=11, offsets=range(8)), ideal(modulus=11)
    answer = window([eight, nine])
    assert "with B rows 0 of 1, with B+1 rows 1 of 1." in answer.sentence
    ratio, cells = window_likelihood()
    assert ratio == pytest.approx(41.8, abs=0.05)
    assert cells == 22
    assert [row[-1] for row in answer.rows] == ["no", "yes"]

    at_it, before = (judged(result(config)) for config in study("boundary").configs()[:2])
    answer = boundary([at_it, before])
    assert answer.sentence == "2 runs: 2 undecided."
    assert [row[1] for row in answer.rows] == ["B=phi-1", "B=phi-2"]


def test_extrapolation_counts_what_held() -> None:
    def finding(power: int, agrees: bool | None) -> Finding:
        return Finding("extrapolation", f"numbers from 10^{power}", "accuracy 1", "99%", agrees, 4_000)

    probe = ProbeReport(Standard(), (finding(6, True), finding(18, False), finding(18, None)), ())
    answer = extrapolation([JudgedRun(result(RunConfig(modulus=7)), {}, probe)])
    assert answer.sentence.startswith("1 of 3 predictions held, 1 failed and 1 stayed open, for 1 network on")
    assert answer.sentence.endswith("on numbers of 2 sizes.")
    assert [row[1] for row in answer.rows] == ["numbers from 10^6", "numbers from 10^18"]
