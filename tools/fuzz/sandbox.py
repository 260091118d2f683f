"""The directory in which cases run: a copy of the template, compared and restored after each of them."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

Content = bytes | str
"""The bytes of a file; in words, what is there instead of a file."""
Files = Mapping[str, Content]
"""What is in a directory, by path."""


def files_below(directory: Path) -> dict[str, Content]:
    """All that is in a directory, at any depth."""
    return dict(_walk(str(directory), ""))


def _walk(directory: str, prefix: str) -> Iterator[tuple[str, Content]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            name = prefix + entry.name
            if entry.is_symlink():
                yield name, f"link to {os.readlink(entry.path)}"
            elif entry.is_dir():
                yield name, "directory"
                yield from _walk(entry.path, f"{name}/")
            elif entry.is_file():
                yield name, _bytes(entry)
            else:
                yield name, f"special {stat.S_IFMT(entry.stat().st_mode):o}"


def _bytes(entry: os.DirEntry[str]) -> Content:
    if not entry.stat().st_mode & 0o444:
        return f"unreadable, {entry.stat().st_size} bytes"
    with open(entry.path, "rb") as file:
        return file.read()


def _make_closed(path: Path) -> None:
    path.write_text("secret\n", "utf-8")
    path.chmod(0)


def _make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # the address of a socket is at most about 100 bytes


MADE: Mapping[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to("loop"),
    "dangling": lambda path: path.symlink_to("nowhere/at/all"),
    "socket": _make_socket,
    "closed": _make_closed,  # which root can read nevertheless
    "empty": Path.touch,
    "notes.txt": lambda path: path.write_text("Not a file of pconv.\n", "utf-8"),
}
"""What is in the directory besides the template's files: paths that no command can use."""


class Sandbox:
    """A copy of the template's files, and of what no command can use, in a directory of its own.

    Parameters
    ----------
    template
        The directory that `build_template` filled.
    place
        An empty directory: `files` in it is where commands run, `temporary` that of temporary files.
    """

    def __init__(self, template: Path, place: Path) -> None:
        self.checkpoint = template / "checkpoint"
        self.files, self.temporary = place / "files", place / "temporary"
        self.temporary.mkdir()
        shutil.copytree(template / "files", self.files)
        for name, make in MADE.items():
            make(self.files / name)
        self._sound = files_below(self.files)
        self._found: Files | None = None

    def restore(self) -> None:
        """Undo all that was changed since."""
        found = files_below(self.files) if self._found is None else self._found
        for name in sorted(found, reverse=True):  # what is in a directory before the directory
            if found[name] != self._sound.get(name):
                _remove(self.files / name)
        for name, content in sorted(self._sound.items()):
            if found.get(name) != content:
                self._write(self.files / name, content)
        for path in self.temporary.iterdir():
            _remove(path)
        self._found = None

    def contents(self) -> Files:
        """All that is in `files`. Nothing may be changed between this and `restore`, which relies on it."""
        self._found = files_below(self.files)
        return self._found

    def _write(self, path: Path, content: Content) -> None:
        if path.name in MADE:
            MADE[path.name](path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.mkdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
