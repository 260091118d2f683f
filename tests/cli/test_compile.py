"""`pconv compile` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_compiled_weights_load_like_trained_ones(pconv: Run, tmp_path: Path) -> None:
    done = pconv("compile", "-m", 12, "-B", 8, "-o", "twelve.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    assert "pconv, kernel 3, 4 channels, 2 columns, 5 thresholds in 9 hidden units" in done.stdout
    assert "identifies 12 groups of 12 classes" in done.stdout

    shown = pconv("classify", "twelve.safetensors", 10**18 + 7, "--json")
    (answer,) = json.loads(shown.stdout)
    assert (answer["class"], answer["probability"]) == (11, 1.0)

    probed = pconv("probe", "twelve.safetensors", "--probe=causal", "--numbers=200", "--json")
    report = json.loads(probed.stdout)
    assert report["run_id"] is None
    assert False not in {finding["agrees"] for finding in report["findings"]}

    converted = json.loads(pconv("convert", "twelve.safetensors", "-o", "twelve.pt2", "--json").stdout)
    assert (converted["run_id"], converted["difference"]) == (None, 0.0)


def test_the_circuit_is_part_of_the_document(pconv: Run) -> None:
    arguments = ("-m3", "--offsets=-1,0", "--architecture=mlp", "-o", "three.safetensors", "--json")
    done = pconv("compile", *arguments)
    document = json.loads(done.stdout)
    assert (document["groups"], document["thresholds"], document["hidden_units"]) == (3, 2, 4)
    assert document["circuit"][0] == "linear.act1, unit 0: LeakyReLU(100 (v_3(n-1)))"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-m0",), "modulus 0: must be from 2 to 1024"),
        (("-m11", "-k3"), "kernel 3: must be from 5 to 999"),
        (("-m12", "-C0"), "channels 0: must be"),
        (("-m7", "-B8", "--offsets=0,1"), "cannot be combined"),
        (("-m1021", "-B600", "--architecture=mlp"), "needs 1,202 hidden units"),
        (("-m7", "--architecture=transformer"), "must be one of: pconv, mlp"),
    ],
)
def test_bad_input_gets_one_line_and_leaves_nothing(
    pconv: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = pconv("compile", *arguments, "-o", "weights.safetensors")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    elsewhere = pconv("compile", "-m7", "-o", "no/weights.safetensors")
    assert elsewhere.returncode == 2
    assert "directory does not exist" in elsewhere.stderr
