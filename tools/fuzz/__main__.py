"""The command line of the fuzzer, its progress and its table."""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

# One thread for each worker. Set before torch is imported, and inherited by the workers.
os.environ["OMP_NUM_THREADS"] = "1"

from tools.fuzz.kinds import KINDS
from tools.fuzz.pool import run_cases
from tools.fuzz.worker import Case, Outcome

_PROGRESS = 30.0  # seconds between two lines
_SHOWN = 3  # findings of one sort that are printed in full


def main(arguments: Sequence[str]) -> int:
    """Runs the cases, prints findings, progress and the table, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="how many, of all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only",
        nargs="+",
        metavar=("KIND", "CASE"),
        help=f"one kind of {', '.join(KINDS)}, or one case of it",
    )
    given = parser.parse_args(arguments)
    kind, *numbers = given.only or [None]
    if kind is not None and kind not in KINDS:
        parser.error(f"there is no kind {kind}: {', '.join(KINDS)}")
    scratch = Path(tempfile.mkdtemp(prefix="pconv-fuzz-", dir=_fast_directory()))
    try:
        if numbers:
            cases = [Case(given.seed, str(kind), int(number)) for number in numbers]
            return _run(cases, scratch, verbose=True)
        return _run(_cases(given.cases, given.seed, kind), scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _fast_directory() -> str | None:
    """A directory in memory, if the system has one: every case writes some files."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and os.access(memory, os.W_OK) else None


def _cases(count: int, seed: int, only: str | None) -> list[Case]:
    """The cases of all kinds by their shares, or of one, in random order."""
    shares = {name: kind.share for name, kind in KINDS.items() if only in (None, name)}
    total = sum(shares.values())
    cases = [
        Case(seed, name, i) for name, share in shares.items() for i in range(round(count * share / total))
    ]
    random.Random(seed).shuffle(cases)
    return cases


def _run(cases: Sequence[Case], scratch: Path, verbose: bool = False) -> int:
    report = _Report(len(cases))
    interrupted = False
    try:
        for case, outcome in run_cases(cases, min(len(cases), os.cpu_count() or 1), scratch):
            report.add(case, outcome)
            if verbose:
                _show(case, outcome)
    except KeyboardInterrupt:
        interrupted = True
    report.print_table()
    if interrupted:
        print("interrupted: the table has the cases so far")
        return 130
    return 1 if report.findings else 0


def _show(case: Case, outcome: Outcome) -> None:
    """All that is known of one case."""
    ended = outcome.ended
    print(f"{case.kind} {case.number}: {_line(outcome)}")
    print(f"{outcome.status}, exit code {ended.code} {ended.exception}, {outcome.seconds:.2f} s")
    for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        print(f"--- {name}\n{text.encode(errors='replace').decode()}")


def _line(outcome: Outcome) -> str:
    return f"pconv {shlex.join(outcome.arguments)}".encode(errors="backslashreplace").decode()


class _Report:
    def __init__(self, total: int) -> None:
        self.findings: Counter[str] = Counter()
        self._total = total
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
        self._started = self._printed = time.monotonic()
        self._processor = dict.fromkeys(KINDS, 0.0)
        self._slowest = 0.0

    def add(self, case: Case, outcome: Outcome) -> None:
        counts = self._counts[case.kind]
        counts["cases"] += 1
        counts[outcome.status] += 1
        counts["findings"] += bool(outcome.findings)
        self._processor[case.kind] += outcome.processor
        self._slowest = max(self._slowest, outcome.seconds)
        if outcome.status == "long" and not outcome.findings:
            print(f"long: {_line(outcome)}", flush=True)
        for finding in outcome.findings:
            self.findings[finding.what] += 1
            if self.findings[finding.what] <= _SHOWN:
                detail = " ".join(finding.detail.split())[:300].encode(errors="replace").decode()
                print(f"FINDING {finding.what}\n  {detail}\n  {case}", flush=True)
        if time.monotonic() - self._printed > _PROGRESS:
            self._printed = time.monotonic()
            done = sum(counts["cases"] for counts in self._counts.values())
            found = sum(counts["findings"] for counts in self._counts.values())
            print(
                f"{done:,} of {self._total:,} cases, {found} with findings, {self._seconds:.0f} s", flush=True
            )

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def print_table(self) -> None:
        """The counts of every kind, and the sorts of findings."""
        columns = ("cases", "refused", "accepted", "long", "findings")
        print(f"\n{'kind':<12}" + "".join(f"{name:>10}" for name in columns) + f"{'CPU s':>9}")
        rows = {name: counts for name, counts in self._counts.items() if counts["cases"]}
        every = sum(self._processor.values())
        for name, counts in (*rows.items(), ("all", sum(rows.values(), Counter()))):
            seconds = self._processor.get(name, every)
            print(
                f"{name:<12}" + "".join(f"{counts[column]:>10,}" for column in columns) + f"{seconds:>9,.0f}"
            )
        print(f"\n{self._seconds:.0f} s, the longest case {self._slowest:.1f} s")
        for what, count in self.findings.most_common():
            print(f"{count:>7,}  {what}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
