"""The layers after the first one, against PyTorch's autograd in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pconv.engines.sparse.head import Head
from pconv.engines.sparse.kernels.head import cross_entropy
from pconv.models.sizes import HIDDEN, SLOPE


def _parameters(classes: int) -> dict[str, Tensor]:
    widths = [*HIDDEN, classes]
    found = {"linear.fc1.bias": torch.randn(widths[0])}
    for i in range(2, len(widths) + 1):
        found[f"linear.fc{i}.weight"] = torch.randn(widths[i - 1], widths[i - 2]) / 10
        found[f"linear.fc{i}.bias"] = torch.randn(widths[i - 1])
    return found


@pytest.mark.parametrize("classes", [2, 30])
@pytest.mark.parametrize("windows", [1, 16, 37])  # the sums over the windows are made in parts of 16
def test_loss_and_gradients_are_autograd_s(windows: int, classes: int) -> None:
    torch.manual_seed(windows)
    weights = _parameters(classes)
    gradients = {name: torch.full_like(w, torch.nan) for name, w in weights.items()}
    sums, shared = torch.randn(windows, HIDDEN[0]), torch.randn(HIDDEN[0])
    sums[0, :3] = -shared[:3] - weights["linear.fc1.bias"][:3]  # where LeakyReLU has its corner
    labels = torch.arange(windows) % classes

    exact = {name: w.double().requires_grad_() for name, w in weights.items()}
    start = sums.double().requires_grad_()
    x = start + shared.double() + exact["linear.fc1.bias"]
    for i in range(2, len(HIDDEN) + 2):
        x = functional.leaky_relu(x, SLOPE)
        x = functional.linear(x, exact[f"linear.fc{i}.weight"], exact[f"linear.fc{i}.bias"])
    expected = functional.cross_entropy(x, labels)
    of_sums, *of_weights = torch.autograd.grad(expected, [start, *exact.values()])

    head = Head(weights, gradients)
    head.forward(sums.clone(), shared.numpy())
    np.testing.assert_allclose(head.logits.numpy(), x.detach().numpy(), rtol=1e-4, atol=1e-4)
    loss, gradient, total = head.backward(labels.numpy())
    head.weight_gradients()
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    np.testing.assert_allclose(gradient[:, 3:], of_sums.numpy()[:, 3:], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(total, gradient.sum(0), rtol=1e-4, atol=1e-6)
    for name, exact_gradient in zip(exact, of_weights, strict=True):
        away = slice(3 if name == "linear.fc1.bias" else 0, None)  # at the corner rounding decides
        np.testing.assert_allclose(gradients[name][away], exact_gradient[away], rtol=1e-3, atol=1e-5)


def test_the_loss_of_great_logits_is_finite() -> None:
    logits = np.array([[1000, 0], [-1000, 0], [3e38, -3e38]], dtype=np.float32)
    labels = np.array([1, 1, 0])
    gradient, total = np.empty_like(logits), np.empty(2, dtype=np.float32)
    loss = cross_entropy(logits, labels, gradient, total)
    assert loss == pytest.approx(1000 / 3)
    np.testing.assert_allclose(gradient, np.array([[1, -1], [0, 0], [0, 0]]) / 3, atol=1e-7)
    np.testing.assert_allclose(total, [1 / 3, -1 / 3], rtol=1e-6)
