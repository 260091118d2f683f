"""`pconv bench --check-device` as a user runs it."""

from __future__ import annotations

import json

import pytest
from torch import Tensor

from pconv.config import RunConfig
from pconv.engines import device_check
from pconv.engines.dense import DenseEngine
from tests.cli.conftest import Run

SMALL = RunConfig(
    modulus=11, primes=8, kernel=(3,), batches=device_check.STEPS + 1, limit=13_000, test_size=50
)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_check, "_CONFIG", SMALL)


@pytest.fixture
def faulty(pconv: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command on a device whose weights come out wrong."""
    right = DenseEngine.weights

    def wrong(engine: DenseEngine) -> dict[str, Tensor]:
        return {name: w + (engine.device.index is not None) for name, w in right(engine).items()}

    monkeypatch.setattr(DenseEngine, "weights", wrong)
    return lambda *arguments: pconv("bench", "--check-device", "--device", "cpu:0", *arguments)


def test_a_device_that_agrees(pconv: Run) -> None:
    done = pconv("bench", "--check-device", "--device", "cpu")
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["loss", "logits", "weights"]
    assert lines[0] == "loss: largest relative difference 0.0e+00, bound 1e-05"
    assert last == "device cpu: agrees with the CPU"
    document = json.loads(pconv("bench", "--check-device", "--device", "cpu", "--json").stdout)
    assert (document["device"], document["agrees"]) == ("cpu", True)
    assert [set(check) for check in document["checks"]] == [{"name", "difference", "bound", "agrees"}] * 3


def test_a_device_that_does_not_agree(faulty: Run) -> None:
    done = faulty()
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines()[2].endswith("bound 1e-02: too much")
    assert done.stdout.endswith("does not agree with the CPU\n")
    assert faulty("--quiet").stdout.count("\n") == 1
    document = faulty("--json")
    assert document.returncode == 3
    assert json.loads(document.stdout)["agrees"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--check-device", "--device", "abacus"), "--device abacus: must be a torch device"),
        (("--device", "cpu"), "--device cpu: needs --check-device"),
    ],
)
def test_devices_that_cannot_be_checked(pconv: Run, arguments: tuple[str, ...], message: str) -> None:
    done = pconv("bench", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
