"""`pconv probe` as a user runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.cli.conftest import Run, Trained


def test_probe_a_trained_network(pconv: Run, trained: Trained, tmp_path: Path) -> None:
    shutil.copy(trained.directory / "w.safetensors", tmp_path)
    done = pconv("probe", "w.safetensors", "--numbers", 300, "--json", "--figure", "maps.png")
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("pconv: probe ") for line in done.stderr.splitlines())
    document = json.loads(done.stdout)
    assert {finding["probe"] for finding in document["findings"]} == {
        "interventions",
        "causal",
        "layers",
        "attribution",
        "extrapolation",
    }
    assert document["modulus"] == 11
    assert (tmp_path / "maps.png").exists()

    mapless = ("probe", "w.safetensors", "--numbers", 300, "--probe", "extrapolation", "--json")
    none = pconv(*mapless, "--figure", "m.png")
    assert none.returncode == 2
    assert "the probes that were run draw no map" in none.stderr
    assert json.loads(none.stdout)["findings"], "they are not lost"

    shown = pconv("probe", "w.safetensors", "--numbers", 300, "--probe", "interventions")
    assert shown.returncode == 0
    assert "hide row n+3" in shown.stdout
    assert "predictions held" in shown.stdout
    assert "causal" not in shown.stdout
