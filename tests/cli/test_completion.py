"""What a shell offers, asked for as the scripts of `pconv --show-completion` do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pconv.board.registry import methods
from pconv.cli.completion import METHODS, PROBES
from pconv.data.representations import representations
from pconv.data.tasks import tasks
from pconv.models.registry import architectures
from pconv.probes.registry import probes
from pconv.report.figures.registry import figures
from pconv.store.sqlite import Store
from pconv.studies.catalog import STUDIES, study_names
from pconv.theory.readers import READERS
from pconv.theory.registry import theories
from tests.cli.conftest import Run, installed
from tests.fakes import fake_result, tiny

Complete = Callable[[str], list[str]]


@pytest.fixture
def complete(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """The words that bash offers for the last one of a line."""

    def ask(line: str) -> list[str]:
        monkeypatch.setenv("_PCONV_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        done = pconv()
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    return ask


@pytest.fixture
def ids(path: Path) -> list[str]:
    with Store.open(path) as store:
        for seed in range(5):
            store.finish(fake_result(tiny(seed)), None, {}, "me")
        return store.run_ids()


def test_run_ids(complete: Complete, ids: list[str], tmp_path: Path) -> None:
    for line in ("show", "rm", "verify", "classify", "probe", "evaluate", "convert", "figure losses"):
        assert complete(f"pconv {line} ") == ids[::-1], line
    assert complete(f"pconv show {ids[2][:6]}") == [ids[2]]
    assert complete(f"pconv rm {ids[4]} {ids[1]} ") == [ids[3], ids[2], ids[0]], "each once"
    (tmp_path / "pconv.db").rename(tmp_path / "other.db")
    assert complete("pconv show ") == [], "there is no store"
    assert complete("pconv show --store other.db ") == ids[::-1]
    assert complete("pconv show --store=other.db ") == ids[::-1]
    assert complete("pconv verify --store=other.db --from results ") == [], "not those of the store"
    assert complete("pconv probe ./w") == [], "whereupon the shell offers files"


def test_a_broken_store_is_silent(complete: Complete, path: Path) -> None:
    path.write_text("no store\n" * 1000)
    assert complete("pconv show ") == []
    path.unlink()
    path.mkdir()
    assert complete("pconv show ") == []


def test_labels_are_help_and_nothing_in_them_is_evaluated(
    pconv: Run, ids: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zsh evaluates what it is given, and a store may come from anyone."""
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"pconv show {ids[0]}")
    monkeypatch.setenv("_PCONV_COMPLETE", "complete_zsh")
    assert f'"{ids[0]}":"{tiny().label()} (finished)"' in pconv().stdout
    hostile = {**tiny().to_dict(), "kernel": [7], "architecture": "\\$(touch gone)'\"; touch gone"}
    with Store.open(path) as store:
        store._connection.execute("UPDATE configs SET config = ?", (json.dumps(hostile),))
    offered = pconv().stdout
    assert "touch gone" in offered
    assert not set("\\$;`") & set(offered)


def test_names(complete: Complete) -> None:
    assert complete("pconv train --theory ") == [*READERS, *theories()]
    assert complete("pconv sweep x.toml --theory s") == ["size", "signature"]
    assert complete("pconv reproduce --theory p") == ["paper"]
    assert complete("pconv train --task ") == list(tasks())
    assert complete("pconv theory --task q") == ["quadratic"]
    assert complete("pconv train --architecture ") == list(architectures())
    assert complete("pconv train --representation ") == list(representations())
    assert complete("pconv train --engine s") == ["sparse"]
    assert complete("pconv figure ") == list(figures())
    assert sorted(complete("pconv reproduce ")) == sorted(study_names())
    assert sorted(complete("pconv reproduce headline co")) == ["columns", "confusions"]
    assert complete("pconv runs --study h") == ["headline"]
    assert complete("pconv runs --verdict re") == ["refuted"]
    assert complete("pconv export --status f") == ["finished", "failed"]


def test_probes(complete: Complete) -> None:
    """Their registry loads torch, so the names are listed a second time."""
    assert tuple(probes()) == PROBES
    assert complete("pconv probe x --probe ") == list(PROBES)


def test_methods(complete: Complete) -> None:
    assert tuple(methods()) == METHODS
    assert complete("pconv board --method ") == list(METHODS)


def test_a_package_is_not_loaded_for_its_name(complete: Complete, tmp_path: Path) -> None:
    with installed(tmp_path / "site", "slow_package", "1 / 0", {"pconv.studies": "doubled"}):
        assert "doubled" in STUDIES.names()
        assert complete("pconv reproduce dou") == ["doubled"]


def test_the_shell_waits_for_no_torch(ids: list[str], tmp_path: Path) -> None:
    """In a process of its own; everything that is offered, at once."""
    code = (
        "import os, sys, pconv.cli\n"
        "for line in sys.argv[1:]:\n"
        "    os.environ |= {'COMP_WORDS': line, 'COMP_CWORD': str(len(line.split(' ')) - 1)}\n"
        "    sys.argv = ['pconv']\n"
        "    try:\n        pconv.cli.main()\n    except SystemExit: pass\n"
        "print('loaded:', sorted({'torch', 'scipy', 'sklearn', 'sympy'} & set(sys.modules)))"
    )
    options = ("theory", "task", "architecture", "representation", "engine")
    lines = ["pconv show ", "pconv probe x --probe ", "pconv board --method ", "pconv reproduce "]
    lines += [f"pconv train --{option} " for option in options]
    done = subprocess.run(
        [sys.executable, "-c", code, *lines],
        env={**os.environ, "_PCONV_COMPLETE": "complete_bash"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ids[0] in done.stdout
    assert done.stdout.endswith("loaded: []\n")
    assert done.stderr == ""
