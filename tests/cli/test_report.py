"""The commands that draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv.config import RunConfig
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from tests.cli.conftest import Run
from tests.report.fakes import result

BAD = [
    ("report -o x.pdf", "--output x.pdf: must end in .html"),
    ("report -o nowhere/x.html", "--output nowhere/x.html: cannot be written"),
    ("figure", "Missing command"),
    (
        "figure pie -o x.pdf",
        "There are: architecture, confusion, confusions, laws, losses, map, scatter, table, window",
    ),
    ("figure map -o x.doc", "--output x.doc: must end in .pdf or .svg or .png"),
    ("figure map -o x.pdf --max-modulus 1", "--max-modulus 1"),
    ("figure window -o x.pdf -m 11 -c 11", "--class 11"),
    ("figure confusion -o x.pdf", "--modulus"),
    ("figure confusion nowhere.json -o x.pdf", "pconv.db does not exist"),
    ("figure table -o x.tex --store here.db", "here.db does not exist"),
    ("figure scatter -o x.pdf --from nowhere", "nowhere does not exist"),
    ("figure confusions -o x.pdf --from .", "--from .: has no results (*.jsonl)"),
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


def test_the_paper_in_pictures(pconv: Run, tmp_path: Path) -> None:
    """From a store, and from a directory of results as the document's pictures."""
    with Store.open(tmp_path / "pconv.db") as store:
        made = result(RunConfig(modulus=22))
        store.finish(made, None, verdicts_on(made), "me")
    assert pconv("figure", "scatter", "--preset", "quick", "-o", "s.svg").returncode == 0
    assert "1 of 145 cells" in (tmp_path / "s.svg").read_text()
    assert pconv("export", "-o", "kept").returncode == 0
    chosen = ("--preset=quick", "--table=splitting-moduli")
    assert pconv("figure", "confusions", "--from", "kept", *chosen, "-o", "c.svg").returncode == 0
    assert "not computed yet" in (tmp_path / "c.svg").read_text()
    assert pconv("figure", "losses", made.run_id[:8], "--from", "kept", "-o", "l.svg").returncode == 0
    (tmp_path / "docs").mkdir()
    written = pconv("results", "--from", "kept", "-o", "docs/r.md", "--images", "docs/pictures")
    assert written.returncode == 0
    assert "](pictures/scatter-quick.png)" in (tmp_path / "docs/r.md").read_text()
    names = {path.name for path in (tmp_path / "docs/pictures").iterdir()}
    assert names == {"scatter-quick.png", "confusions-splitting-moduli-quick.png"}
    refused = pconv("results", "--from", "kept", "--images", "s.svg")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "results.md").exists()
