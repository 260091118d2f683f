"""captum's main attribution methods.

The class's logit is attributed. Where a method needs a baseline, it is the empty grid, captum's default.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from pconv.board.registry import register_method
from pconv.probes.attribution import captum_attr, integrated_gradients, occlusion

_SAMPLES = 25  # orders of all cells
_COALITIONS = 200  # sets of cells that KernelShap fits its weights to
_AT_ONCE = 50  # of these evaluated together


def _captum(name: str) -> Callable[[Any], Any]:
    return register_method(name, check=captum_attr)


_captum("integrated-gradients")(integrated_gradients)
_captum("occlusion")(occlusion)


@_captum("saliency")
def saliency(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """The size of the gradient."""
    return _of("Saliency", network, grids, target)


@_captum("input-x-gradient")
def input_x_gradient(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """The gradient times the exponent."""
    return _of("InputXGradient", network, grids, target)


@_captum("deep-lift")
def deep_lift(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """Differences of activations from those of the empty grid, by the rescale rule."""
    return _of("DeepLift", network, grids, target)


@_captum("shapley-sampling")
def shapley_sampling(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """Shapley values of the cells, from random orders of them."""
    return _of("ShapleyValueSampling", network, grids, target, n_samples=_SAMPLES)


@_captum("kernel-shap")
def kernel_shap(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """Shapley values of the cells, from a weighted regression on random sets of them."""
    settings = {"n_samples": _COALITIONS, "perturbations_per_eval": _AT_ONCE}
    return _of("KernelShap", network, grids, target, **settings)


@_captum("feature-ablation")
def feature_ablation(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
    """The change of the logit when one exponent is hidden."""
    return _of("FeatureAblation", network, grids, target)


def _of(name: str, network: nn.Module, grids: Tensor, target: Tensor, **settings: Any) -> Tensor:
    method = getattr(captum_attr(), name)(network)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about hooks, and that KernelShap fits a model for each grid
        result: Tensor = method.attribute(grids, target=target, **settings)
    return result
