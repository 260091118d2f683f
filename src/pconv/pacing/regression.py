"""Linear regression in which some values are only known to be larger than a bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from pconv.pacing.curve import FloatArray

_ROUNDS = 1000
_CONVERGED = 1e-9


def censored_regression(design: FloatArray, values: FloatArray, censored: NDArray[np.bool_]) -> FloatArray:
    """The coefficients by maximum likelihood with normal errors; 0 for features that never vary.

    A censored value is replaced by its expectation above its bound, and the regression repeated, until
    nothing changes (expectation maximisation). Without censored values this is least squares.

    Parameters
    ----------
    design
        A row of features for each value, the first of which is 1.
    values
        The values, or their lower bounds.
    censored
        Which of them are lower bounds.

    Examples
    --------
    >>> x = np.column_stack([np.ones(4), np.arange(4.0)])
    >>> censored_regression(x, 1 + 2 * np.arange(4.0), np.zeros(4, bool)).round(6).tolist()
    [1.0, 2.0]
    """
    filled = values.astype(float)
    coefficients = _least_squares(design, filled)
    spread = float(np.std(filled - design @ coefficients))
    for _ in range(_ROUNDS if censored.any() and spread else 0):
        mean = design @ coefficients
        above = (values[censored] - mean[censored]) / spread
        hazard = np.exp(norm.logpdf(above) - norm.logsf(above))
        filled[censored] = mean[censored] + spread * hazard
        variance = (filled - mean) ** 2
        variance[censored] = spread**2 * (1 + above * hazard)
        spread = float(np.sqrt(variance.mean()))
        before, coefficients = coefficients, _least_squares(design, filled)
        if np.abs(coefficients - before).max() < _CONVERGED:
            break
    return coefficients


def _least_squares(design: FloatArray, values: FloatArray) -> FloatArray:
    coefficients, varies = np.zeros(design.shape[1]), _varying(design)
    coefficients[varies] = np.linalg.lstsq(design[:, varies], values, rcond=None)[0]
    return coefficients


def unscaled_covariance(design: FloatArray) -> FloatArray:
    """(X'X)^-1, the covariance of the coefficients for errors of variance 1; 0 for features that never vary.

    >>> unscaled_covariance(np.array([[1.0, 5.0, 0.0], [1.0, 5.0, 2.0]])).round(6).tolist()
    [[1.0, 0.0, -0.5], [0.0, 0.0, 0.0], [-0.5, 0.0, 0.5]]
    """
    covariance, varies = np.zeros((design.shape[1],) * 2), _varying(design)
    chosen = design[:, varies]
    covariance[np.ix_(varies, varies)] = np.linalg.pinv(chosen.T @ chosen)
    return covariance


def _varying(design: FloatArray) -> NDArray[np.bool_]:
    """The features that vary, and the constant: the effect of any other one is part of the constant."""
    varies = np.ptp(design, axis=0) > 0
    varies[0] = True
    return np.asarray(varies)
