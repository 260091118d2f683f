"""Whether an output file is complete, by its format."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import PurePath

from tools.fuzz.sandbox import Content


def incomplete(command: str, name: str, content: Content | None) -> str:
    """Why an output that was written or removed is not complete; empty if it is.

    Parameters
    ----------
    command
        The command that wrote it.
    name
        Its path. The ending is that of its format, except for commands that write one format only.
    content
        What the file holds; None if it was removed.
    """
    if content is None:  # `export` moves runs between its files, `certify` ends with its partial file
        return "the file that was there is gone" if not name.endswith((".jsonl", ".partial")) else ""
    if not isinstance(content, bytes):
        return ""
    check = _CHECKS.get(_FORMATS.get(command) or PurePath(name).suffix.lower())
    return "" if check is None else check(content)


def _ends_with(*endings: bytes) -> Callable[[bytes], str]:
    return lambda content: "" if content.rstrip().endswith(endings) else f"does not end with {endings[0]!r}"


def _json_lines(content: bytes) -> str:
    try:
        for line in content.decode("utf-8").splitlines():
            json.loads(line)
    except ValueError as error:
        return f"{error}"
    return "" if not content or content.endswith(b"\n") else "the last line has no end"


def _json(content: bytes) -> str:
    try:
        json.loads(content)
    except ValueError as error:
        return f"{error}"
    return ""


def _table(content: bytes) -> str:
    widths = {len(row) for row in csv.reader(io.StringIO(content.decode("utf-8"), newline=""))}
    return "" if len(widths) <= 1 else f"rows of {sorted(widths)} cells"


def _archive(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.testzip() or ""


def _tensors(content: bytes) -> str:
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        load(content)
    except SafetensorError as error:
        return str(error)
    return ""


_CHECKS: Mapping[str, Callable[[bytes], str]] = {
    ".html": _ends_with(b"</html>"),
    ".htm": _ends_with(b"</html>"),
    ".svg": _ends_with(b"</svg>"),
    ".png": _ends_with(b"IEND\xaeB`\x82"),
    ".pdf": _ends_with(b"%%EOF"),
    ".jsonl": _json_lines,
    ".csv": _table,
    ".pt2": _archive,
    ".safetensors": _tensors,
    ".json": _json,
}
_FORMATS = {"compile": ".safetensors", "train": ".safetensors", "certify": ".json"}
