"""The file of a law, and what it says about runs outside of its range."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.pacing.curve import Curve
from pconv.pacing.features import goal_of
from pconv.pacing.fit import runs_with_pace
from pconv.pacing.law import PaceLaw, digest, epochs_until, shipped_law
from pconv.studies.directory import read_results

CONFIG = RunConfig(modulus=13)
ROOT = Path(__file__).parents[2]


def test_a_law_survives_its_file(tmp_path: Path) -> None:
    shipped_law().save(tmp_path / "law.json")
    assert PaceLaw.read(tmp_path / "law.json") == shipped_law()


@pytest.mark.parametrize("damage", ["{", "[]", "{}", '{"coefficients": 3}', None])
def test_other_files_are_refused(tmp_path: Path, damage: str | None) -> None:
    path = tmp_path / "law.json"
    document = shipped_law().to_dict()
    document["covariance"] = document["covariance"][1:]
    path.write_text(json.dumps(document) if damage is None else damage)
    with pytest.raises(InputError, match=r"^law .*law\.json: "):
        PaceLaw.read(path)
    with pytest.raises(InputError, match="cannot be read"):
        PaceLaw.read(tmp_path / "none.json")


def test_runs_outside_the_fit_are_named() -> None:
    law = shipped_law()
    assert law.outside(CONFIG, goal_of(CONFIG)) == []
    far = replace(CONFIG, modulus=500, weight_decay=0.1, limit=10**7)
    words = " ".join(law.outside(far, goal_of(far)))
    assert all(name in words for name in ("modulus 500", "weight decay 0.1", "limit 1e+07"))
    unlike = replace(CONFIG, primes=5_000, batch_size=64, channels=(64, 128), kernel=(3,), modulus=2)
    assert law.outside(unlike, goal_of(unlike)) == ["no fitted run is near this combination"]


def test_intervals_widen_far_from_the_fit() -> None:
    law = shipped_law()
    near, far = CONFIG, replace(CONFIG, primes=60_000, learning_rate=1.0)
    ratios = []
    for config in (near, far):
        _, low, high = law.interval(config, goal_of(config))
        ratios.append(high / low)
    assert ratios[0] < ratios[1]


def test_the_shipped_law_is_tested_on_held_out_runs() -> None:
    law = shipped_law()
    assert law.held_out[0].name == "configurations chosen at random"
    assert law.held_out[0].covered >= 0.8 * law.held_out[0].runs


def test_the_shipped_law_is_fitted_to_the_published_runs() -> None:
    published = [result for name in ("results", "results/pace") for result in read_results(ROOT / name)]
    found = runs_with_pace(published)
    again = "pconv pace --fit results --fit results/pace -o src/pconv/pacing/law.json, and see docs/pace.md"
    assert shipped_law().fitted_to == digest(result.run_id for result in found), again


def test_epochs_until_a_share_are_whole_and_at_most_all() -> None:
    curve = Curve(6.0, 0.7)  # half after 403 steps, a tenth after 1,202
    assert [epochs_until(curve, CONFIG, share) for share in (0.9, 0.5, 0.1, 1e-9)] == [1, 2, 4, 10]
