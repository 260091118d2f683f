"""Tasks other than the residue, as a user asks for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TINY = ("-B3", "-N8", "-k3", "-r40", "-s64", "-t2", "--test-size=500", "--limit=20000")
SMALL = ("-m11", "-B8", "--limit=20000")


def test_a_task_within_the_theory(pconv: Run) -> None:
    done = pconv("train", "-m11", *TINY, "--task=divisibility", "--json", "--save=w.safetensors")
    document = json.loads(done.stdout)
    assert document["config"]["task"] == "divisibility"
    assert len(document["test"]["confusion"]) == 2
    assert document["verdict"]["assessment"]["attained"]["ceiling"] == 1
    assert document["verdict"]["assessment"]["nothing_beyond"]["groups"] == []

    rows = json.loads(pconv("classify", "w.safetensors", 22, 23, "--json").stdout)
    assert [row["label"] for row in rows] == [1, 0]
    assert [row["residue"] for row in rows] == [0, 1]
    assert "divisibility" in pconv("classify", "w.safetensors", 22).stdout
    probed = pconv("probe", "w.safetensors")
    assert probed.returncode == 2
    assert probed.stderr == "pconv: task divisibility: the probes are made for the task residue\n"

    assert "--task divisibility" in pconv("runs").stdout
    shown = pconv("show", document["run_id"]).stdout
    assert "always the most frequent class: 0." in shown
    assert "verdict on the theory 'signature'" in shown


def test_a_task_that_is_no_function_of_residues(pconv: Run, tmp_path: Path) -> None:
    done = pconv("train", "-m2", *TINY, "--task=omega", "--json", "--save=w.safetensors")
    document = json.loads(done.stdout)
    status = document["verdict"]["status"]
    assert done.returncode == 0  # whatever the verdict: no theory was asked for
    assert document["verdict"]["theory"] == "signature"
    assert list(document["theories"]) == ["signature", "size", "any"]
    assert "verdict on the theory 'signature'" in pconv("train", "-m2", *TINY, "--task=omega").stdout
    asked = json.loads(pconv("train", "-m2", *TINY, "--task=omega", "--theory=any", "--json").stdout)
    assert asked["verdict"]["assessment"]["attained"]["ceiling"] > 0.97

    run_id = document["run_id"]
    assert f"signature {status}" in " ".join(pconv("show", run_id).stdout.split())
    assert json.loads(pconv("runs", "--json").stdout)[0]["verdict"] == status
    assert sorted(json.loads(pconv("export").stdout)["verdicts"]) == ["any", "signature", "size"]
    assert pconv("export", "-o", "runs.csv").returncode == 0
    assert "omega" in (tmp_path / "runs.csv").read_text()
    rows = json.loads(pconv("classify", "w.safetensors", 12, "--json").stdout)
    assert rows[0]["label"] == 1
    assert rows[0]["why"].startswith("Row n shows 2^2 * 3 = 12; prime factors beyond 19 are not shown.")

    assert pconv("report").returncode == 0
    assert pconv("figure", "confusion", run_id, "-o", "c.svg").returncode == 0
    (tmp_path / "run.json").write_text(done.stdout)
    assert pconv("figure", "table", "run.json", "-o", "t.tex").returncode == 0


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (("--task=cubic", "-m7"), "--task cubic: must be one of: residue, divisibility, quadratic, omega, "),
        (("--task=primality", "-m3"), "--modulus 3: must be 2 for the task primality"),
        (("--task= ", "-m3"), "--task ' ': must be a name"),
        (("--task=omega", "-m3", "--theory=none"), "--theory none: must be one of"),
    ],
)
def test_what_is_refused(pconv: Run, tmp_path: Path, flags: tuple[str, ...], line: str) -> None:
    done = pconv("train", *flags)
    assert done.returncode == 2
    assert done.stderr.startswith(f"pconv: {line}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_sweeps_know_tasks(pconv: Run, tmp_path: Path) -> None:
    small = (
        "successors = 3\nprimes = 8\nkernel = 3\nbatches = 20\nbatch_size = 32\nepochs = 1\ntest_size = 200\n"
        "limit = 13000\n"
    )
    spec = tmp_path / "spec.toml"
    spec.write_text(f'[grid]\nmodulus = 2\ntask = ["omega", "cubic"]\n{small}')
    refused = pconv("sweep", spec)
    assert refused.returncode == 2
    assert refused.stderr.startswith("pconv: task cubic: must be one of")
    assert list(tmp_path.iterdir()) == [spec]

    spec.write_text(f'[grid]\nmodulus = 2\ntask = ["omega", "quadratic", "residue"]\n{small}')
    cells = json.loads(pconv("sweep", spec, "--jobs=1", "--json").stdout)["cells"]
    assert [cell["config"]["task"] for cell in cells] == ["omega", "quadratic", "residue"]
    assert [cell["verdict"] is None for cell in cells] == [False, False, False]


def test_theory_of_a_task(pconv: Run) -> None:
    document = json.loads(pconv("theory", *SMALL, "--task=quadratic", "--json").stdout)
    assert document["task"] == "quadratic"
    assert document["groups"] == [[0, 1]]
    assert document["ceiling_fraction"] == "10/11"
    assert document["rivals"]["grid"]["solved"]
    text = " ".join(pconv("theory", *SMALL, "--task=quadratic", "--test-size=500").stdout.split())
    assert "Residues 1, 2 look alike, and their labels are 1, 0." in text
    assert "Mixed: {0, 1}" in text
    solved = pconv("theory", *SMALL, "--task=divisibility").stdout
    assert "every label is identified" in " ".join(solved.split())
