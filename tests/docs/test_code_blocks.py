"""Every code block of README and docs does what the page says, in a directory of the page's own.

- `python` blocks are run, one session a page; with `>>>` they must print what is shown, and without what a
  comment `# prints ...` says.
- `console` blocks are run as a user runs them. What stands below a `$ command` must be printed by it, `...`
  being anything; without `$` there is a command a line. Each must end with exit code 0.
- A block whose first line is `# NAME.toml` or `# NAME.py` is written to that file; other TOML must be TOML.
- `text` is not code. A block is left out only after a line `<!-- not run: REASON -->`.

Sessions and `pconv` commands are processes that start with the libraries loaded (`tests/forked.py`).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from tests.docs.markdown import Block, agrees, blocks, commands
from tests.forked import ForkServer, Program

ROOT = Path(__file__).parents[2]
PAGES = [
    str(path.relative_to(ROOT))
    for path in [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    if path.name != "CHANGELOG.md"
]
STDERR = 2
LANGUAGES = {"python", "console", "toml", "yaml", "text"}


def environment(directory: Path) -> dict[str, str]:
    """As a user has it: pconv on the path, a terminal of 80 columns. `pip install` stays in the directory."""
    library = directory / "installed"
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(
            [str(library), str(ROOT / "src"), str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        ),
        "COLUMNS": "80",
        "PIP_TARGET": str(library),
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say: build with what is here
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


class Session:
    """The Python session of a page, started when the first block wants it."""

    def __init__(self, server: ForkServer, directory: Path) -> None:
        self.server = server
        self.directory = directory
        self.program: Program | None = None

    def _start(self) -> Program:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.channel = ours.makefile("rw")
            streams = theirs.fileno(), theirs.fileno(), STDERR
            command = ["-m", "tests.docs.session"]
            return self.server.start(command, self.directory, environment(self.directory), streams)

    def run(self, block: Block) -> None:
        self.program = self.program or self._start()
        prompted = block.text.lstrip().startswith(">>>")
        print(json.dumps([block.text + "\n", block.where, prompted]), file=self.channel, flush=True)
        answer = self.channel.readline()
        assert answer, f"{block.where}: the session ended"
        wrong = json.loads(answer)
        assert wrong is None, f"{block.where}\n{wrong}"

    def close(self) -> None:
        if self.program is not None:
            self.channel.close()  # the end of its input ends it
            self.program.wait()


def run_console(server: ForkServer, block: Block, directory: Path) -> None:
    for command in commands(block.text):
        line = command.line.partition(" #")[0]
        if re.fullmatch(r"pconv [^;|&<>$`*?~()]+", line):  # nothing that only a shell understands
            done = server.run(["-m", *shlex.split(line)], directory, environment(directory))
        else:
            done = subprocess.run(
                ["bash", "-c", command.line],
                cwd=directory,
                env=environment(directory),
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        message = f"{block.where}: {command.line}\nended with {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.returncode == 0, message
        assert agrees(command.shown, done.stdout), f"{message}\nand not, as the page shows,\n{command.shown}"


@pytest.mark.parametrize("page", PAGES)
def test_the_code_blocks_of_a_page_do_what_it_says(
    page: str, tmp_path: Path, fork_server: ForkServer
) -> None:
    with closing(Session(fork_server, tmp_path)) as python:
        for block in blocks(ROOT / page, page):
            if block.not_run is not None:
                continue
            if block.file is not None:
                (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / block.file).write_text(block.text + "\n", encoding="utf-8")
            elif block.language == "toml":
                tomllib.loads(block.text)
            elif block.language == "python":
                python.run(block)
            elif block.language == "console":
                run_console(fork_server, block, tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    for block in blocks(ROOT / page, page):
        directive = block.language.startswith("{")  # of the documentation site: a table of contents
        assert directive or block.language in LANGUAGES, f"{block.where}: {block.language or 'no language'}"


def test_a_block_is_left_out_only_for_a_reason(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- not run: takes hours -->\n\n```console\na\n```\n\n<!-- not run: -->\n```text\nb\n```\n"
    )
    first, second = blocks(page, "page.md")
    assert (first.not_run, first.text, first.line) == ("takes hours", "a", 3)
    assert second.not_run is None


def test_what_a_page_shows_is_held_against_what_is_printed() -> None:
    assert agrees("a\n...\nz", "a  \nb\nc\nz\n")
    assert agrees("accuracy 0.9...", "accuracy 0.91\n")
    assert not agrees("accuracy 0.91", "accuracy 0.92")
    assert not agrees("", "something")
    first, second = commands("$ one\nshown\n$ two")
    assert (first.line, first.shown, second.line, second.shown) == ("one", "shown\n", "two", "")
    assert [command.line for command in commands("one  # why\n\ntwo")] == ["one  # why", "two"]


@pytest.mark.parametrize("wrong", ["1 / 0", ">>> 1 + 1\n3", "print(1 + 1)  # prints 3"])
def test_a_block_that_fails_is_noticed(wrong: str, tmp_path: Path, fork_server: ForkServer) -> None:
    with closing(Session(fork_server, tmp_path)) as python:
        python.run(Block("page.md", 1, "python", "kept = 1", None))
        python.run(Block("page.md", 2, "python", ">>> kept\n1", None))
        python.run(Block("page.md", 2, "python", "print(1 / 3)  # prints 0.33...\nprint()", None))
        with pytest.raises(AssertionError, match=r"page.md:3"):
            python.run(Block("page.md", 3, "python", wrong, None))
    with pytest.raises(AssertionError, match="ended with 2"):
        run_console(fork_server, Block("page.md", 4, "console", "$ pconv paint", None), tmp_path)
