"""Runs a command: every way in which it can end is one line and an exit code."""

from __future__ import annotations

import sys
from typing import Any

import typer

from pconv._text import shortened
from pconv.cli.exit_codes import INTERRUPTED, INVALID_INPUT, TERMINATED, UNEXPECTED
from pconv.cli.interrupts import Interrupted, ignore_interrupts, interrupt_code
from pconv.cli.program import DEBUG, app
from pconv.cli.standard_streams import close_output, prepare_streams, print_note
from pconv.cli.unexpected import print_traceback, report_unexpected
from pconv.errors import InputError, PconvError

_LONGEST = 200  # characters of a value in a message
_LONGEST_MESSAGE = 1_000


def run() -> None:
    """Run the command of `sys.argv`, and end the process with one of the documented exit codes.

    An error of the user is one line on stderr and exit code 2. Any other exception is one line, too, with
    exit code 70 and a log file; `--debug`, anywhere on the command line, prints its traceback.
    """
    arguments = sys.argv[1:]
    try:
        prepare_streams()
        code = _run([argument for argument in arguments if argument != DEBUG] or ["--help"])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _report(Interrupted("interrupted"), arguments)
    except BrokenPipeError:  # the reader of the pipe has enough
        code = 0
    except Exception as error:
        if DEBUG in arguments:
            print_traceback(error)
        code = _report(error, arguments)
    if code in (INTERRUPTED, TERMINATED):
        ignore_interrupts()
    if sys.stdout is not None:
        close_output()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    try:
        code: int = command.main(arguments, prog_name="pconv", standalone_mode=False) or 0
        if code == INTERRUPTED:  # what typer makes of KeyboardInterrupt
            raise Interrupted("interrupted")
        return code
    except SystemExit as ended:  # how typer ends where the reader of a pipe has closed it
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise


def _report(error: Exception, arguments: list[str]) -> int:
    """Print the one line about an exception; the exit code."""
    match error:
        case typer.Abort():
            return interrupt_code()
        case Interrupted():
            print_note(str(error))
            return interrupt_code()
        case typer.TyperException():
            _print_error(_with_value(error) + _with_names(error))
        case InputError():
            _print_error(f"{_as_typed(error.name, arguments)} {error.detail}")
        case PconvError():
            _print_error(str(error))
        case OSError():
            _print_error(_os_error(error))
        case MemoryError():
            _print_error(
                f"there is not enough memory ({error})" if str(error) else "there is not enough memory"
            )
        case _:
            report_unexpected(error, arguments)
            return UNEXPECTED
    return INVALID_INPUT


def _as_typed(name: str, arguments: list[str]) -> str:
    """The flag of this name, if the command has one: it may also be an argument, or a field of a file."""
    command: Any = typer.main.get_command(app)
    for word in arguments:
        if hasattr(command, "get_command"):  # a group
            command = command.get_command(None, word) or command
    flag = f"--{name.replace('_', '-')}"
    return flag if any(flag in parameter.opts for parameter in command.params) else name


def _print_error(message: str) -> None:
    print_note(shortened(message, _LONGEST_MESSAGE))


def _os_error(error: OSError) -> str:
    where = "" if error.filename is None else f"{shortened(str(error.filename), _LONGEST)}: "
    return f"{where}{error.strerror or error}"


def _with_value(error: typer.TyperException) -> str:
    """The message with the invalid value, which typer leaves out where pydantic checked the type."""
    details: list[dict[str, object]] = getattr(error.__cause__, "errors", list)()
    given = f" (given: {shortened(repr(details[0]['input']), _LONGEST)})" if details else ""
    return f"{error.format_message()}{given}"


def _with_names(error: typer.TyperException) -> str:
    """The names of all commands, if the error is an unknown one."""
    context = getattr(error, "ctx", None)
    if context is None or not error.format_message().startswith("No such command"):
        return ""
    return f" There are: {', '.join(context.command.list_commands(context))}."
