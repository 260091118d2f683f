"""What must be true after every command, whatever its input was."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tools.fuzz.command_lines import commands
from tools.fuzz.complete import incomplete
from tools.fuzz.in_process import Ended
from tools.fuzz.sandbox import Content, Files
from tools.fuzz.template import STORE

REFUSED, UNEXPECTED, INTERRUPTED = 2, 70, 130
_CODES = {
    0: None,
    1: {"train"},
    REFUSED: None,
    3: {"sweep", "reproduce", "bench", "verify"},
    INTERRUPTED: None,
}
"""The documented exit codes, and the commands that may end with them; None: all."""
_WRITES_STORE = {"train", "sweep", "reproduce", "evaluate", "gc", "rm", "import", "discover"}
_REMOVES_RUNS = {"rm"}
_LOGS = {
    "train",
    "sweep",
    "reproduce",
    "evaluate",
    "verify",
    "certify",
    "discover",
    "board",
    "figure",
    "report",
}
"""The commands whose lines about the work may come before the line of an error."""
_PRINTS_FIRST = {"export", "discover"}
"""`export` writes runs as it reads them, `discover --register` shows that it has found no law to register."""
_OUTPUTS = ("--output", "-o", "--save", "--figure", "--images", "--register", "--export")
_DEFAULT_OUTPUTS = {"report": ["report.html"], "results": ["results.md"], "board": ["board-networks"]}
_OF_OTHERS = (".ses",)
"""Temporary files that other programs keep: ONNX Runtime the id of a session."""
_OF_SQLITE = ("-shm", "-wal")
_DRAFT = re.compile(r"\..+\.[a-z0-9_]{8}")
"""The names of files until they are complete."""
_LONGEST_MESSAGE = 2_000


class Finding(NamedTuple):
    """A broken invariant. Findings of the same `what` likely have one cause."""

    what: str
    detail: str = ""


class Observed(NamedTuple):
    """A case after its end: the command line, how it ended, files before and after, and temporary ones."""

    arguments: Sequence[str]
    ended: Ended
    before: Files
    after: Files
    temporary: Files

    @property
    def command(self) -> str:
        return self.arguments[0] if self.arguments else ""

    @property
    def changed(self) -> list[str]:
        """The paths that are new, gone or have other contents."""
        names = self.before.keys() | self.after.keys()
        return sorted(name for name in names if self.before.get(name) != self.after.get(name))


def findings(observed: Observed) -> list[Finding]:
    """All that is wrong with a case."""
    return [finding for check in _CHECKS for finding in check(observed)]


def _exit_code(observed: Observed) -> Iterator[Finding]:
    ended = observed.ended
    if ended.code is None:
        yield Finding(f"uncaught {ended.exception.partition(': ')[0]}", ended.exception)
    elif ended.code == UNEXPECTED:
        what = _logged_exception(observed.temporary)
        yield Finding(f"exit code 70: {what}", ended.stderr)
    elif ended.code not in _CODES:
        yield Finding(f"exit code {ended.code}, which is not documented", ended.stderr)
    elif (commands := _CODES[ended.code]) is not None and observed.command not in commands:
        yield Finding(f"exit code {ended.code} of {observed.command}", ended.stderr)
    elif ended.code == INTERRUPTED and not ended.interrupted:
        yield Finding("exit code 130 without an interrupt", ended.stderr)


def _logged_exception(temporary: Files) -> str:
    """The exception in the log file of an unexpected error, and the last place in pconv."""
    for name, content in temporary.items():
        if name.startswith("pconv-error-") and isinstance(content, bytes):
            text = content.decode("utf-8", "replace")
            places = re.findall(r'File "[^"]*/src/(pconv/[^"]+)", line (\d+)', text)
            last = next(
                (line for line in reversed(text.splitlines()) if re.match(r"\w[\w.]*(:|$)", line)), "?"
            )
            return f"{last.partition(':')[0]} at {':'.join(places[-1]) if places else '?'}"
    return "no log"


def _messages(observed: Observed) -> Iterator[Finding]:
    ended = observed.ended
    if "--debug" in observed.arguments:
        return
    for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        in_finalizer = ended.interrupted and "Exception ignored in" in text  # where Python loses interrupts
        if "Traceback (most recent call last)" in text and not in_finalizer:
            yield Finding(f"a traceback on {name}", text[:2_000])
        if odd := {c for c in set(text) if not c.isprintable()} - {"\n", "\t"}:
            yield Finding(f"control characters on {name}", repr(sorted(odd)))
    if ended.code != REFUSED:
        return
    lines = ended.stderr.splitlines()
    if not lines or not lines[-1].startswith("pconv: ") or len(lines[-1]) < len("pconv: ...."):
        yield Finding("refused without a message", ended.stderr)
    elif len(lines) > 1 and observed.command not in _LOGS:
        yield Finding("refused with more than one line", ended.stderr)
    if len(ended.stderr) > _LONGEST_MESSAGE:
        yield Finding("refused with a very long message", ended.stderr[:300])
    if ended.stdout and observed.command not in _PRINTS_FIRST:
        yield Finding("refused after an output", ended.stdout[:300])


def _json_output(observed: Observed) -> Iterator[Finding]:
    """With --json there is one document on standard output, without NaN, which JSON does not have."""
    if observed.ended.code != 0 or not _asks_for_json(observed.arguments):
        return
    try:
        json.loads(observed.ended.stdout, parse_constant=_refuse_constant)
    except ValueError as error:
        yield Finding(
            f"the output of {observed.command} --json is not JSON", f"{error}: {observed.ended.stdout[:200]}"
        )


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether --json is among the options, and not the value of the option before it."""
    if {"--help", "-h"} & {*arguments}:
        return False
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    with_value = {
        flag for each in commands() for p in each.parameters if p.type is not bool for flag in p.flags
    }
    return any(word == "--json" and before not in with_value for before, word in pairwise(options))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _files(observed: Observed) -> Iterator[Finding]:
    for name in observed.temporary:
        if not name.startswith(("pconv-error-", *_OF_OTHERS)):
            yield Finding("a temporary file is left", name)
    outputs = _outputs(observed)
    for name in observed.changed:
        if _DRAFT.fullmatch(name.rpartition("/")[2]):
            yield Finding("an unfinished file is left", name)
        elif name.endswith(_OF_SQLITE):
            continue  # SQLite makes them when a database is read, and keeps them if a case is interrupted
        elif _is_below(name, outputs):
            if reason := incomplete(observed.command, name, observed.after.get(name)):
                yield Finding(f"an output is not complete: {reason}", name)
            elif observed.ended.code == REFUSED:
                yield Finding(f"{observed.command} is refused and changes its output", name)
        elif not _may_change_store(observed, name) and not _is_above(name, outputs):
            word = "changed" if name in observed.before and name in observed.after else "added"
            word = word if name in observed.after else "removed"
            yield Finding(f"{observed.command} has {word} a file that is no output", name)


