"""The README of an exported board."""

from __future__ import annotations

README = """\
# Networks whose deciding cells are known

Made by `pconv board --export`. To evaluate attribution methods on these networks, pconv is not needed.

| file | contents |
|---|---|
| `NAME.pt2`, `NAME.onnx` | a network, from inputs (batch, 1, rows, columns) to logits (batch, classes) |
| `NAME-twin.pt2`, `NAME-twin.onnx` | the same network with random weights |
| `NAME.npz` | the inputs and the truth, below |
| `score.py` | scores attributions; needs numpy and onnxruntime |

An input is a prime grid: row i, column j is the exponent of the j-th prime in n + o, o being the i-th offset.
The configuration is in each network file under the name `pconv.json`.

| array | shape | contents |
|---|---|---|
| `x_batch` | (windows, 1, rows, columns) | the inputs |
| `y_batch` | (windows,) | the class that the network answers, which is to be explained |
| `s_batch` | (windows, 1, rows, columns) | 1 at deciding cells |
| `irrelevant` | (windows, 1, rows, columns) | 1 at irrelevant cells |
| `groups` | (classes,) | the group of each class: classes of one group cannot be distinguished |
| `donors` | (windows,) | the window that cells are exchanged with in deletion and insertion; -1: none |
| `ties` | (windows, rows * columns) | the order in which cells of equal size are exchanged |
| `numbers` | (windows,) | the numbers n |

A cell is *deciding* if some change of its exponent gives the grid of another integer and makes the answer
leave its group, and *irrelevant* if no exponent changes the answer. Other cells are left out.

## Score a method

Compute attributions of `y_batch` for NAME and for NAME-twin, save them with `numpy.save` as `NAME.npy` and
`NAME-twin.npy` in a directory, and run `python score.py DIRECTORY`. Plain gradients, for example, with
`python score.py attributions` afterwards:

    import numpy, pathlib, torch

    pathlib.Path("attributions").mkdir(exist_ok=True)
    for path in pathlib.Path().glob("*.npz"):
        data = numpy.load(path)
        x, y = torch.tensor(data["x_batch"]), torch.tensor(data["y_batch"])
        for name in (path.stem, path.stem + "-twin"):
            network = torch.export.load(name + ".pt2").module()
            given = x.clone().requires_grad_()
            logits = network(given).gather(1, y[:, None])
            (gradient,) = torch.autograd.grad(logits.sum(), given)
            numpy.save(f"attributions/{name}.npy", gradient.numpy())

`x_batch`, `y_batch` and `s_batch` have the names and shapes of the arguments of Quantus' localisation
metrics, such as `quantus.PointingGame(abs=True)(model, x_batch, y_batch, a_batch, s_batch)`. Quantus wants a
model that is not in training: `network.training = False`, since programs of `torch.export` have no `eval()`.
Its metrics do not leave cells out, so their figures differ from those of `score.py`.
"""
