from typing import Any
import numpy as np
from pconv.learn.kernels import compiled


@compiled
def floor_pass(weights: Any, mean: Any, square: Any, rates: Any) -> None:
    fresh1, beta2, fresh2, size, correction, epsilon = rates
    g = np.float32(1e-4)
    for o in range(len(weights)):
        m = mean[o] + fresh1 * (g - mean[o])
        v = beta2 * square[o] + fresh2 * g * g
        mean[o] = m
        square[o] = v
        weights[o] -= size * m / (np.sqrt(v) * correction + epsilon)
