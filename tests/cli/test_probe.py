"""`pconv probe` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_probe_a_trained_network(pconv: Run, tmp_path: Path) -> None:
    tiny = ("train", "-m5", "-B3", "-N8", "-k3", "-r100", "-s64", "-t2", "--test-size=500", "--no-census")
    assert pconv(*tiny, "--quiet", "--save", "w.safetensors").returncode == 0
    done = pconv("probe", "w.safetensors", "--numbers", 1_000, "--json", "--figure", "maps.png")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert {finding["probe"] for finding in document["findings"]} == {
        "interventions",
        "causal",
        "layers",
        "attribution",
        "extrapolation",
    }
    assert document["modulus"] == 5
    assert (tmp_path / "maps.png").exists()

    shown = pconv("probe", "w.safetensors", "--numbers", 1_000, "--probe", "interventions")
    assert shown.returncode == 0
    assert "hide row n+3" in shown.stdout
    assert "predictions held" in shown.stdout
    assert "causal" not in shown.stdout
