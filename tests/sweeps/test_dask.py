"""A sweep on a real Dask cluster on this machine: a scheduler and two workers, one of which is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from pconv.errors import InputError
from pconv.evaluate.comparison import Comparison
from pconv.store.sqlite import Store
from pconv.sweeps import runner
from pconv.sweeps.dask import cluster_sweep
from pconv.sweeps.job import ComputedRun, Job, Progress, compute
from pconv.sweeps.run import keep
from pconv.training.options import RunOptions
from tests.fakes import tiny
from tests.sweeps.test_runner import without_times

pytest.importorskip("distributed")


class Cluster:
    """A scheduler's address and the workers' processes."""

    def __init__(self, directory: Path, workers: int, processes: ExitStack) -> None:
        self._directory = directory
        self._processes = processes
        where = directory / "scheduler.json"
        self._start(
            "scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard", f"--scheduler-file={where}"
        )
        while not where.exists():
            time.sleep(0.05)
        self.address: str = json.loads(where.read_text())["address"]
        options = ("--nthreads=1", "--no-nanny", "--no-dashboard")
        self.workers = [self._start("worker", self.address, *options) for _ in range(workers)]

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
        process = subprocess.Popen(command, cwd=self._directory, stderr=subprocess.DEVNULL)
        self._processes.callback(process.wait)
        self._processes.callback(process.kill)
        return process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as processes:
        yield Cluster(tmp_path, 2, processes)


def test_a_lost_workers_cell_is_computed_by_another(
    cluster: Cluster, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [replace(tiny(seed), epochs=5) for seed in range(6)]
    seen: list[str] = []
    heard: list[Progress] = []

    with cluster_sweep(path, cluster.address) as sweep:
        monkeypatch.setattr(sweep, "on_progress", heard.append)

        def kill_and_keep(store: Store, run: ComputedRun, owner: str) -> Comparison:
            seen.append(run.result.run_id)
            if len(seen) == 1:
                cluster.workers[0].kill()
            return keep(store, run, owner)

        monkeypatch.setattr(runner, "keep", kill_and_keep)
        sweep.run(cells)
    assert sweep.failed == {}
    assert sorted(seen) == sorted(config.run_id for config in cells)
    assert {progress.run_id for progress in heard} <= set(seen)
    assert max(progress.epoch for progress in heard) > 1
    with Store.read(path) as store:
        assert store.damage() == []
        for config in cells:
            alone = compute(Job(config, RunOptions(threads=1)))
            assert isinstance(alone, ComputedRun)
            assert without_times(store.result(config.run_id)) == without_times(alone.result)


def test_where_no_scheduler_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pconv.sweeps.dask._CONNECT_SECONDS", 0.1)
    with pytest.raises(InputError, match="no Dask scheduler"), cluster_sweep(path, "tcp://127.0.0.1:9"):
        pass
