from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pconv.certification.certify import certify
from pconv.certification.checker.check import check_certificate
from pconv.certification.checker.network import PlainNetwork
from pconv.certification.checker.weights import checksum, read_weights
from pconv.certification.groups import GroupTable
from pconv.certification.rounding import RoundedNetwork
from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.weights import Model, save_weights
from tests.certification.networks import SMALL, random_model, saved
from tests.certification.test_rounding import MLP, TWO, some_grids

Document = dict[str, Any]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("weights") / "w.safetensors")


@pytest.fixture(scope="module")
def proved(weights: Path) -> Document:
    certify(weights, width=0.25, output=weights.with_name("proved.json"))
    return dict(json.loads(weights.with_name("proved.json").read_text()))


@pytest.fixture(scope="module")
def drawn(weights: Path) -> Document:
    certify(weights, samples=300, output=weights.with_name("drawn.json"))
    return dict(json.loads(weights.with_name("drawn.json").read_text()))


def written(path: Path, document: Document, *, signed: bool = True) -> Path:
    """The document as a file; its checksum is made to fit."""
    if signed:
        rest = {name: value for name, value in document.items() if name != "checksum"}
        digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
        document = {**rest, "checksum": digest}
    path.write_text(json.dumps(document))
    return path


def test_what_was_certified_holds(weights: Path, proved: Document, drawn: Document) -> None:
    for name, document in (("proved", proved), ("drawn", drawn)):
        assert check_certificate(weights.with_name(f"{name}.json"), weights) == document
        assert document["wrong_grids"] > 0


@pytest.mark.parametrize(
    "config",
    [
        replace(SMALL, task="quadratic", modulus=7, primes=4, offsets=(-2, 0, 1)),
        replace(SMALL, representation="capped", modulus=12),
        replace(SMALL, representation="capped-2", modulus=12),
        replace(SMALL, representation="capped-3", modulus=16),
        replace(SMALL, representation="residues", task="divisibility"),
        replace(MLP, modulus=22, offsets=(0, 1)),
        replace(TWO, modulus=35, primes=4, offsets=(0, 1, 2, 5)),
    ],
)
def test_other_networks_tasks_and_representations_hold(config: RunConfig, tmp_path: Path) -> None:
    """35 has a prime that is a column and is solved by no row; 11 of 22 is no column."""
    path, output = saved(tmp_path / "w.safetensors", config, scale=1.5), tmp_path / "c.json"
    certify(path, width=0.5, output=output)
    check_certificate(output, path)
    certify(path, samples=200, output=output)
    check_certificate(output, path)


@pytest.mark.parametrize("modulus", [7, 10])
def test_undecided_grids_hold(modulus: int, tmp_path: Path) -> None:
    """A task with labels of several counts in a group: an undecided grid counts as the largest loss that its
    group allows, so that the number of losses is whole (7: one possible loss; 10: two)."""
    config = replace(MLP, modulus=modulus, primes=2, task="divisibility")
    path, output = saved(tmp_path / "w.safetensors", config, scale=1.0), tmp_path / "c.json"
    for settings in ({"samples": 700}, {"width": 0.1}):
        certificate = certify(path, output=output, **settings)
        assert certificate.unsure_grids > 0
        document = check_certificate(output, path)
        table = GroupTable.of(config)
        assert {Fraction(share) for share in document.get("open", ())} <= set(table.shortfalls)
    assert certificate.low >= table.ceiling - max(table.shortfalls)  # the worst answer everywhere


def _digit(text: str) -> str:
    return text[:-1] + str((int(text[-1]) + 1) % 10)


def _change(name: str) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        value = document[name]
        document[name] = _digit(value) if isinstance(value, str) else value + type(value)(1)

    return change


