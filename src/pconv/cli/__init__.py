"""The command line. Commands load what they need when they run, so that `pconv --help` is instant."""

from __future__ import annotations

import sys

import typer

from pconv.cli.exit_codes import INTERRUPTED
from pconv.cli.main import app
from pconv.errors import InputError, PconvError

_ARGUMENTS = {"file", "number", "run", "spec", "study"}  # these have no flag on the command line


def main() -> None:
    """Runs the command; an error of the user is one line on stderr and exit code 2."""
    command = typer.main.get_command(app)
    try:
        code = command.main(sys.argv[1:] or ["--help"], prog_name="pconv", standalone_mode=False)
    except typer.TyperException as error:
        _fail(_with_value(error) + _with_names(error))
    except InputError as error:
        dashes = "" if error.name in _ARGUMENTS else "--"
        _fail(f"{dashes}{error.name.replace('_', '-')} {error.value}: {error.allowed}")
    except PconvError as error:
        _fail(str(error))
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the pipe has closed it
        sys.stderr.close()
        sys.exit(0)
    sys.exit(code or 0)


def _with_value(error: typer.TyperException) -> str:
    """The message with the invalid value, which typer leaves out where pydantic checked the type."""
    details: list[dict[str, object]] = getattr(error.__cause__, "errors", list)()
    given = f" (given: {details[0]['input']!r})" if details else ""
    return f"{error.format_message()}{given}"


def _with_names(error: typer.TyperException) -> str:
    """The names of all commands, if the error is an unknown one."""
    context = getattr(error, "ctx", None)
    if context is None or not error.format_message().startswith("No such command"):
        return ""
    return f" There are: {', '.join(context.command.list_commands(context))}."


def _fail(message: str) -> None:
    print("pconv:", " ".join(message.split()), file=sys.stderr)
    sys.exit(2)
