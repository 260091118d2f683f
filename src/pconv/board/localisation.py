"""Where a method points: pointing, mass and rank of the deciding cells among the cells that are scored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pconv.board import score_exported
from pconv.board.metrics import METRICS
from pconv.board.truth import Mask

Values = NDArray[np.float64]


def localisation(sizes: Values, deciding: Mask, irrelevant: Mask) -> dict[str, Values]:
    """Three scores for each window, each from 0 to 1. Cells in neither mask are left out.

    - pointing: whether the largest size is at a deciding cell; of several that are equally large, the share;
    - mass: the share of all sizes at deciding cells; that of the cells where all sizes are zero;
    - rank: how often a deciding cell has a larger size than an irrelevant one, equal ones counting half (the
      area under the ROC curve).

    Parameters
    ----------
    sizes
        The sizes of the attributions, (windows, rows, columns).
    deciding, irrelevant
        The cells of the two kinds; both occur in every window.

    Examples
    --------
    >>> deciding = np.array([[[True, False, False]]])
    >>> found = localisation(np.array([[[2.0, 1.0, 3.0]]]), deciding, ~deciding)
    >>> {name: round(float(values[0]), 2) for name, values in found.items()}
    {'pointing': 0.0, 'mass': 0.33, 'rank': 0.5}
    """
    windows = zip(*(array.reshape(len(sizes), -1) for array in (sizes, deciding, irrelevant)), strict=True)
    scores = np.array([score_exported.localisation(size[yes], size[no]) for size, yes, no in windows])
    return dict(zip(METRICS[:3], scores.T, strict=True))
