"""Writes what the readers reach in each place of the page's explorer, which takes half an hour:

python -m tools.ship_readers
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from pconv._atomic import atomic_write
from pconv.report.page.reader_ceilings import FILE, computed_ceilings


def main() -> None:
    target = Path(str(files("pconv.report.page"))) / FILE
    found = computed_ceilings(lambda task, m, count: print(f"{task}, m = {m}, B = {count}", flush=True))
    with atomic_write(target, "output") as draft:
        Path(draft).write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    print(f"{target}: {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
