"""The scores of one method on one network.

Every metric is taken twice: with the attributions that the method gives for the network, and with those that
it gives for the network's random twin, both against the network's truth. The difference is what the method
says of the network that it would not also say without it. A method that ignores the network has none.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from pconv.board.cases import Case
from pconv.board.localisation import Values, localisation
from pconv.board.metrics import METRICS
from pconv.board.registry import AttributionMethod, described
from pconv.board.score_exported import shares
from pconv.board.truth import Mask
from pconv.errors import PconvError
from pconv.models.seeding import seeded


class MethodFailed(PconvError):
    """A method raised an exception, or did not return a finite value for each cell."""


@dataclass(frozen=True)
class CaseScores:
    """Means over the windows of one network; nan where nothing could be measured.

    Parameters
    ----------
    metrics
        `METRICS` for the network; `present` and `absent`, the rank of deciding cells whose exponent is not
        zero and of those where it is; and `sanity`, the share of the attribution that is elsewhere for the
        twin.
    twin
        `METRICS` with the attributions for the twin.
    """

    metrics: Mapping[str, float]
    twin: Mapping[str, float]

    @property
    def score(self) -> float:
        """The mean difference between network and twin, over the metrics."""
        return float(np.nanmean([self.metrics[name] - self.twin[name] for name in METRICS]))


def score_method(method: AttributionMethod, case: Case) -> CaseScores:
    """Score a method on one network; `MethodFailed` if it fails."""
    network = attribution_sizes(method, case, case.network)
    return score_sizes(network, attribution_sizes(method, case, case.twin), case)


def score_truth(case: Case) -> CaseScores:
    """The scores of the truth itself, as if the exact search were a method."""
    return score_sizes(case.truth.deciding.astype(float), case.twin_truth.deciding.astype(float), case)


def score_sizes(network: Values, twin: Values, case: Case) -> CaseScores:
    """The scores of attributions that are known.

    Parameters
    ----------
    network, twin
        The sizes of the attributions for the network and for its twin, (windows, rows, columns).
    case
        The network, its windows and their truth.
    """
    found, baseline = _metrics(network, case), _metrics(twin, case)
    found["present"] = _rank_of(network, case, case.grids > 0)
    found["absent"] = _rank_of(network, case, case.grids == 0)
    flat, of_twin = (sizes.reshape(len(sizes), -1) for sizes in (network, twin))
    found["sanity"] = _mean(np.abs(shares(flat) - shares(of_twin)).sum(axis=1) / 2)
    return CaseScores(found, baseline)


def _metrics(sizes: Values, case: Case) -> dict[str, float]:
    scores = {
        **localisation(sizes, case.truth.deciding, case.truth.irrelevant),
        **case.exchange.scores(sizes),
    }
    return {name: _mean(scores[name]) for name in METRICS}


def _rank_of(sizes: Values, case: Case, cells: Mask) -> float:
    """The rank of the deciding cells among these cells, over the windows that have some."""
    deciding = case.truth.deciding & cells
    some = deciding.any(axis=(1, 2))
    if not some.any():
        return float("nan")
    return _mean(localisation(sizes[some], deciding[some], case.truth.irrelevant[some])["rank"])


def _mean(values: Values) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def attribution_sizes(method: AttributionMethod, case: Case, network: nn.Module) -> Values:
    """The sizes of a method's attributions of the classes that the case's network answers.

    The method gets copies, so that nothing it leaves behind reaches the next one; torch's random numbers are
    those of the case's seed.

    Parameters
    ----------
    method
        The method.
    case
        The windows, and the classes to explain.
    network
        The network of the case, or its twin.
    """
    grids, target = torch.tensor(case.grids), torch.tensor(case.truth.answers)
    try:
        with seeded(case.entry.seed), redirect_stdout(sys.stderr):
            found = method.attribute(copy.deepcopy(network), grids.clone(), target)
        values = np.asarray(torch.as_tensor(found).detach().cpu().numpy(), dtype=np.float64)
    except (Exception, SystemExit) as error:
        raise MethodFailed(described(error)) from None
    if values.shape != case.grids.shape:
        shapes = " instead of ".join(str(shape) for shape in (values.shape, case.grids.shape))
        raise MethodFailed(f"returned values of shape {shapes}")
    if not np.isfinite(values).all():
        raise MethodFailed("returned values that are not finite")
    return np.abs(values)