def _outputs(observed: Observed) -> list[str]:
    given = list(_given(observed.arguments, _OUTPUTS))
    begun = [f"{path}.partial" for path in given if observed.command == "certify"]
    return [*given, *begun, *_DEFAULT_OUTPUTS.get(observed.command, ())]


def _given(arguments: Sequence[str], flags: Sequence[str]) -> Iterator[str]:
    """The values of options, as paths."""
    for word, following in pairwise([*arguments, ""]):
        for flag in flags:
            if word == flag:
                yield os.path.normpath(following)
            elif word.startswith(flag + "=" if flag.startswith("--") else flag):
                yield os.path.normpath(
                    word.removeprefix(flag).removeprefix("=" if flag.startswith("--") else "")
                )


def _is_below(name: str, places: Sequence[str]) -> bool:
    return any(place in (name, ".") or name.startswith(f"{place}/") for place in places)


def _is_above(name: str, places: Sequence[str]) -> bool:
    return any(place.startswith(f"{name}/") for place in places)


def _may_change_store(observed: Observed, name: str) -> bool:
    """Whether the path is of a store that the command writes."""
    for store in (STORE, *_given(observed.arguments, ["--store"])):
        own = name in (store, f"{store}-journal") or _is_below(name, [f"{store}.d"])
        if own and observed.command in _WRITES_STORE:
            return True
    return False


def _runs(observed: Observed) -> Iterator[Finding]:
    """No run is lost, neither from the store nor from files of results."""
    exported_before, exported_after = _exported_runs(observed.before), _exported_runs(observed.after)
    if lost := exported_before - exported_after:
        yield Finding(f"{observed.command} has lost runs of the results", ", ".join(lost))
    before, after = observed.before.get(STORE), observed.after.get(STORE)
    if before == after or f"{STORE}-wal" in observed.before or observed.command in _REMOVES_RUNS:
        return
    if lost := _finished_runs(before) - _finished_runs(after):
        yield Finding(f"{observed.command} has lost runs of the store", ", ".join(lost))


def _exported_runs(files: Files) -> set[str]:
    """The ids in all files of results."""
    texts = (content for name, content in files.items() if name.endswith(".jsonl"))
    found = (_IDS.findall(text) for text in texts if isinstance(text, bytes))
    return {run_id.decode() for ids in found for run_id in ids}


_IDS = re.compile(rb'"run_id": ?"(\w{16})"')


def _finished_runs(content: Content | None) -> set[str]:
    """The ids of the runs in a store, as far as they can be read."""
    if not isinstance(content, bytes) or len(content) < 100:
        return set()
    rollback = content[:18] + b"\1\1" + content[20:]  # a database in memory has no write-ahead log
    try:
        db = sqlite3.connect(":memory:")
        db.deserialize(rollback)
        return {row[0] for row in db.execute("SELECT run_id FROM results")}
    except sqlite3.Error:
        return set()
    finally:
        db.close()


_CHECKS = (_exit_code, _messages, _json_output, _files, _runs)