def _missing_block(document: Document) -> None:
    del document["blocks"][len(document["blocks"]) // 2]


def _other_level(document: Document) -> None:
    document["levels"]["2"] += 1


def _twice(document: Document) -> None:
    document["blocks"].append(document["blocks"][0])


def _enormous(document: Document) -> None:
    document["blocks"].append([10**6, 0, 0])
    document["levels"]["2"] = 10**6


def _example(name: str) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        value = document["examples"][0][name]
        document["examples"][0][name] = _digit(value) if isinstance(value, str) else value + 1

    return change


def _set_example(name: str, value: object) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        document["examples"][0][name] = value

    return change


def _later_example(document: Document) -> None:
    """Another integer with the same grid: one period of the columns later."""
    document["examples"][0]["n"] += 2**80 * 3**50 * 5**35


def _fewer_examples(document: Document) -> None:
    del document["examples"][3]


FRACTIONS = ("low_fraction", "high_fraction", "leaks_low_fraction", "leaks_high_fraction", "ceiling_fraction")
COUNTS = ("grids", "wrong_grids", "short_grids", "unsure_grids", "low", "high", "leaks_low", "leaks_high")
MASSES = ("covered", "covered_ceiling", "wrong", "unsure", "shortfall", "doubt")
CHANGES: dict[str, Callable[[Document], None]] = {
    **{name: _change(name) for name in (*FRACTIONS, *COUNTS, *MASSES)},
    "a missing block": _missing_block,
    "a level": _other_level,
    "a block twice": _twice,
    "n": _example("n"),
    "no n": _set_example("n", None),
    "a later n": _later_example,
    "answer": _example("answer"),
    "share": _example("share"),
    "fewer examples": _fewer_examples,
    "digest": lambda document: document.update(digest="0" * 64),
    "kind": lambda document: document.update(kind="sampled"),
    "rounding": lambda document: document["rounding"].update(slack=1e-9),
    "a negative exponent": lambda document: document["blocks"].append([-1, 0, 0]),
    "a fraction as exponent": lambda document: document["blocks"].append([0.5, 0, 0]),
    "an enormous exponent": lambda document: _enormous(document),
    "whole weights": lambda document: document["rounding"].update(whole_weights=True),
    "modulus": lambda document: document["config"].update(modulus=12),
    "a confidence of what is proved": lambda document: document.update(confidence=0.999),
    "an unknown field": lambda document: document.update(proved_by="me"),
    "a configuration without its task": lambda document: document["config"].pop("task"),
    "nonsense": lambda document: document.update(blocks=None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_figure_is_rejected_though_the_checksum_fits(
    weights: Path, proved: Document, tmp_path: Path, change: str
) -> None:
    document = json.loads(json.dumps(proved))
    CHANGES[change](document)
    with pytest.raises(InputError, match=r"is rejected: ") as raised:
        check_certificate(written(tmp_path / "c.json", document), weights)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"blocks": None}, "its blocks is None, and must be a list"),
        ({"blocks": []}, "its blocks are none"),
        ({"blocks": [[0, 0]]}, "its blocks contain [0, 0], which is not an exponent for each column"),
        ({"blocks": [[0, 0, True]]}, "its blocks contain [0, 0, True]: exponents are whole numbers"),
        ({"grids": 1.5}, "its grids is 1.5, and must be a whole number from 0"),
        ({"covered": "1e999999999"}, "its covered is 1e999999999, and must be a fraction"),
        ({"low_fraction": "1/0"}, "its low_fraction is 1/0, and must be a fraction"),
        ({"examples": [3] * 100}, "wrong grid 1 of its list has other fields than n, answer"),
        ({"confidence": 0.5}, "its confidence is 0.5, and must be null"),
    ],
)
def test_the_reason_names_the_field(
    weights: Path, proved: Document, tmp_path: Path, change: Document, shown: str
) -> None:
    with pytest.raises(InputError, match=re.escape(f"c.json: is rejected: {shown}")):
        check_certificate(written(tmp_path / "c.json", {**proved, **change}), weights)
    without = {name: value for name, value in proved.items() if name not in change}
    with pytest.raises(InputError, match=f"is rejected: it has no {next(iter(change))}$"):
        check_certificate(written(tmp_path / "c.json", without), weights)


def forged(proved: Document, network: Path, config: RunConfig) -> Document:
    """The certificate, made to be about another network."""
    fields = {name: config.to_dict()[name] for name in proved["config"]}
    return {**proved, "network": checksum(read_weights(network)[0]), "config": fields}


def test_what_the_checker_does_not_know_is_not_called_wrong(proved: Document, tmp_path: Path) -> None:
    """It has definitions of its own of pconv's representations; others could declare anything."""
    network, output = tmp_path / "w.safetensors", tmp_path / "c.json"
    for change, reason in (
        ({"representation": "binary"}, "its representation is binary, and only exponents, capped, capped-2"),
        ({"task": "unknown"}, "task unknown: "),
    ):
        config = replace(SMALL, **change)  # type: ignore[arg-type]
        save_weights(network, random_model(SMALL).network.state_dict(), config, 1)
        written(output, forged(proved, network, config))
        with pytest.raises(InputError, match=f"c.json: cannot be checked: {reason}"):
            check_certificate(output, network)


def test_tasks_that_have_no_such_statement_are_rejected(proved: Document, tmp_path: Path) -> None:
    config = replace(SMALL, modulus=2, task="primality")
    network = saved(tmp_path / "w.safetensors", config)
    output = written(tmp_path / "c.json", forged(proved, network, config))
    with pytest.raises(InputError, match="is rejected: its task primality is not a function of n modulo m"):
        check_certificate(output, network)


