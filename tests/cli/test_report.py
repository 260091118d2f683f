"""The commands that draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

BAD = [
    ("report -o x.pdf", "--output x.pdf: must end in .html"),
    ("report -o nowhere/x.html", "--output nowhere/x.html: cannot be written"),
    ("figure", "Missing command"),
    ("figure pie -o x.pdf", "There are: architecture, confusion, losses, map, table, window"),
    ("figure map -o x.doc", "--output x.doc: must end in .pdf or .svg or .png"),
    ("figure map -o x.pdf --max-modulus 1", "--max-modulus 1"),
    ("figure window -o x.pdf -m 11 -c 11", "--class 11"),
    ("figure confusion -o x.pdf", "--modulus"),
    ("figure confusion nowhere.json -o x.pdf", "pconv.db does not exist"),
    ("figure table -o x.tex --store here.db", "here.db does not exist"),
    ("report --store here.db", "here.db does not exist"),
    ("figure architecture -o x.pdf -k 4", "--kernel 4"),
    ("report --from . --store here.db", "--from .: cannot be combined with --store here.db"),
    ("report --from nowhere", "nowhere does not exist"),
    ("results --from .", "--from .: has no results (*.jsonl)"),
    ("results --from nowhere", "nowhere does not exist"),
    ("results -o x.html", "--output x.html: must end in .md"),
    ("reproduce --from nowhere", "--from nowhere: is not a directory of results"),
    ("export -o x.txt", "--output x.txt: must end in .csv or .jsonl, or be a directory"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_is_one_line(pconv: Run, arguments: str, message: str) -> None:
    done = pconv(*arguments.split())
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_figure_from_the_command_line(pconv: Run, tmp_path: Path) -> None:
    assert pconv("figure", "window", "-m", 27, "-o", "w.svg").returncode == 0
    assert "class 10" in (tmp_path / "w.svg").read_text()
