"""`pconv discover`, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pconv.cli.laboratory import conclusion
from pconv.config import RunConfig
from pconv.discover.evaluation import WindowCase
from pconv.discover.hypotheses import Hypotheses
from pconv.discover.observation import Observation, observe
from pconv.discover.parser import parse
from pconv.discover.simulation import simulated
from pconv.result import RunResult
from pconv.store.sqlite import Store
from pconv.studies.directory import ResultsDirectory, add_results
from tests.cli.conftest import Run, installed
from tests.discover import plain


def reader(config: RunConfig) -> RunResult:
    """The run of a network that reads gcd(n+o, m) perfectly."""
    return simulated(config, plain.groups(parse("gcd(n+o, m)"), config.modulus, config.offsets), 800)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of results, with one run that has not learned."""
    results = [
        reader(RunConfig(modulus=m, offsets=tuple(range(rows)))) for m in range(6, 13) for rows in (2, 3)
    ]
    results.append(simulated(RunConfig(modulus=5), [0] * 5))
    directory = tmp_path_factory.mktemp("results")
    add_results(directory, ResultsDirectory({each.run_id: each for each in results}, {}))
    return directory


def test_the_law_is_found_as_text_and_as_json(pconv: Run, runs: Path) -> None:
    done = pconv("discover", "--from", runs, "--max-size", 5, "--shuffles", 1, "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert (document["found"], document["runs"]) == ("gcd(n+o, m)", 14)
    assert document["laws"][0] | {"saved": 0} == {
        "formula": "gcd(n+o, m)",
        "size": 5,
        "explained": 14,
        "of": 14,
        "exceptions": [],
        "saved": 0,
    }
    assert [each["reason"] for each in document["set_aside"]] == [
        "not learned: loss 1.609, and all classes look mixed"
    ]
    assert document["shuffles"][0] < 20
    Path("found.json").write_text(done.stdout)
    assert pconv("figure", "laws", "found.json", "-o", "laws.svg").returncode == 0
    drawn = Path("laws.svg").read_text()
    assert "gcd(n+o, m)" in drawn


def test_a_formula_of_ones_own(pconv: Run, runs: Path) -> None:
    done = pconv("discover", "--from", runs, "--formula", "n % rad(m)")
    assert (done.returncode, done.stderr) == (0, "")
    assert "classes are mixed iff n % rad(m) is the same" in done.stdout
    assert "Not explained:" in done.stdout
    assert "Set aside, whatever they show: 1 run." in done.stdout


def test_the_law_becomes_a_theory(pconv: Run, runs: Path, tmp_path: Path) -> None:
    done = pconv("discover", "--from", runs, "--formula", "gcd(n+o, m)", "--register", "found")
    assert done.returncode == 0, done.stderr
    code = (tmp_path / "found/found.py").read_text()
    with installed(tmp_path / "site", "found", code, {"pconv.theories": "found"}):
        document = json.loads(pconv("theory", "-m", 16, "-B", 2, "--json").stdout)
    assert document["rivals"]["found"]["groups"] == document["groups"]
    again = pconv("discover", "--from", runs, "--formula", "n", "--register", "found")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--formula", "gcd(n+o m)"], "--formula gcd(n+o m): expected , at position 9"),
        (["--budget", "30m"], "--budget 30m: belongs to --experiments"),
        (["--seed", "1"], "--seed 1: belongs to --experiments"),
        (["--experiments", "2", "--seed", "-1"], "--seed -1: "),
        (["--experiments", "2", "--budget", "soon"], "--budget soon: must be a time"),
        (["--experiments", "2", "--formula", "n"], "--experiments 2: trains new runs"),
        (["--experiments", "0"], "--experiments 0: must be at least 1"),
        (["--representation", "binary"], "--representation binary: no run has it; there are: exponents"),
        (["--task", "primality"], "--task primality: its labels are no function of n mod m"),
        (["--experiments", "2", "--task", "omega"], "--task omega: its labels are no function of n mod m"),
        (["--max-size", "9"], "--max-size 9: must be from 1 to 7"),
        (["--shuffles", "-1"], "--shuffles -1: must be from 0 to 1000"),
        (["--register", "signature"], "--register signature: is the name of a theory already"),
    ],
)
def test_bad_input_is_one_line(pconv: Run, runs: Path, arguments: list[str], message: str) -> None:
    source = [] if "--experiments" in arguments else ["--from", runs]
    done = pconv("discover", *source, *arguments, "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"pconv: {message}")
    assert done.stderr.count("\n") == 1


def test_a_store_without_runs(pconv: Run, tmp_path: Path) -> None:
    Store.open(tmp_path / "pconv.db").close()
    done = pconv("discover", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "pconv: there is no finished run to explain\n"


def test_the_notebook_of_experiments(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks are simulated; training, progress and Ctrl-C are those of `pconv train`."""
    monkeypatch.setattr("pconv.cli.one_run.train_in_terminal", lambda config, *_: (reader(config), None))
    monkeypatch.setattr("pconv.discover.laboratory.MODULI", range(9, 13))
    done = pconv("discover", "--experiments", 9, "--max-size", 5, "--quiet")
    assert done.returncode == 0, done.stderr
    for text in ("Experiment 1: m=", "Why: the hypotheses give", "Seen: ", "Fell: ", "Left: "):
        assert text in done.stdout
    assert done.stdout.endswith("The law: classes are mixed iff gcd(n+o, m) is the same in every row n+o.\n")
    few = json.loads(pconv("discover", "--experiments", 1, "--max-size", 3, "--quiet", "--json").stdout)
    assert few["left"] == few["experiments"][0]["left"]
    assert len(few["experiments"]) == 1


def test_hypotheses_that_no_experiment_can_tell_apart_end_it() -> None:
    hypotheses = Hypotheses([WindowCase(7, (0, 1))], 3, task="divisibility")
    assert "goes on from here" in conclusion(hypotheses, None)
    seen = observe(simulated(RunConfig(modulus=7, offsets=(0, 1), task="divisibility"), [0, 1]))
    assert isinstance(seen, Observation)
    hypotheses.eliminate(seen)
    assert conclusion(hypotheses, None).endswith("which predict the same for every possible experiment.")
