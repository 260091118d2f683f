"""pip install with a line every ten seconds: pip itself prints nothing for minutes, or a hundred lines.

python tools/install.py -r requirements.lock
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO

EVERY = 10.0  # seconds
_LAST = 20  # lines of pip that are printed if it fails


def main(arguments: Sequence[str]) -> int:
    """Runs pip and prints how far it is; the exit code is pip's."""
    command = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar=off")
    printed: SimpleQueue[str | None] = SimpleQueue()
    lines: list[str] = []
    with subprocess.Popen(
        (*command, *arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        Thread(target=_read, args=(pip.stdout, printed), daemon=True).start()
        while _wait(printed, lines):
            print(progress(lines), flush=True)
    if pip.returncode:
        print(*lines[-_LAST:], sep="\n")
    return pip.returncode


def progress(lines: Sequence[str]) -> str:
    """How far pip is, by what it has printed."""
    found = [match[1] for line in lines if (match := re.match(r"(?:Collecting|Processing) (\S+)", line))]
    installing = [line for line in lines if line.startswith("Installing collected packages: ")]
    if installing:
        return f"installing {installing[-1].count(',') + 1} packages"
    return f"collected {len(found)} packages" + (f", now {found[-1]}" if found else "")


def _read(stream: IO[str], printed: SimpleQueue[str | None]) -> None:
    for line in stream:
        printed.put(line.rstrip())
    printed.put(None)


def _wait(printed: SimpleQueue[str | None], lines: list[str]) -> bool:
    """Collects lines for some seconds; whether pip is still running then."""
    end = monotonic() + EVERY
    while (left := end - monotonic()) > 0:
        try:
            line = printed.get(timeout=left)
        except Empty:
            break
        if line is None:
            return False
        lines.append(line)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
