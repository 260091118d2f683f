"""Networks of known behaviour, and one small trained one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pconv._arrays import IntArray
from pconv.config import RunConfig
from pconv.engines.threads import torch_threads
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import Model
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.target import Logits, ProbeTarget
from pconv.training.trainer import Training

SOME_NUMBERS: IntArray = np.random.default_rng(5).permutation(np.arange(100, 60_100))[:6_000]


def ideal(reader: SignatureReader) -> Logits:
    """Reads the signature at the primes of m and nothing else; gives up where no class looks so."""

    def logits(grids: Grids) -> Grids:
        labels = reader.read(grids)
        answers = reader.representative(np.maximum(labels, 0))
        return np.eye(reader.problem.modulus, dtype=np.float32)[answers]

    return logits


def blind(reader: SignatureReader, prime: int = 3) -> Logits:
    """Answers with great firmness from the exponents of a prime that says nothing about the class."""
    column = int(np.searchsorted(reader.primes, prime))

    def logits(grids: Grids) -> Grids:
        answers: IntArray = grids[:, :, column].astype(int) @ np.arange(1, grids.shape[1] + 1)
        return np.eye(reader.problem.modulus, dtype=np.float32)[answers % reader.problem.modulus]

    return logits


class Hits(nn.Module):
    """An ideal and smooth reader of a prime larger than the window: class -o is the exponent in n+o."""

    def __init__(self, reader: SignatureReader) -> None:
        super().__init__()
        self.column = int(reader.columns[0])
        self.classes = [-offset % reader.problem.modulus for offset in reader.problem.offsets]
        self.count = reader.problem.modulus

    def forward(self, grid: Tensor) -> Tensor:
        logits = torch.full((len(grid), self.count), -1.0)
        logits[:, self.classes] = grid[:, :, self.column]
        logits[:, 1] = 0.5  # no hit: one of the classes without a row
        return logits


def target_for(modulus: int, rows: int, columns: int = 8) -> ProbeTarget:
    """An ideal network on plain numbers."""
    reader = SignatureReader(modulus, range(rows), columns)
    return ProbeTarget(reader, ideal(reader), SOME_NUMBERS)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small only wait for a second thread."""
    with torch_threads(1):
        yield


@pytest.fixture(scope="session")
def trained() -> Model:
    """m = 5 through four rows: every class has its own signature, and a network learns it in seconds."""
    config = RunConfig(
        modulus=5,
        offsets=(0, 1, 2, 3),
        primes=8,
        kernel=(3,),
        batches=200,
        batch_size=64,
        epochs=6,
        test_size=500,
    )
    training = Training(config, threads=1)
    while not training.done:
        training.run_epoch()
    assert training.chosen is not None
    network = PrimeConvNet.of(config)
    network.load_state_dict(training.chosen.weights)
    return Model(config, network.eval())
