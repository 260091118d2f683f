"""`pconv rm`: what is named goes, after a question on a terminal; anything else is refused with one line."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest

from pconv.store.sqlite import Claim, Store
from tests.cli.conftest import Run, Trained
from tests.cli.test_store import refused
from tests.fakes import fake_result, tiny
from tests.store.test_reading import interrupt


class Terminal(io.StringIO):
    """Standard input at which a user types."""

    def isatty(self) -> bool:
        return True


def test_a_run_is_removed_with_its_files(pconv: Run, trained: Trained, tmp_path: Path) -> None:
    shutil.copytree(trained.directory / "pconv.db.d", tmp_path / "pconv.db.d")
    shutil.copy(trained.directory / "pconv.db", tmp_path)
    size = sum(path.stat().st_size for path in (tmp_path / "pconv.db.d").rglob("*") if path.is_file())
    done = pconv("rm", trained.run_id[:5], trained.run_id)
    expected = f"Removed 1 run ({trained.run_id}) and 3 files, {size / 1e6:.1f} MB.\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
    assert [path for path in (tmp_path / "pconv.db.d").rglob("*") if path.is_file()] == []
    assert pconv("runs", "--json").stdout == "[]\n"
    assert "is sound. Removed 0 files" in pconv("gc").stdout


def test_a_terminal_is_asked(pconv: Run, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path) as store:
        for seed in (0, 1):
            store.finish(fake_result(tiny(seed)), None, {}, "me")
    ids = [tiny(seed).run_id for seed in (0, 1)]
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    done = pconv("rm", *ids)
    assert done.returncode == 0
    assert f"{ids[1]}  m=3, B=3, k=3" in done.stdout
    assert "Remove 2 runs? [y/N]" in done.stdout
    assert done.stdout.endswith("Nothing was removed.\n")
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert f"Removed 1 run ({ids[0]})" in pconv("rm", ids[0]).stdout
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert "?" not in pconv("rm", "--yes", ids[1]).stdout
    with Store.read(path) as store:
        assert store.summaries() == []


def test_nothing_is_removed_if_one_cannot_be(pconv: Run, path: Path) -> None:
    refused(pconv("rm", "ab"), "the store pconv.db does not exist")
    assert not path.exists()
    with Store.open(path) as store:
        for seed in range(20):
            store.finish(fake_result(tiny(seed)), None, {}, "me")
        assert store.claim(tiny(100), "you") is Claim.ACQUIRED
        ids = store.run_ids()
    twice = next(i[0] for i in ids if sum(other[0] == i[0] for other in ids) > 1)
    refused(pconv("rm", ids[0], "xyz"), "run 'xyz'", "is not in the store")
    refused(pconv("rm", ids[0], twice), f"run '{twice}'", "give more of it")
    refused(pconv("rm", ids[0], tiny(100).run_id), tiny(100).run_id, "is being trained by you")
    refused(pconv("rm"), "RUN")
    with Store.read(path) as store:
        assert store.run_ids() == ids


def test_an_interrupted_run_is_removed(pconv: Run, path: Path) -> None:
    with Store.open(path) as store:
        interrupt(store)
        store.fail(tiny(1), "ValueError: no", "me")
    done = pconv("rm", tiny().run_id, tiny(1).run_id)
    assert "2 runs" in done.stdout
    assert "1 file," in done.stdout
    assert pconv("runs", "--json").stdout == "[]\n"
