"""A command is one module in `pconv.cli.commands`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pconv.cli import commands, registry

MODULE = '''
from pconv.cli.registry import command


@command(5)
def greet(name: str) -> None:
    """Greet somebody."""
    print(f"Hello, {name}.")
'''


def test_a_module_in_the_package_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "greet.py").write_text(MODULE)
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "_commands", list(registry._commands))
    app = typer.Typer()
    registry.add_commands(app)
    try:
        shown = CliRunner().invoke(app, ["--help"]).output
        assert shown.index("greet") < shown.index("theory") < shown.index("bench")
        assert CliRunner().invoke(app, ["greet", "Ada"]).output == "Hello, Ada.\n"
    finally:
        sys.modules.pop("pconv.cli.commands.greet")
