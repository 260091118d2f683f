"""The command line. Commands load what they need when they run, so that `pconv --help` is instant."""

from __future__ import annotations

import sys

import typer

from pconv.cli.exit_codes import INTERRUPTED
from pconv.cli.main import app
from pconv.errors import InputError, PconvError

_ARGUMENTS = {"file", "number", "run", "spec", "study"}  # what stands on the command line without a flag


def main() -> None:
    """Run the command; what the user can mend is said in one line with exit code 2."""
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
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(0)
    sys.exit(code or 0)


def _with_value(error: typer.TyperException) -> str:
    """Typer checks types with pydantic and leaves out the value that was wrong; its error still has it."""
    details: list[dict[str, object]] = getattr(error.__cause__, "errors", list)()
    given = f" (given: {details[0]['input']!r})" if details else ""
    return f"{error.format_message()}{given}"


def _with_names(error: typer.TyperException) -> str:
    """A command that does not exist is answered with those that do."""
    group = getattr(getattr(error, "ctx", None), "command", None)
    known: dict[str, object] = getattr(group, "commands", {})
    unknown = error.format_message().startswith("No such command")
    return f" There are: {', '.join(known)}." if unknown else ""


def _fail(message: str) -> None:
    print("pconv:", " ".join(message.split()), file=sys.stderr)
    sys.exit(2)
