from __future__ import annotations

import pytest
import typer

from pconv.cli.program import app
from tests.cli.conftest import Run

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", ["", *COMMANDS, "figure map"])
def test_flags_have_no_placeholder_for_a_value(pconv: Run, command: str) -> None:
    """Also those that typer adds: --help, --install-completion."""
    done = pconv(*command.split(), "--help")
    assert done.returncode == 0
    assert "--help" in done.stdout
    assert "<bool>" not in done.stdout
