"""A sweep's file, read as the command line would read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.config_args import as_flags
from pconv.errors import InputError
from pconv.sweeps.grid import expand, read_spec

SPEC = """
[grid]
modulus = [7, 11]
successors = 8
kernel = [7, "3,5"]
channels = ["8,16"]
seed = [0, 1, 2]
no_early_stop = true
"""


def test_every_combination_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC)
    runs = read_spec(path)
    assert len(runs) == len({run.run_id for run in runs}) == 12
    expected = RunConfig(modulus=7, kernel=(3, 5), channels=(8, 16), seed=2, early_stop=False)
    assert expected in runs


def test_a_run_that_is_asked_for_twice_is_one() -> None:
    same = [{"modulus": 7, "successors": 8}, {"modulus": [7, 11], "offsets": "0:9", "kernel": "7"}]
    assert [run.modulus for run in expand({"grid": same})] == [7, 11]


def test_presets_and_fields() -> None:
    [run] = expand({"grid": {"modulus": 7, "preset": "paper", "early_stop": False, "batch_size": 64}})
    assert (run.primes, run.early_stop, run.batch_size) == (5000, False, 64)


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({}, "spec"),
        ({"grid": 3}, "spec"),
        ({"grid": {"modulus": 7}, "jobs": 2}, "spec"),
        ({"grid": {"successors": 8}}, "modulus"),
        ({"grid": {"modulus": 7, "moduli": 3}}, "moduli"),
        ({"grid": {"modulus": ["seven"]}}, "modulus"),
        ({"grid": {"modulus": 7, "kernel": [[7, 3]]}}, "kernel"),
        ({"grid": {"modulus": 7, "offsets": [0, 1]}}, "offsets"),
        ({"grid": {"modulus": 7, "successors": "8"}}, "successors"),
        ({"grid": {"modulus": 7, "successors": 8, "offsets": "0:9"}}, "offsets"),
        ({"grid": {"modulus": 7, "preset": "slow"}}, "preset"),
        ({"grid": {"modulus": 7, "no_early_stop": "yes"}}, "early_stop"),
        ({"grid": {"modulus": 7, "learning_rate": [0.001, "0.01"]}}, "learning_rate"),
        ({"grid": {"modulus": 7, "weight_decay": True}}, "weight_decay"),
    ],
)
def test_what_cannot_be_read_is_named(spec: dict[str, object], named: str) -> None:
    with pytest.raises(InputError) as caught:
        expand(spec)
    assert caught.value.name == named


@pytest.mark.parametrize("content", [b"[grid", b"\xff\xfe", None])
def test_files_that_are_no_specs(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "spec.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"spec\.toml"):
        read_spec(path)


def test_a_run_is_written_as_flags() -> None:
    run = RunConfig(modulus=7, offsets=(-1, 0, 4), channels=(8,), epochs=3, early_stop=False)
    assert as_flags(run) == "-m 7 --offsets=-1,0,4 -k 7 -N 32 -C 8 -t 3 --no-early-stop"