@pytest.mark.parametrize("primes", [200_000, 80_000])
def test_a_small_file_cannot_claim_many_columns(proved: Document, tmp_path: Path, primes: int) -> None:
    network = saved(tmp_path / "w.safetensors")
    data = network.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    config = {**SMALL.to_dict(), "primes": primes}
    header["__metadata__"]["config"] = json.dumps(config)
    text = json.dumps(header).encode()
    network.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])
    output = written(tmp_path / "c.json", {**proved, "config": {**proved["config"], "primes": primes}})
    line = r"is not a weights file of pconv \((primes 200000: must|linear.fc1.weight has the shape)"
    with pytest.raises(InputError, match=line):
        check_certificate(output, network)


def test_no_network_of_whole_weights_is_believed_that_is_none(
    weights: Path, proved: Document, tmp_path: Path
) -> None:
    """A certificate that takes the bound on rounding for 0, and counts accordingly."""
    document = json.loads(json.dumps(proved))
    document["rounding"]["whole_weights"] = True
    document["unsure_grids"] = 0
    line = (
        "is rejected: its bound on rounding is another one: the network's weights are not all whole numbers"
    )
    with pytest.raises(InputError, match=line) as raised:
        check_certificate(written(tmp_path / "c.json", document), weights)
    assert "\n" not in str(raised.value)


def test_weights_out_of_range_are_rejected(proved: Document, tmp_path: Path) -> None:
    """No certificate is made of them (the theorem does not apply), so this one is forged."""
    large = saved(tmp_path / "large.safetensors", scale=1e20)
    document = {**proved, "network": checksum(read_weights(large)[0])}
    with pytest.raises(InputError, match="does not apply to weights so large"):
        check_certificate(written(tmp_path / "c.json", document), large)


@pytest.mark.parametrize(
    "name",
    ["low_fraction", "high_fraction", "leaks_high_fraction", "wrong_grids", "seed", "batch", "confidence"],
)
def test_a_changed_sample_is_rejected(weights: Path, drawn: Document, tmp_path: Path, name: str) -> None:
    document = json.loads(json.dumps(drawn))
    if name == "confidence":
        document[name] = 0.99
    else:
        _change(name)(document)
    with pytest.raises(InputError, match=r"is rejected: "):
        check_certificate(written(tmp_path / "c.json", document), weights)


def test_any_flipped_digit_is_noticed_by_the_checksum(
    weights: Path, proved: Document, tmp_path: Path
) -> None:
    text = json.dumps(proved)
    for place in [i for i, character in enumerate(text) if character.isdigit()][::400]:
        flipped = text[:place] + _digit(text[place]) + text[place + 1 :]
        (tmp_path / "c.json").write_text(flipped)
        with pytest.raises(InputError, match=r"rejected|cannot be read"):
            check_certificate(tmp_path / "c.json", weights)


def test_another_network_and_files_that_are_none_are_rejected(
    weights: Path, proved: Document, tmp_path: Path
) -> None:
    certificate = weights.with_name("proved.json")
    other = saved(tmp_path / "other.safetensors", replace(SMALL, seed=4))
    with pytest.raises(InputError, match="about another network"):
        check_certificate(certificate, other)
    with pytest.raises(InputError, match="is not a weights file"):
        check_certificate(certificate, certificate)
    with pytest.raises(InputError, match="cannot be read"):
        check_certificate(weights, weights)
    with pytest.raises(InputError, match="cannot be read"):
        check_certificate(tmp_path / "nowhere.json", weights)
    with pytest.raises(InputError, match="is rejected: it is not a certificate"):
        check_certificate(written(tmp_path / "c.json", {"format": 3}), weights)


def test_deep_nesting_is_rejected(weights: Path, proved: Document, tmp_path: Path) -> None:
    nested, path, deep = "[" * 100_000, tmp_path / "c.json", tmp_path / "deep.safetensors"
    path.write_text(nested)
    with pytest.raises(InputError, match="cannot be read as JSON"):
        check_certificate(path, weights)
    header = json.dumps({"__metadata__": {"config": nested}}).encode()
    deep.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(InputError, match="is not a weights file of pconv"):
        check_certificate(written(path, proved), deep)


@pytest.mark.parametrize("config", [SMALL, TWO, MLP])
def test_the_plain_network_decides_as_the_other_does(config: RunConfig, tmp_path: Path) -> None:
    """With weights so small that rounding often decides."""
    path = saved(tmp_path / "w.safetensors", config, scale=0.3)
    arrays, _ = read_weights(path)
    grids = some_grids(config)
    worth = np.random.default_rng(1).integers(0, 3, (len(grids), config.modulus))
    plain = PlainNetwork(arrays, config.architecture, len(config.channels))
    found = plain.answer(grids.astype(np.float64), worth, 2.0**-20, 1 + 2.0**-16)
    answers, sure = RoundedNetwork(Model.load(path)).answer(grids, worth)
    assert (found < 0).tolist() == (~sure).tolist()
    not_best = sure & (worth[np.arange(len(grids)), answers] < worth.max(axis=1))
    assert (found[not_best] == answers[not_best]).all()
