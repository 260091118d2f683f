"""Small compiled networks, and one of them with windows, truth and twin. Nothing is trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pconv.board.cases import Case, prepare
from pconv.board.entries import Entry
from pconv.compiler.network import compile_network
from pconv.engines.threads import torch_threads
from pconv.models.weights import Model


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small only wait for a second thread."""
    with torch_threads(1):
        yield


def compiled(modulus: int, rows: int, columns: int = 4) -> Model:
    """A compiled network with a small domain."""
    model = compile_network(modulus, range(rows), primes=columns)
    config = replace(model.config, limit=4_000, batches=1, batch_size=8, test_size=300)
    return Model(config, model.network, compiled=True)


@pytest.fixture(scope="session")
def networks() -> list[Entry]:
    """m = 7 and m = 9 with two seeds each: in windows so short, a multiple of 7 or 3 may be absent."""
    models = {"seven": compiled(7, 3, 6), "nine": compiled(9, 2, 6)}
    return [Entry(name, model, seed) for name, model in models.items() for seed in (0, 1)]


@pytest.fixture(scope="session")
def case(networks: list[Entry]) -> Case:
    found = prepare(networks[0], 8)
    assert found is not None
    return found
