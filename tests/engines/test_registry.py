"""Which engines there are, which one is taken, and an engine that is added from outside."""

from __future__ import annotations

import pytest
import torch

from pconv.config import RunConfig
from pconv.engines import bench, registry
from pconv.engines.base import EngineSpec
from pconv.engines.dense import DenseEngine
from pconv.engines.registry import engines, make_engine
from pconv.engines.sparse.compact import CompactEngine
from pconv.engines.sparse.engine import SparseEngine
from pconv.errors import InputError
from tests.engines.reference import config_of


class Borrowed(DenseEngine):
    """An engine of another package."""

    name = "borrowed"


@pytest.fixture
def borrowed(monkeypatch: pytest.MonkeyPatch) -> EngineSpec:
    """Registered for one test."""
    spec = EngineSpec("borrowed", "a test's", lambda config, device, threads: Borrowed(config, device))
    monkeypatch.setitem(registry._engines._found, spec.name, spec)
    return spec


def test_every_engine_is_recorded_under_its_name() -> None:
    assert list(engines())[:2] == ["sparse", "dense"]
    for name, spec in engines().items():
        assert spec.name == name
        assert make_engine(config_of(), name).name == name
        assert make_engine(config_of(), name).revision >= 1


def test_the_sparse_engine_chooses_between_its_implementations() -> None:
    for fields, kind in (
        ({}, CompactEngine),
        ({"primes": 129}, SparseEngine),
        ({"channels": (4, 4)}, SparseEngine),
    ):
        engine = make_engine(config_of(**fields), "sparse")
        assert type(engine) is kind
        assert (engine.name, engine.revision) == ("sparse", 1)


def test_an_engine_from_outside_can_be_chosen(borrowed: EngineSpec) -> None:
    assert make_engine(config_of(), "borrowed").name == "borrowed"
    with pytest.raises(InputError, match="must be one of: auto, sparse, dense, borrowed"):
        make_engine(config_of(), "quick")
    assert make_engine(config_of()).name == "sparse"
    assert make_engine(config_of(architecture="mlp")).name == "dense"


def test_an_engine_from_outside_is_measured(borrowed: EngineSpec) -> None:
    found = bench._timed(bench.Case(2, 3, 8, 1, 1, 2))
    assert found.engine == "sparse"
    assert list(found.step_ms) == ["dense", "sparse", "borrowed"]
    written = found.to_dict()
    assert written["speedup"] == written["dense_ms"] / written["sparse_ms"]
    assert written["borrowed_speedup"] == written["dense_ms"] / written["borrowed_ms"]
    assert set(written) == {
        *("successors", "kernel", "primes", "threads", "dense_ms", "sparse_ms", "floor_ms", "speedup"),
        *("over_floor", "engine_gb", "peak_gb", "census_share", "split_ms"),
        *("borrowed_ms", "borrowed_speedup"),
    }
    assert sum(found.split_ms.values()) > 0


def test_auto_takes_the_sparse_engine_where_it_is_faster() -> None:
    assert make_engine(config_of()).name == "sparse"
    assert make_engine(config_of(), "dense").name == "dense"
    assert make_engine(config_of(channels=(64, 128), batch_size=256)).name == "dense"
    assert make_engine(config_of(representation="residues")).name == "sparse"
    assert make_engine(config_of(representation="residues", channels=(4, 8))).name == "dense"
    assert make_engine(config_of(architecture="mlp")).name == "dense"


@pytest.mark.parametrize(("successors", "kernel"), [(8, 7), (16, 7), (24, 7), (16, 15), (24, 15)])
def test_two_layers_at_paper_size_are_taken_on(successors: int, kernel: int) -> None:
    config = RunConfig(
        modulus=7,
        offsets=tuple(range(successors + 1)),
        primes=5000,
        channels=(8, 16),
        kernel=(kernel,),
        batch_size=256,
    )
    assert engines()["sparse"].objection(config, torch.device("cpu")) is None


def test_what_takes_long_is_said(caplog: pytest.LogCaptureFixture) -> None:
    make_engine(config_of(primes=100, channels=(64, 256), batch_size=256))
    (message,) = caplog.messages
    assert "64,256 channels cost about" in message
    caplog.clear()
    make_engine(config_of(primes=32, channels=(64, 128), batch_size=256))
    make_engine(config_of(primes=100, channels=(8, 16), batch_size=256))
    assert not caplog.messages


def test_an_engine_says_what_it_does_not_do() -> None:
    with pytest.raises(InputError, match="CPU"):
        make_engine(config_of(), "sparse", device="meta")
    with pytest.raises(InputError, match=r"multiplications a step .* at most 60 billion are taken on"):
        make_engine(config_of(primes=5000, channels=(64, 256), batch_size=256, kernel=15), "sparse")
    with pytest.raises(InputError, match="engine sparse: is made for pconv and pconv-nobias alone"):
        make_engine(config_of(architecture="transformer"), "sparse")
    with pytest.raises(InputError, match="auto"):
        make_engine(config_of(), "quick")
