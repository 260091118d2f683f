"""The valid files that every case starts from, made by pconv itself from runs that take no time."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from unittest.mock import patch

from tools.fuzz.in_process import run_pconv

SIZES = (
    *("-m3", "-B1", "-N4", "-k3", "-r2", "-s4", "-t2", "--test-size=20", "--limit=12000"),
    "--no-early-stop",
)
"""The flags of the runs in the template."""
INTERRUPTED = (*SIZES, "--seed=3")
"""The flags of the run that has a checkpoint and no result."""

STORE, WEIGHTS, RUN, PROBE, CERTIFICATE, GRID, RESULTS = (
    *("pconv.db", "w.safetensors", "run.json", "probe.json", "certificate.json", "grid.toml", "results"),
)
BEGUN = "begun.json"
PARTIAL = f"{BEGUN}.partial"
"""The state of a certificate that was interrupted; `BEGUN` itself does not exist."""
CONTINUED = ("certify", WEIGHTS, "--samples=5000", "-o", BEGUN)
"""The command that goes on from there."""
ROWS = f"{RESULTS}/other.jsonl"
PROBE_ROWS = f"{RESULTS}/other-probe.jsonl"
FILES = (STORE, WEIGHTS, RUN, PROBE, CERTIFICATE, GRID, RESULTS, ROWS)

_GRID = """\
[[grid]]
modulus = [3, 4]
successors = [1, 2]
primes = 4
kernel = 3
channels = ["4", "2"]
batches = 2
batch_size = 4
epochs = 1
limit = 12000
test_size = 20

[[grid]]
modulus = 5
offsets = ["0:4", "-1,0,2"]
learning_rate = [0.001, 0.01]
no_early_stop = true
preset = "quick"
task = "divisibility"
"""


def build_template(directory: Path) -> None:
    """Fill the directory with one file of every kind in `files`, and a checkpoint beside it.

    The files are the same to the last byte whenever they are made on one machine, so that a case can be
    repeated: times are not measured but counted.
    """
    seconds = count(1.7e9)
    with patch("time.time", seconds.__next__), patch("time.perf_counter", seconds.__next__):
        _build_template(directory)


def _build_template(directory: Path) -> None:
    files = directory / "files"
    files.mkdir()
    os.chdir(files)
    Path(GRID).write_text(_GRID, "utf-8")
    Path(RUN).write_text(_output("train", *SIZES, "--json", f"--save={WEIGHTS}", "--snapshots=1"), "utf-8")
    _output("train", *SIZES, "--seed=1", "--no-census")
    _output("export", "-o", RESULTS)
    Path(PROBE).write_text(_output("probe", WEIGHTS, "--numbers=100", "--json"), "utf-8")
    _add_probe_row()
    _add_unfinished_runs(directory / "checkpoint")
    for path in Path().rglob("*.safetensors"):
        _sort_header(path)
    _output("certify", WEIGHTS, "--samples=100", "-o", CERTIFICATE)
    _begin_certificate()
    with closing(sqlite3.connect(STORE)) as db:
        db.execute("VACUUM")  # no traces of deleted rows, which have the names of processes
    for log in (Path(STORE + "-wal"), Path(STORE + "-shm")):
        log.unlink(missing_ok=True)  # empty: every connection is closed


def _output(*arguments: str) -> str:
    ended = run_pconv(arguments)
    if ended.code not in (0, 1):  # 1: such a short training may refute the theory
        what = " ".join(arguments)
        raise RuntimeError(f"the template cannot be made: pconv {what}: {ended.stderr or ended.exception}")
    return ended.stdout


def _begin_certificate() -> None:
    """Leave the partial file of `CONTINUED`, interrupted after its first grids."""
    from pconv.certification.certify import certify

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        certify(WEIGHTS, samples=5000, output=BEGUN, on_progress=interrupt)


def _sort_header(path: Path) -> None:
    """The library writes the names in a file's header in random order."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8 : 8 + length]), sort_keys=True, separators=(",", ":")).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])


def _add_probe_row() -> None:
    """The line of a probe in the directory of results."""
    report = json.loads(Path(PROBE).read_text("utf-8"))
    row = {name: report[name] for name in ("run_id", "findings", "maps")}
    Path(PROBE_ROWS).write_text(json.dumps(row) + "\n", "utf-8")


def _add_unfinished_runs(checkpoint: Path) -> None:
    """A failed run, and one that was interrupted after the first of two epochs."""
    from pconv.config import RunConfig
    from pconv.store.sqlite import Store
    from pconv.sweeps.job import new_training
    from pconv.training.checkpoint import save_checkpoint
    from pconv.training.options import RunOptions

    with Store.read(STORE) as store:
        config = RunConfig.from_dict({**store.summaries()[0].config, "seed": 3})
    with Store.open(STORE) as store:
        store.fail(RunConfig(modulus=7), "[/x] out of memory", "worker")
        store.claim(config, "worker")
        store.release("worker")
    training = new_training(config, RunOptions())
    training.run_epoch()
    save_checkpoint(checkpoint, training)
