from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pconv.certification import enumeration
from pconv.certification.certify import certify
from pconv.certification.document import document_checksum
from tests.certification.networks import random_model

Document = dict[str, Any]
WIDTH = 0.2


@pytest.fixture(scope="module", autouse=True)
def many_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "_MOST_CHUNK", 32)
        patch.setattr(enumeration, "_LEAST_CHUNK", 32)
        yield


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """The partial file of an interrupted computation."""
    output = tmp_path_factory.mktemp("begun") / "c.json"

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify(random_model(), width=WIDTH, output=output, on_progress=stop)
    return dict(json.loads(Path(f"{output}.partial").read_text()))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    output = tmp_path_factory.mktemp("whole") / "c.json"
    certify(random_model(), width=WIDTH, output=output)
    return output.read_bytes()


def signed(document: Document) -> str:
    return json.dumps({**document, "checksum": document_checksum(document)})


def tally(**changes: object) -> Callable[[Document], str]:
    return lambda begun: signed({**begun, "tally": {**begun["tally"], **changes}})


DAMAGES: dict[str, Callable[[Document], str]] = {
    "no object": lambda begun: "{}",
    "no JSON": lambda begun: "not json",
    "an empty tally": lambda begun: signed({**begun, "tally": {}}),
    "a share without a value": tally(lost={"1/0": "1"}),
    "a weight that is none": tally(lost={"1/2": "x"}),
    "a count as text": tally(wrong="3"),
    "a place as text": tally(heaviest=[["5", ["a", 3], 1]]),
    "an endless number of grids": lambda begun: signed({**begun, "total": math.inf}),
    "a number of grids that is none": lambda begun: signed({**begun, "total": math.nan}),
    "more grids than there are": lambda begun: signed({**begun, "done": begun["total"] + 1}),
    "fewer than none": lambda begun: signed({**begun, "done": -64}),
    "deep nesting": lambda begun: "[" * 100_000,
    "a changed count": lambda begun: json.dumps({**begun, "tally": {**begun["tally"], "wrong": 0}}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_not_used(begun: Document, whole: bytes, tmp_path: Path, damage: str) -> None:
    assert begun["tally"]["wrong"] > 0
    output = tmp_path / "c.json"
    Path(f"{output}.partial").write_text(DAMAGES[damage](begun))
    certify(random_model(), width=WIDTH, output=output)
    assert output.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [output]


def test_a_sound_file_is_used(begun: Document, whole: bytes, tmp_path: Path) -> None:
    output = tmp_path / "c.json"
    Path(f"{output}.partial").write_text(json.dumps(begun))
    steps: list[int] = []
    certify(random_model(), width=WIDTH, output=output, on_progress=lambda done, total: steps.append(done))
    assert 0 < begun["done"] < min(steps)
    assert output.read_bytes() == whole
