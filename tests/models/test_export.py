"""Converted networks: loaded in a process that knows nothing of pconv, they answer the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from pconv import InputError, PconvError, RunConfig, convert, prime_grid
from pconv.models import export as portable
from pconv.models.pconv import PrimeConvNet
from pconv.models.weights import Model
from tests.forked import ForkServer

CONFIG = RunConfig(
    modulus=6, offsets=(0, 1, 2, 3), primes=4, kernel=(3,), batches=1, batch_size=8, test_size=64
)
NUMBERS = [1, 2, 3, 600, 10**12]

# No pconv: the numbers become grids as docs/torch.md says.
ELSEWHERE = """
import json, sys
import numpy as np

def grid(n, offsets, primes):
    rows = np.zeros((len(offsets), len(primes)), dtype=np.float32)
    for i, offset in enumerate(offsets):
        for j, p in enumerate(primes):
            x = n + offset
            while x % p == 0:
                x //= p
                rows[i, j] += 1
    return rows

path, numbers = sys.argv[1], json.loads(sys.argv[2])
grids = np.stack([grid(n, range(4), (2, 3, 5, 7)) for n in numbers])
if path.endswith(".pt2"):
    import torch
    metadata = {"pconv.json": ""}
    logits = torch.export.load(path, extra_files=metadata).module()(torch.from_numpy(grids)).detach().numpy()
else:
    import onnxruntime
    session = onnxruntime.InferenceSession(path)
    metadata = session.get_modelmeta().custom_metadata_map
    (logits,) = session.run(["logits"], {"grids": grids})
print(json.dumps([json.loads(metadata["pconv.json"])["modulus"], "pconv" in sys.modules, logits.tolist()]))
"""


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(CONFIG, PrimeConvNet.of(CONFIG).eval())


@pytest.mark.parametrize("suffix", [".pt2", ".onnx"])
def test_the_file_answers_the_same_without_pconv(
    model: Model, tmp_path: Path, suffix: str, fork_server: ForkServer
) -> None:
    if suffix == ".onnx":
        pytest.importorskip("onnxscript")
        pytest.importorskip("onnxruntime")
    path = tmp_path / f"model{suffix}"
    written = convert(model, path)
    assert written.difference < 1e-5
    assert (written.rows, written.columns, written.numbers) == (4, 4, 64)
    assert list(tmp_path.iterdir()) == [path]

    done = fork_server.run(["-c", ELSEWHERE, str(path), json.dumps(NUMBERS)], tmp_path)
    assert done.returncode == 0, done.stderr
    modulus, knows_pconv, logits = json.loads(done.stdout)
    assert modulus == 6
    assert not knows_pconv
    with torch.no_grad():
        own = model.network(torch.from_numpy(prime_grid(NUMBERS, range(4), 4).dense()))
    np.testing.assert_allclose(np.array(logits), own.numpy(), atol=1e-5)


def test_a_file_that_answers_otherwise_is_not_kept(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, load = portable._FORMATS[".pt2"]

    def off(path: str) -> portable.Logits:
        right = load(path)
        return lambda grids: right(grids) + np.float32(0.01)

    monkeypatch.setitem(portable._FORMATS, ".pt2", (write, off))
    (tmp_path / "model.pt2").write_text("the file before")
    with pytest.raises(PconvError, match=r"off by 0\.01"):
        convert(model, tmp_path / "model.pt2")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the file before"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("model.pth", "must end in .pt2 or .onnx"), ("no/model.pt2", "does not exist"), ("model", "must end")],
)
def test_wrong_targets(model: Model, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        convert(model, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_directory_is_no_target(model: Model, tmp_path: Path) -> None:
    (tmp_path / "model.pt2").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        convert(model, tmp_path / "model.pt2")


def test_the_missing_extra_is_named(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PconvError, match="pip install onnxruntime onnxscript"):
        convert(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
