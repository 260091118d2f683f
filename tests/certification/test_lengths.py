from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pconv.certification import lengths, sampling
from pconv.certification.certify import certify
from pconv.certification.checker.check import check_certificate
from pconv.config import RunConfig
from pconv.errors import InputError
from tests.certification.networks import SMALL, random_model, saved

SHARES = ("low_fraction", "high_fraction", "leaks_high_fraction", "covered_ceiling", "shortfall", "doubt")
MANY = RunConfig(modulus=2, offsets=(0,), primes=1600, architecture="mlp")
"""Shares of single grids have more than 4,300 digits, the most that Python reads."""


def test_a_certificate_of_many_columns_is_written_checked_and_shown(tmp_path: Path) -> None:
    network, output = saved(tmp_path / "w.safetensors", MANY), tmp_path / "c.json"
    limit = sys.get_int_max_str_digits()
    certificate = certify(network, width=1.0, budget=2, output=output)
    assert len(json.loads(output.read_text())["covered"]) > 2 * limit + 1
    assert check_certificate(output, network)["grids"] == 2
    assert "2 grids were enumerated" in str(certificate)
    assert certificate.to_dict()["covered"] == certificate.details["covered"]
    assert sys.get_int_max_str_digits() == limit


@pytest.mark.parametrize(
    "config",
    [
        SMALL,
        replace(SMALL, modulus=12, representation="capped", task="quadratic"),
        replace(SMALL, modulus=35, primes=4, representation="residues", task="divisibility"),
    ],
)
def test_no_number_is_longer_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, config: RunConfig
) -> None:
    bounds: list[int] = []
    plain = lengths.longest_number

    def bound(*arguments: Any) -> int:
        bounds.append(plain(*arguments))
        return bounds[-1]

    monkeypatch.setattr(lengths, "longest_number", bound)
    certify(random_model(config), width=0.3, budget=10**5, output=tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text())
    numbers = [document[name] for name in SHARES]
    numbers += [one[name] for one in document["examples"] for name in ("n", "share")]
    longest = max(len(part) for number in numbers for part in str(number).split("/"))
    assert longest <= bounds[-1] < longest + 14
    assert bounds[0] <= bounds[1]


def test_what_cannot_be_written_is_refused_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def computed(done: int, total: int) -> None:
        raise AssertionError

    monkeypatch.setattr(lengths, "MOST_DIGITS", 14)
    monkeypatch.setattr(sampling, "PILOT_SIZE", 600)
    settings = {"output": tmp_path / "c.json", "on_progress": computed}
    line = r"primes 3: are too many: .* would have numbers of up to \d+ digits, and 14 are possible"
    with pytest.raises(InputError, match=f"{line}; --samples gives a statement"):
        certify(random_model(), width=0.1, budget=10**5, **settings)  # type: ignore[arg-type]
    assert certify(random_model(), samples=6).kind == "sampled"
    assert certify(random_model(), width=0.1).kind == "sampled"
    residues = random_model(replace(SMALL, primes=14, representation="residues"))
    with pytest.raises(InputError, match=r"primes 14: are too many: .* of up to 17 digits"):
        certify(residues, samples=6, **settings)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
