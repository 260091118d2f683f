"""The commands that draw."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.models.registry import network_of
from pconv.models.weights import save_weights
from pconv.store.judging import verdicts_on
from pconv.store.sqlite import Store
from tests.cli.conftest import Run, Trained
from tests.report.fakes import result

BAD = [
    ("report -o x.pdf", "--output x.pdf: must end in .html"),
    ("report -o nowhere/x.html", "--output nowhere/x.html: cannot be written"),
    ("figure", "Missing command"),
    (
        "figure pie -o x.pdf",
        "There are: architecture, board, confusion, confusions, laws, losses, map, pace, scatter, table, ",
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
    ("report some.safetensors", "some.safetensors: is put into the page with --live"),
    ("report --live some.safetensors", "some.safetensors: does not exist"),
    ("report --document nowhere.json", "--document nowhere.json: cannot be read"),
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


def live_document(page: Path) -> Any:
    """The networks of a page."""
    [found] = re.findall(r'id="live-data">(.*?)</script>', page.read_text("utf-8"))
    return json.loads(found)


def test_a_page_with_the_network_that_ships(pconv: Run, tmp_path: Path) -> None:
    done = pconv("report", "--live", "-o", "live.html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("live.html: 3 networks, 0 runs, ")
    assert (
        done.stderr == "pconv: eleven: Half precision: the weights were rounded to it after the training.\n"
    )
    document = live_document(tmp_path / "live.html")
    assert [network["kind"] for network in document["networks"]] == ["trained", "compiled", "random"]
    epochs = document["networks"][0]["epochs"]
    assert [epoch["epoch"] for epoch in epochs] == [0, 1, 2, 4, 13]
    assert epochs[0]["weights"] == document["networks"][2]["epochs"][0]["weights"], "embedded once"


def test_a_page_with_networks_of_the_user(pconv: Run, trained: Trained, tmp_path: Path) -> None:
    """A run with its snapshots, and a compiled network in a file, which replaces the compiled twin."""
    shutil.copytree(trained.directory, tmp_path, dirs_exist_ok=True)
    assert pconv("compile", "-m11", "-B8", "-N8", "-o", "c.safetensors").returncode == 0
    done = pconv("report", "--live", trained.run_id[:8], "c.safetensors")
    assert done.returncode == 0, done.stderr
    document = live_document(tmp_path / "report.html")
    run, compiled, random = document["networks"]
    assert (run["kind"], RunConfig.from_dict(run["config"]).run_id) == ("trained", trained.run_id)
    assert [epoch["epoch"] for epoch in run["epochs"]] == [0, 2, 4]
    assert (compiled["name"], compiled["kind"], random["kind"]) == ("c.safetensors", "compiled", "random")
    assert all(len(text) <= 2_000_000 for text in document["weights"])
    at_two = pconv("report", "--live", f"{trained.run_id}@2")
    assert at_two.returncode == 0
    assert [e["epoch"] for e in live_document(tmp_path / "report.html")["networks"][0]["epochs"]] == [0, 2]


def test_networks_that_the_page_cannot_hold(pconv: Run, tmp_path: Path) -> None:
    """Another architecture, another representation, a task that no theory is about, and too many weights."""
    refused: dict[str, dict[str, Any]] = {
        "architecture transformer": {"architecture": "transformer"},
        "representation binary": {"representation": "binary"},
        "task primality": {"task": "primality", "modulus": 2},
        "its 870,365 weights take 2.3 MB in half precision; in the page a network takes at most 2 MB": {
            "primes": 96
        },
    }
    for message, fields in refused.items():
        config = RunConfig(
            **{"modulus": 5, "primes": 8, "limit": 3_000, "batches": 2, "test_size": 100, **fields}
        )
        save_weights(tmp_path / "w.safetensors", network_of(config).state_dict(), config, 1)
        done = pconv("report", "--live", "w.safetensors")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert message in done.stderr
        assert not (tmp_path / "report.html").exists()


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
