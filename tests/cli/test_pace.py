"""`pconv pace` and `pconv design --time`, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pconv.studies.directory import ResultsDirectory, add_results
from tests.cli.conftest import Run
from tests.pacing.fakes import paced


def test_pace(pconv: Run) -> None:
    done = pconv("pace", "-m", 23, "-B", 16, "-k", 7, "-N", 5000)
    words = " ".join(done.stdout.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert words.startswith("Predicted: ")
    assert "90% interval" in words
    assert "whose configurations were left out of a fit" in words
    document = json.loads(pconv("pace", "-m", 23, "-B", 16, "-k", 7, "-N", 5000, "--json").stdout)
    assert document["low"] < document["epochs"] < document["high"]
    assert (document["level"], document["outside"], document["config"]["primes"]) == (0.9, [], 5000)


def test_biases_that_make_a_plateau_are_named(pconv: Run) -> None:
    """By the seed: the biases of seed 0 are mostly positive, those of seed 3 are not."""
    run = ("pace", "-m", 17, "-B", 16, "-k", 3, "-N", 5000)
    slow, fast = (pconv(*run, "--seed", seed) for seed in (0, 3))
    assert "the first step moves all units on an empty window by 12. " in " ".join(slow.stdout.split())
    assert "bias" not in fast.stdout
    slow, fast = (json.loads(pconv(*run, "--seed", seed, "--json").stdout) for seed in (0, 3))
    assert slow["background_shift"] > 40 * fast["background_shift"]
    assert slow["epochs"] > 2 * fast["epochs"]


def test_extrapolation_is_one_line(pconv: Run) -> None:
    done = pconv("pace", "-m", 500)
    assert done.returncode == 0
    assert done.stderr.startswith("pconv: extrapolated, outside the range of the fit: modulus 500 (fitted: ")
    assert done.stderr.count("\n") == 1


def test_a_law_of_your_own(pconv: Run, tmp_path: Path) -> None:
    results = {result.run_id: result for result in paced(50)}
    add_results(tmp_path / "mine", ResultsDirectory(results, {}))
    made = pconv("pace", "--fit", tmp_path / "mine", "-o", "law.json")
    assert made.returncode == 0
    assert "Based on 50 runs of " in made.stdout
    assert "configurations chosen at random" in " ".join(made.stdout.split())
    mine = json.loads(pconv("pace", "-m", 12, "--law", "law.json", "--json").stdout)
    assert mine["runs"] == 50
    assert mine["half_steps"] == pytest.approx(2.718281828**2 * (12 * 3) ** 0.5, rel=0.1)
    assert pconv("figure", "pace", "--from", tmp_path / "mine", "-o", "pace.svg").returncode == 0
    assert Path("pace.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("pace", "--modulus (missing)"),
        ("pace -m 7 --architecture mlp", "--architecture mlp: no pace law for this architecture"),
        ("pace -m 7 --task omega", "--task omega: no pace law for this task"),
        ("pace -m 7 -N 2", "--modulus 7: no pace"),
        ("pace -m 7 --law nowhere.json", "--law nowhere.json"),
        ("pace -m 7 -o law.json", "--output law.json: belongs to --fit"),
        ("pace -m 7 --fit nowhere", "--fit nowhere: makes a law"),
        ("pace --fit nowhere", "nowhere"),
        ("design -m 25 --offsets 0:5 --time", "--modulus 25: --time needs"),
        ("design -m 4099 --time", "--modulus 4099"),
    ],
)
def test_bad_input_gets_one_line(pconv: Run, arguments: str, named: str) -> None:
    done = pconv(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert named in done.stderr


def test_design_by_time(pconv: Run) -> None:
    document = json.loads(pconv("design", "-m", 25, "--time", "--json").stdout)
    first, *others = document["trainings"]
    assert document["successors"] == 19
    assert all(first["seconds"] <= other["seconds"] for other in others)
    assert first["command"].startswith("pconv train -m 25 -B 19 -k ")
    shown = pconv("design", "-m", 25, "--time").stdout
    assert f"The shortest: {first['command']}\n" in shown
    assert "trainings" not in json.loads(pconv("design", "-m", 25, "--json").stdout)
    assert pconv("design", "-m", 2, "--time").returncode == 0, "a network has at least two rows"
