"""The command line. Commands load what they need when they run, so that `pconv --help` is instant."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command of `sys.argv`, and end the process with one of the documented exit codes.

    All else is imported in here, so that Ctrl-C in the first moments ends the program with one line, too.
    """
    try:
        from pconv.cli.interrupts import handle_interrupts

        handle_interrupts()
        from pconv.cli.run import run

        run()
    except KeyboardInterrupt:
        from pconv.cli.interrupts import ignore_interrupts, interrupt_code

        ignore_interrupts()
        if sys.stderr is not None:
            print("pconv: interrupted", file=sys.stderr)
        sys.exit(interrupt_code())
