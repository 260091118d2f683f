"""Configurations from arguments and back; what follows from a field's declaration."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import pconv
from pconv.cli.program import app
from pconv.config import RunConfig
from pconv.config_args import as_flags, config_from_args

EVERY_FIELD = RunConfig(
    modulus=7,
    offsets=(-1, 0, 4, 5),
    primes=64,
    kernel=(7, 3),
    channels=(8, 16),
    batches=3,
    batch_size=5,
    epochs=2,
    seed=9,
    limit=40_000,
    smooth=0,
    test_size=77,
    early_stop=False,
    representation="capped",
    task="omega",
    learning_rate=0.01,
    weight_decay=0.1,
)


@pytest.mark.parametrize(
    "config", [RunConfig(modulus=11), EVERY_FIELD, RunConfig(modulus=7, architecture="mlp")]
)
def test_the_command_line_reads_what_as_flags_writes(config: RunConfig) -> None:
    command = typer.main.get_command(app).commands["train"]  # type: ignore[attr-defined]
    given = command.make_context("train", shlex.split(as_flags(config))).params
    others = {
        "engine",
        "device",
        "save",
        "theory",
        "tolerance",
        "level",
        "snapshots",
        "keep_weights",
        "dry_run",
    }
    others |= {"no_census", "store", "as_json", "quiet"}
    assert config_from_args(**{name: value for name, value in given.items() if name not in others}) == config


MOMENTUM = """
    momentum: float = field(
        default=0.0, metadata=option(Number(1), metavar="SHARE", help="Share of the step before.")
    )
"""
USE = """
import json
from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.sweeps.grid import expand

plain, at_default, other = expand({"grid": [{"modulus": 11}, {"modulus": 7, "momentum": [0.0, 0.5]}]})
document = {
    "ids": [config.run_id for config in (plain, at_default, other)],
    "flags": [as_flags(at_default), as_flags(other)],
    "label": other.label(),
    "stored": [at_default.non_defaults(), other.non_defaults()],
}
print(json.dumps(document))
"""


def test_a_new_field_of_the_configuration_is_all_that_a_hyper_parameter_needs(tmp_path: Path) -> None:
    """Adds one field to a copy of the package and uses it everywhere."""
    package = tmp_path / "pconv"
    shutil.copytree(Path(pconv.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    source = (package / "config.py").read_text()
    before, after = source.split("\n    def __post_init__", 1)
    (package / "config.py").write_text(f"{before}{MOMENTUM}\n    def __post_init__{after}")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"}

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    found = json.loads(python("-c", USE).stdout)
    assert found["ids"][:2] == [RunConfig(modulus=11).run_id, RunConfig(modulus=7).run_id]
    assert found["ids"][2] not in found["ids"][:2]
    assert found["flags"] == ["-m 7 -B 8 -k 7 -N 32", "-m 7 -B 8 -k 7 -N 32 --momentum 0.5"]
    assert found["label"] == "m=7, B=8, k=7, momentum 0.5"
    assert found["stored"] == [{"modulus": 7}, {"modulus": 7, "momentum": 0.5}]
    [line] = [
        line for line in python("-m", "pconv", "train", "--help").stdout.splitlines() if "momentum" in line
    ]
    assert line.split()[1:3] == ["--momentum", "SHARE"]
    assert "Share of the step before. [default: 0.0]" in line
    refused = python("-m", "pconv", "train", "-m", "7", "--momentum", "2")
    assert (refused.returncode, refused.stderr) == (
        2,
        "pconv: --momentum 2.0: must be a number from 0 to 1\n",
    )
