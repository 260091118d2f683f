"""The documentation site: it builds without a warning, fetches nothing, and says what the code says."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from pconv.cli.program import app

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it: a warning is an error."""
    to = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, "-d", to / "kept", ROOT / "docs", to / "html"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return to / "html"


def test_every_page_is_there(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert len(pages) > 10
    for page in pages:
        assert (site / page).with_suffix(".html").is_file()


def test_a_page_fetches_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link|iframe)\b[^>]*(?:src|href)="([^"]+)"', text)
        assert [address for address in fetched if "//" in address] == [], page


def test_the_reference_has_every_command_and_module(site: Path) -> None:
    commands = (site / "reference/commands.html").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"pconv {command.name or command.callback.__name__}" in commands
    assert commands.count("--install-completion") == 1  # in the text: of the program, not of a command
    reference = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    for path in (ROOT / "src/pconv").glob("*/*.py"):
        name = f"pconv.{path.parent.name}.{path.stem}"
        if path.stem != "__init__" and path.parent.name != "cli":
            assert f'id="module-{name}"' in reference, name


def test_the_picture_of_the_modules_is_that_of_the_import_contract() -> None:
    draw = runpy.run_path(str(ROOT / "docs/draw_modules.py"))
    packages = {
        path.stem for path in (ROOT / "src/pconv").iterdir() if not path.name.startswith(("_", "py."))
    }
    assert {name for layer in draw["layers"]() for name in layer} == packages
    drawn = draw["PICTURE"].read_text(encoding="utf-8")
    assert drawn == draw["picture"](), "python docs/draw_modules.py updates it"
