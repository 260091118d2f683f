"""Censored regression against a direct maximisation of the likelihood."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from pconv.pacing.regression import censored_regression, unscaled_covariance


def test_it_is_the_maximum_of_the_likelihood() -> None:
    rng = np.random.default_rng(3)
    design = np.column_stack([np.ones(80), rng.standard_normal(80)])
    true = design @ [1.0, 2.0] + 0.5 * rng.standard_normal(80)
    values, censored = np.minimum(true, 1.8), true > 1.8

    def loss(parameters: np.ndarray) -> float:
        mean, spread = design @ parameters[:2], np.exp(parameters[2])
        terms = np.where(censored, norm.logsf(values, mean, spread), norm.logpdf(values, mean, spread))
        return -float(terms.sum())

    best = minimize(loss, [0.0, 0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    found = censored_regression(design, values, censored)
    assert found == pytest.approx(best.x[:2], abs=1e-3)
    ignoring = censored_regression(design, values, np.zeros(80, dtype=bool))
    assert abs(ignoring[1] - 2.0) > 3 * abs(found[1] - 2.0), "bounds taken as values bias the slope"


def test_a_feature_that_never_varies_has_no_effect() -> None:
    """Whatever its value, the constant has its effect: nothing is known about other values."""
    for value in (0.0, log(2)):
        design = np.column_stack([np.ones(5), np.arange(5.0), np.full(5, value)])
        found = censored_regression(design, 1 + np.arange(5.0), np.zeros(5, dtype=bool))
        assert found == pytest.approx([1, 1, 0])
        covariance = unscaled_covariance(design)
        assert not covariance[2].any()
        assert not covariance[:, 2].any()
        assert covariance[:2, :2] == pytest.approx(np.linalg.inv(design[:, :2].T @ design[:, :2]))
