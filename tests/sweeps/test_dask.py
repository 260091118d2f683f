"""Sweeps on real Dask clusters on this machine: workers are killed, results are lost, connections are TLS."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from pconv.cli.views.live import Display
from pconv.errors import InputError
from pconv.evaluate.comparison import Comparison
from pconv.store.sqlite import Store
from pconv.sweeps import runner
from pconv.sweeps.dask import ClusterExecutor, _check_answers, cluster_sweep
from pconv.sweeps.job import ComputedRun, Job, Progress, compute
from pconv.sweeps.run import keep
from pconv.training.options import RunOptions
from tests.fakes import tiny
from tests.forked import ForkServer, Program
from tests.sweeps.test_runner import without_times

pytest.importorskip("distributed")
CLUSTER_PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"


class Cluster:
    """A scheduler's address and the workers' processes.

    Parameters
    ----------
    server
        Starts them.
    directory
        Where they run.
    workers
        How many there are.
    processes
        Ends them.
    protocol
        The protocol of their connections.
    settings
        Variables of their environment.
    """

    def __init__(
        self,
        server: ForkServer,
        directory: Path,
        workers: int,
        processes: ExitStack,
        protocol: str = "tcp",
        **settings: str,
    ) -> None:
        self._server = server
        self._directory = directory
        self._processes = processes
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
        where = directory / "scheduler.json"
        local = ("--host=127.0.0.1", "--no-dashboard", f"--protocol={protocol}")
        self._start("scheduler", "--port=0", f"--scheduler-file={where}", *local)
        while not (where.exists() and where.read_text().endswith("}")):
            time.sleep(0.05)
        self.address: str = json.loads(where.read_text())["address"]
        options = ("--nthreads=1", "--no-nanny", *local)
        self.workers = [self._start("worker", self.address, *options) for _ in range(workers)]

    def _start(self, what: str, *options: str) -> Program:
        command = ["-m", f"distributed.cli.dask_{what}", *options]
        program = self._server.start(command, self._directory, self.environment)
        self._processes.callback(program.wait)
        self._processes.callback(program.kill)
        return program


@pytest.fixture
def cluster(fork_server: ForkServer, tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as processes:
        yield Cluster(fork_server, tmp_path, 2, processes)


def test_a_lost_workers_cell_is_computed_by_another(
    cluster: Cluster, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [replace(tiny(seed), epochs=5) for seed in range(4)]
    seen: list[str] = []
    heard: list[Progress] = []
    counted: set[int | None] = set()

    with cluster_sweep(path, cluster.address) as sweep:
        monkeypatch.setattr(sweep, "on_progress", heard.append)
        sweep.on_poll = lambda: counted.add(sweep.worker_count)

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
    assert counted & {1, 2}
    assert counted <= {None, 0, 1, 2}
    with Store.read(path) as store:
        assert store.damage() == []
        for config in cells:
            alone = compute(Job(config, RunOptions(threads=1)))
            assert isinstance(alone, ComputedRun)
            assert without_times(store.result(config.run_id)) == without_times(alone.result)


class Deadly:
    """A result that ends its worker when it is fetched."""

    def __reduce__(self) -> str:
        os._exit(1)


def lose_then_die(seen: Path) -> Deadly:
    if seen.exists():
        os._exit(1)
    seen.touch()
    return Deadly()


def test_a_result_that_is_lost_for_good_ends_its_future(fork_server: ForkServer, tmp_path: Path) -> None:
    """It is lost on its way to the client, and the worker that computes it again dies."""
    import dask
    from distributed import Client, KilledWorker

    with ExitStack() as processes:
        no_failures = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        cluster = Cluster(fork_server, tmp_path, 2, processes, **no_failures)
        processes.enter_context(dask.config.set({"distributed.comm.timeouts.connect": "1s"}))
        client = processes.enter_context(Client(cluster.address, set_as_default=False))
        with ClusterExecutor(client) as executor:
            future = executor.submit(lose_then_die, tmp_path / "seen")
            assert isinstance(future.exception(timeout=300), KilledWorker)


def test_tasks_that_are_left_are_cancelled(fork_server: ForkServer, tmp_path: Path) -> None:
    from distributed import Client

    with ExitStack() as processes:
        client = processes.enter_context(
            Client(Cluster(fork_server, tmp_path, 0, processes).address, set_as_default=False)
        )
        with ClusterExecutor(client) as executor:
            future = executor.submit(abs, -1)
        with pytest.raises(CancelledError):
            future.result(timeout=60)


def test_a_cluster_without_workers_is_said(
    fork_server: ForkServer,
    tmp_path: Path,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("pconv.sweeps.dask._PATIENCE", 0.0)
    monkeypatch.setattr(runner, "_POLL", 0.05)
    shown: list[str] = []

    class Seen(Exception):
        pass

    def look() -> None:
        shown.append(Display(sweep, 3).summary().plain)
        assert len(shown) < 1000
        if caplog.messages and len(shown) > 20:
            raise Seen

    with ExitStack() as processes:
        cluster = Cluster(fork_server, tmp_path, 0, processes)
        with cluster_sweep(path, cluster.address) as sweep:
            sweep.on_poll = look
            with pytest.raises(Seen):
                sweep.run([tiny(seed) for seed in range(3)])
    assert shown[-1] == "0 of 3 cells done, 3 submitted, 0 workers"
    assert caplog.messages == ["the cluster has no workers; the runs wait until there are some"]


CERTIFICATE = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=pconv -keyout key.pem -out cert.pem"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_sweep_over_tls(fork_server: ForkServer, tmp_path: Path, path: Path) -> None:
    """With the settings that docs/cluster.md has, for the scheduler, the worker and the command."""
    subprocess.run(CERTIFICATE.split(), cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    [settings] = re.findall(r"```yaml\n(.*?)```", CLUSTER_PAGE.read_text(), re.DOTALL)
    (tmp_path / "dask").mkdir()
    (tmp_path / "dask" / "tls.yaml").write_text(settings.replace("/home/you/tls", str(tmp_path)))
    (tmp_path / "grid.toml").write_text(
        "[grid]\nmodulus = 3\nsuccessors = 3\nprimes = 8\nkernel = 3\nbatches = 10\nbatch_size = 16\n"
        "epochs = 2\ntest_size = 50\nlimit = 13000\nno_early_stop = true\n"
    )
    with ExitStack() as processes:
        cluster = Cluster(fork_server, tmp_path, 1, processes, "tls", DASK_CONFIG=str(tmp_path / "dask"))
        assert cluster.address.startswith("tls://127.0.0.1:")
        command = ["-m", "pconv", "sweep", "grid.toml", "--quiet", "--scheduler", cluster.address]
        done = fork_server.run(command, tmp_path, cluster.environment)
        assert (done.stdout, done.stderr) == (
            "1 cells: 1 finished (1 of them now), 0 failed; kept in pconv.db\n",
            "",
        )
        with (
            pytest.raises(InputError, match="needs the certificates"),
            cluster_sweep(path, cluster.address),
        ):
            pass


@pytest.mark.parametrize("address", ["foo", "tcp://", "tcp://:8786", "http://127.0.0.1:8786", "tcp://a b:1"])
def test_what_is_no_address_is_refused_at_once(tmp_path: Path, address: str) -> None:
    with (
        pytest.raises(InputError, match="must be tcp://HOST"),
        cluster_sweep(tmp_path / "x.db", address),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_where_no_scheduler_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pconv.sweeps.dask._TIMEOUT", 0.1)
    for address, reason in (
        ("tcp://127.0.0.1:9", "no Dask"),
        ("tls://127.0.0.1:9", "certificates"),
    ):
        with pytest.raises(InputError, match=reason), cluster_sweep(tmp_path / "x.db", address):
            pass
    assert list(tmp_path.iterdir()) == []


def test_where_a_server_answers_that_is_no_scheduler() -> None:
    """Such as the dashboard: Dask takes the first bytes of its answer for the length of a message."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.recv(1024)

        answering = Thread(target=answer)
        answering.start()
        with pytest.raises(InputError, match="no Dask scheduler answers"):
            _check_answers(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        answering.join()


def test_documented_commands_open_no_port_to_others() -> None:
    """Dask listens on all interfaces by default, and runs what anyone sends: loopback or TLS."""
    commands = re.findall(r"^dask (?:scheduler|worker) .*$", CLUSTER_PAGE.read_text(), re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        local = "--host 127.0.0.1" in command and "--dashboard-address 127.0.0.1:" in command
        assert local or ("tls" in command and "--no-dashboard" in command), command
