"""`pconv certify` as a user runs it."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.certification.rounding import RoundedNetwork
from pconv.config import RunConfig
from tests.certification.networks import SMALL, saved
from tests.cli.conftest import Run


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return saved(tmp_path / "w.safetensors")


def test_a_certificate_is_made_checked_and_tried(pconv: Run, weights: Path, tmp_path: Path) -> None:
    done = pconv("certify", "w.safetensors", "--width", 0.1, "-o", "c.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Proved for all positive integers: the density of right answers is in [0.")
    number = re.search(r"To see one: pconv classify w.safetensors (\d+)", done.stdout)
    assert number is not None
    (answer,) = json.loads(pconv("classify", "w.safetensors", number[1], "--json").stdout)
    assert answer["class"] != answer["label"]

    checked = pconv("certify", "--check", "c.json", "w.safetensors")
    assert checked.returncode == 0
    assert re.fullmatch(
        r"c.json holds: \d+ grids computed again, every figure is the same. "
        r"Not checked: wanted_width, and the version in pconv.\n",
        checked.stdout,
    )
    saved(tmp_path / "other.safetensors", replace(SMALL, seed=9))
    rejected = pconv("certify", "--check", "c.json", "other.safetensors")
    assert (rejected.returncode, rejected.stdout) == (2, "")
    line = "pconv: --check c.json: is rejected: it is about another network: the weights differ\n"
    assert rejected.stderr == line


def test_the_document(pconv: Run, weights: Path, tmp_path: Path) -> None:
    done = pconv("certify", "w.safetensors", "--width", 0.2, "--json", "-o", "c.json")
    document, file = json.loads(done.stdout), json.loads((tmp_path / "c.json").read_text())
    assert {**document, "checksum": file["checksum"]} == file
    wanted = {"kind", "low", "high", "low_fraction", "high_fraction", "grids", "wrong_grids", "unsure_grids"}
    assert wanted | {"levels", "confidence", "network"} <= set(document)
    assert document["confidence"] is None
    assert set(document["levels"]) == {"2", "3", "5"}
    sampled = json.loads(pconv("certify", "w.safetensors", "--samples", 100, "--json").stdout)
    assert (sampled["kind"], sampled["grids"], sampled["confidence"]) == ("sampled", 102, 0.999)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("--width 0", "--width 0.0: must be above 0"),
        ("--budget 1 --samples 1", "--samples 1: is not for use with --budget"),
        ("--confidence 2", "--confidence 2.0"),
        ("-o nowhere/c.json", "--output nowhere/c.json"),
        ("-o w.safetensors", "--output w.safetensors: must end in .json"),
        ("--check nowhere.json", "--check nowhere.json: cannot be read"),
        ("--check c.json -o d.json", "--output d.json: is not for use with --check"),
        ("--check c.json --budget 9", "--budget 9: is not for use with --check"),
        ("--check c.json --width 0.5", "--width 0.5: is not for use with --check"),
        ("--check c.json --confidence 0.9", "--confidence 0.9: is not for use with --check"),
        ("--check c.json --seed 0", "--seed 0: is not for use with --check"),
    ],
)
def test_bad_input_is_one_line(pconv: Run, weights: Path, arguments: str, shown: str) -> None:
    done = pconv("certify", "w.safetensors", *arguments.split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert shown in done.stderr


@pytest.mark.parametrize(
    ("config", "scale", "shown"),
    [
        (SMALL, 1e20, "weights with sums up to "),
        (replace(SMALL, modulus=2, task="primality"), 1.0, "task primality: "),
        (replace(SMALL, representation="binary"), 1.0, "representation binary: cannot be certified"),
        (RunConfig(modulus=6, primes=3, architecture="transformer"), 1.0, "architecture transformer: cannot"),
    ],
)
def test_what_is_wrong_with_the_network_is_no_option(
    pconv: Run, tmp_path: Path, config: RunConfig, scale: float, shown: str
) -> None:
    saved(tmp_path / "w.safetensors", config, scale=scale)
    done = pconv("certify", "w.safetensors")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"pconv: {shown}")


def test_the_command_that_shows_a_wrong_grid_can_be_copied(pconv: Run, tmp_path: Path) -> None:
    """With a space in the name, and another store."""
    saved(tmp_path / "my weights.safetensors")
    done = pconv("certify", "my weights.safetensors", "--width", 0.5, "--store", "my store.db")
    line = re.search("To see one: (pconv .*)", done.stdout)
    assert line is not None
    command, *arguments = shlex.split(line[1])
    assert (command, arguments[1], arguments[-2:]) == (
        "pconv",
        "my weights.safetensors",
        ["--store", "my store.db"],
    )
    assert pconv(*arguments).returncode == 0


@pytest.mark.parametrize(
    ("options", "kept"),
    [((), "nothing is kept without -o FILE"), (("-o", "c.json"), "the same command goes on from here")],
)
def test_an_interrupt_says_what_is_kept(
    pconv: Run, weights: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], kept: str
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RoundedNetwork, "answer", interrupted)
    done = pconv("certify", "w.safetensors", *options)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"pconv: interrupted; {kept}\n")
