"""The pictures of the document: drawn and referred to if they show a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.report.document import results_document
from pconv.report.document_pictures import pictures, write_pictures
from pconv.studies.directory import ResultsDirectory
from tests.report.fakes import result

RUNS = [result(RunConfig(modulus=22, primes=5_000)), result(RunConfig(modulus=7, early_stop=False))]
SOURCE = ResultsDirectory({each.run_id: each for each in RUNS}, {})


def test_only_pictures_with_a_run_are_drawn(tmp_path: Path) -> None:
    names = [picture.name for picture in pictures(SOURCE)]
    assert names == ["scatter-paper", "confusions-splitting-moduli-paper", "losses-quick"]
    assert write_pictures(SOURCE, tmp_path / "new/images") == 3
    assert {path.name for path in (tmp_path / "new/images").iterdir()} == {f"{name}.png" for name in names}
    text = results_document(SOURCE, images="some/images")
    assert [f"](some/images/{name}.png)" in text for name in names] == [True] * 3
    assert text.count("![") == 3
    assert "At N = 5,000 not computed yet." in text


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "images").write_text("a file")
    with pytest.raises(InputError, match="images: cannot be made"):
        write_pictures(SOURCE, tmp_path / "images")
