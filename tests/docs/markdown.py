"""The code blocks of a Markdown page: what is in them, and whether they are to be run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(.*)$")
_NOT_RUN = re.compile(r"^<!-- not run: (\S.*) -->$")
_FILE = re.compile(r"^# (\S+\.(?:toml|py))$")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it starts, its language, its text, and why it is not run (None: it is)."""

    page: str
    line: int
    language: str
    text: str
    not_run: str | None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file that the block's first line names: the block is its content."""
        found = _FILE.match(self.text.partition("\n")[0])
        return found[1] if found else None


@dataclass(frozen=True)
class Command:
    """A line after `$ ` and what the page shows below it."""

    line: str
    shown: str


def blocks(path: Path, page: str) -> list[Block]:
    """All fenced blocks of a page in their order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found, i = [], 0
    while i < len(lines):
        opened = _FENCE.match(lines[i])
        if opened is None:
            i += 1
            continue
        end = next(j for j in range(i + 1, len(lines)) if lines[j].strip() == opened[1])
        text = dedent("\n".join(lines[i + 1 : end]))
        reason = _NOT_RUN.match(_above(lines, i).strip())
        found.append(Block(page, i + 1, opened[2], text, reason[1] if reason else None))
        i = end + 1
    return found


def _above(lines: list[str], i: int) -> str:
    """The last line before line i that is not empty."""
    return next((line for line in reversed(lines[:i]) if line.strip()), "")


def commands(text: str) -> list[Command]:
    """The commands of a console block: with `$ ` before each and output below, or one a line."""
    lines = text.splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return [Command(line, "...") for line in lines if line.strip() and not line.startswith("#")]
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0].strip(), "a console block starts with a command"
    return [Command(line, shown) for line, _, shown in (part.partition("\n") for part in parts[1:])]


def agrees(shown: str, printed: str) -> bool:
    """Whether a page shows what is printed: `...` is anything, and space is space however long."""
    parts = [re.escape(" ".join(part.split())) for part in shown.split("...")]
    return re.fullmatch(r" ?.* ?".join(parts), " ".join(printed.split())) is not None
