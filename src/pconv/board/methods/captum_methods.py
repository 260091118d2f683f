"""captum's main attribution methods.

The class's logit is attributed. Where a method needs a baseline, it is the empty grid, captum's default.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from pconv.board.registry import Attribute, register_method
from pconv.probes.attribution import captum_attr, integrated_gradients, occlusion


def _method(name: str, **settings: Any) -> Attribute:
    """A class of captum as a function."""

    def attribute(network: nn.Module, grids: Tensor, target: Tensor) -> Tensor:
        method = getattr(captum_attr(), name)(network)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about hooks, and that KernelShap fits a model for each grid
            result: Tensor = method.attribute(grids, target=target, **settings)
        return result

    return attribute


_METHODS: Mapping[str, Attribute] = {
    "integrated-gradients": integrated_gradients,
    "occlusion": occlusion,  # patches of 2 x 2
    "saliency": _method("Saliency"),
    "input-x-gradient": _method("InputXGradient"),
    "deep-lift": _method("DeepLift"),
    "shapley-sampling": _method("ShapleyValueSampling", n_samples=25),  # orders of all cells
    "kernel-shap": _method("KernelShap", n_samples=200, perturbations_per_eval=50),  # sets of cells
    "feature-ablation": _method("FeatureAblation"),
}
for _name, _attribute in _METHODS.items():
    register_method(_name, check=captum_attr)(_attribute)
