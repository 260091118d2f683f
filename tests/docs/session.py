"""A Python session of its own for a page, so that what a page registers stays there.

`python -m tests.docs.session` reads a JSON text a line, runs it, and answers with what went wrong, or null.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import linecache
import re
import sys
import traceback
from typing import Any

from tests.docs.markdown import agrees

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def main() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    answers = sys.stdout
    for request in sys.stdin:
        source, where, prompted = json.loads(request)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            wrong = _prompted(source, where, names) if prompted else _plain(source, where, names)
        if wrong is None and not agrees(promised(source), printed.getvalue()):
            wrong = f"should print\n{promised(source)}\nand printed"
        answers.write(json.dumps(wrong and f"{wrong}\n{printed.getvalue()}") + "\n")
        answers.flush()


def _plain(source: str, where: str, names: dict[str, Any]) -> str | None:
    linecache.cache[where] = len(source), None, source.splitlines(keepends=True), where  # for the traceback
    try:
        exec(compile(source, where, "exec"), names)
    except Exception:
        return traceback.format_exc()
    return None


def promised(source: str) -> str:
    """What the comments `# prints ...` say that a block prints, with anything around it."""
    return "\n...\n".join(["", *re.findall(r"  # prints (.*)$", source, re.MULTILINE), ""])


def _prompted(source: str, where: str, names: dict[str, Any]) -> str | None:
    """A block with `>>>` is held to the output it shows."""
    test = doctest.DocTestParser().get_doctest(source, names, where, where, 0)
    test.globs = names  # the names that a block makes are there in the next one
    output = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=output.write, clear_globs=False).failed
    return output.getvalue() if failed else None


if __name__ == "__main__":
    main()
