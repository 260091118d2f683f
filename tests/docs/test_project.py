"""What the project says of itself to others: its citation, its wheel, its targets."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import yaml

from pconv import __version__

ROOT = Path(__file__).parents[2]


def test_the_citation_names_the_software_and_the_paper() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # what the format asks for
    assert (citation["cff-version"], citation["type"], citation["version"]) == (
        "1.2.0",
        "software",
        __version__,
    )
    (paper,) = citation["references"]
    assert {"type", "title", "authors"} <= set(paper)
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Panelli", "Almhaithawi", "Cerquitelli", "Bellini"]


def test_the_wheel_holds_all_that_the_package_needs(tmp_path: Path) -> None:
    """`make dist`, without the source archive, on a copy: a build leaves files behind."""
    source = tmp_path / "source"
    shutil.copytree(ROOT / "src/pconv", source / "src/pconv", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", "."]
    done = subprocess.run([*command, "source"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        (metadata,) = (archive.read(name).decode() for name in inside if name.endswith("METADATA"))
    package = ROOT / "src/pconv"
    there = (path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    wanted = {path.relative_to(ROOT / "src").as_posix() for path in there}
    assert {name for name in inside if name.startswith("pconv/")} == wanted
    assert {"pconv/py.typed", "pconv/studies/paper.json", "pconv/report/page/assets/page.css"} <= wanted
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    assert "License-Expression: Apache-2.0" in metadata


def test_make_alone_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.findall(r"^make (\w+) +\S", done.stdout, flags=re.MULTILINE) == targets.split()
