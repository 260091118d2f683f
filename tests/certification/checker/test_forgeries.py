"""Certificates that were changed on purpose, so that all their other figures fit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from pconv.certification.certify import certify
from pconv.certification.checker import check, enumerated
from pconv.certification.checker.check import check_certificate
from pconv.certification.checker.laws import Rules, Shown
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.weights import save_weights
from tests.certification.checker.test_check import Document, written
from tests.certification.networks import SMALL, random_model, saved

RESIDUES = RunConfig(modulus=4, offsets=(0, 1), primes=2, kernel=(3,), representation="residues")


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a network and its certificate: all grids of exponents up to 1."""
    path = tmp_path_factory.mktemp("capped")
    certify(
        saved(path / "w.safetensors", replace(SMALL, representation="capped")),
        width=1e-9,
        output=path / "c.json",
    )
    return path


def test_columns_of_residues_are_summed_once(tmp_path: Path) -> None:
    """A network that answers 1 always is right with density 1/4. With every grid in two blocks, it would be
    right with 1/2 at least."""
    network, output = tmp_path / "w.safetensors", tmp_path / "c.json"
    weights = random_model(RESIDUES).network.state_dict()
    weights["linear.fc4.weight"].zero_()
    weights["linear.fc4.bias"].copy_(torch.tensor([0.0, 1.0, 0.0, 0.0]))
    save_weights(network, weights, RESIDUES, 1)
    certificate = certify(network, output=output)
    assert float(certificate.low) == float(certificate.high) == 0.25
    document = json.loads(output.read_text())

    both = [{**one, "place": [block, one["place"][1]]} for block in (0, 1) for one in document["examples"]]
    digest = ""
    for one in both:
        text = f"{digest} {one['place'][0]} {one['place'][1]} 1"
        digest = hashlib.sha256(text.encode()).hexdigest()
    document.update(blocks=[[0, 0], [0, 7]], levels={"2": 0, "3": 7}, grids=12, wrong_grids=6)
    document.update(
        covered="2", covered_ceiling="1", wrong="1", shortfall="1/2", digest=digest, examples=both
    )
    document.update(low_fraction="1/2", low=0.5, high_fraction="0", high=0.0)
    document.update(leaks_low_fraction="1", leaks_low=1.0, leaks_high_fraction="0", leaks_high=0.0)
    line = r"its blocks contain \[0, 7\], which has no grids: no column of 3 has the highest exponent 7"
    with pytest.raises(InputError, match=f"is rejected: {line}"):
        check_certificate(written(output, document), network)


def _empty_block(document: Document) -> None:
    document["blocks"].append([1000, 900, 0])
    document["levels"].update({"2": 1000, "3": 900})


def _field(*names: str | int, kind: Callable[[object], object] = float) -> Callable[[Document], None]:  # type: ignore[assignment]
    """Writes a number as one of another type."""

    def change(document: Document) -> None:
        inner: object = document
        for name in names[:-1]:
            inner = inner[name]  # type: ignore[index]
        inner[names[-1]] = kind(inner[names[-1]])  # type: ignore[index]

    return change


CHANGES: dict[str, Callable[[Document], None]] = {
    "an empty block": _empty_block,
    "a level": _field("levels", "2"),
    "a modulus": _field("config", "modulus"),
    "an offset": _field("config", "offsets", 1, kind=bool),
    "a density": _field("leaks_low", kind=str),
    "n": _field("examples", 0, "n"),
    "an answer": _field("examples", 0, "answer"),
    "a class": _field("examples", 0, "classes", 0),
    "a block": _field("examples", 0, "place", 0, kind=bool),
    "a place": _field("examples", 0, "place", 1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_equal_number_of_another_type_and_an_empty_block_are_rejected(
    capped: Path, tmp_path: Path, change: str
) -> None:
    document = json.loads((capped / "c.json").read_text())
    before = json.dumps(document)
    CHANGES[change](document)
    assert json.dumps(document) != before
    with pytest.raises(InputError, match="is rejected: "):
        check_certificate(written(tmp_path / "c.json", document), capped / "w.safetensors")


def test_counts_of_a_sample_are_whole_numbers(capped: Path, tmp_path: Path) -> None:
    output = tmp_path / "c.json"
    certify(capped / "w.safetensors", samples=60, output=output)
    document = json.loads(output.read_text())
    document["lost"] = {share: float(count) for share, count in document["lost"].items()}
    assert document["lost"]
    with pytest.raises(InputError, match="is rejected: lost is "):
        check_certificate(written(output, document), capped / "w.safetensors")


def test_a_field_that_is_listed_twice_is_rejected(capped: Path, tmp_path: Path) -> None:
    """Some readers would take the first, and the checksum is right for the last."""
    text = (capped / "c.json").read_text()
    output = tmp_path / "c.json"
    output.write_text(text.replace('"low_fraction"', '"low_fraction": "999/1000",\n "low_fraction"', 1))
    with pytest.raises(InputError, match="an object has the name 'low_fraction' twice"):
        check_certificate(output, capped / "w.safetensors")


def test_no_integer_is_counted_twice_and_no_interval_is_empty(
    capped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should blocks overlap in another way, or intervals be wrong."""
    plain = Rules.columns

    def doubled(self: Rules, prime: int, exponent: int) -> list[Shown]:
        return [one._replace(share=2 * one.share) for one in plain(self, prime, exponent)]

    with monkeypatch.context() as patch:
        patch.setattr(Rules, "columns", doubled)
        with pytest.raises(InputError, match="is rejected: its blocks contain a grid twice"):
            check_certificate(capped / "c.json", capped / "w.safetensors")

    def reversed_ends(*arguments: object) -> object:
        right, leaks = enumerated.check_enumerated(*arguments)  # type: ignore[arg-type]
        return right, (leaks[1] + 1, leaks[0])

    monkeypatch.setitem(check._KINDS, "enumerated", reversed_ends)
    with pytest.raises(InputError, match="is rejected: its interval leaks_low to leaks_high"):
        check_certificate(capped / "c.json", capped / "w.safetensors")
