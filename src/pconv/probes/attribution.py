"""Attribution methods against a known truth: whether they point at the cells that decide the class.

The theory knows which cells matter: the multiples of a prime of m, in that prime's column. Hide any of them
and the evidence is another. So a method is scored by how much of what it points at lies there, beside the
same score on a network with random weights, which knows nothing and must not score as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pconv.probes.finding import Finding, Standard, share_finding
from pconv.probes.heatmap import HeatMap, cell_map, drawn_columns
from pconv.probes.reader import Grids, SignatureReader
from pconv.probes.registry import ProbeResult, ProbeUnavailable, register_probe
from pconv.probes.target import ProbeTarget, randomised

NAME = "attribution"
WINDOWS = 256
_STEPS = 32  # of the integral from the empty grid to the window
_OCCLUDED = (2, 2)  # rows x columns hidden at once
MOST_CELLS = 4_096
"""The largest grids whose cells are changed one by one, as occlusion does: none of paper size."""

Mask = NDArray[np.bool_]
Attributions = NDArray[np.float64]
Method = Callable[[nn.Module, Tensor, Tensor], Tensor]


def captum_attr() -> Any:
    """captum's attribution methods, imported on first use."""
    try:
        import captum.attr
    except ImportError:
        raise ProbeUnavailable("needs captum: pip install 'captum>=0.9'") from None
    return captum.attr


def integrated_gradients(network: nn.Module, grids: Tensor, answers: Tensor) -> Tensor:
    """Integrate the gradient of a logit along the line from the empty grid.

    Parameters
    ----------
    network
        Takes grids and gives logits.
    grids
        The grids, (windows, rows, columns).
    answers
        The class of each grid whose logit is attributed.
    """
    method = captum_attr().IntegratedGradients(network)
    result: Tensor = method.attribute(grids, target=answers, n_steps=_STEPS, internal_batch_size=512)
    return result


def feature_ablation(network: nn.Module, grids: Tensor, answers: Tensor) -> Tensor:
    """Hide one exponent at a time; the cells that are empty anyway count as one feature.

    Parameters
    ----------
    network, grids, answers
        As in `integrated_gradients`.
    """
    present = (grids > 0).flatten(1)
    features = (present.cumsum(1) * present).reshape(grids.shape)
    result: Tensor = (
        captum_attr().FeatureAblation(network).attribute(grids, target=answers, feature_mask=features)
    )
    return result


def occlusion(network: nn.Module, grids: Tensor, answers: Tensor) -> Tensor:
    """Hide a patch at a time; a cell gets the mean of the patches that cover it.

    Parameters
    ----------
    network, grids, answers
        As in `integrated_gradients`.
    """
    method = captum_attr().Occlusion(network)
    result: Tensor = method.attribute(grids, sliding_window_shapes=_OCCLUDED, target=answers)
    return result


METHODS: Mapping[str, Method] = {
    "integrated gradients": integrated_gradients,
    "feature ablation": feature_ablation,
    "occlusion": occlusion,
}


def evidence_cells(reader: SignatureReader, grids: Grids) -> Mask:
    """The theory's mask: the exponents of primes of m that are not zero."""
    mask = np.zeros(grids.shape, dtype=bool)
    mask[:, :, reader.columns] = grids[:, :, reader.columns] > 0
    return mask


def within_reach(mask: Mask, method: str) -> Mask:
    """The cells that a method can point at best; for occlusion the patches that touch an evidence cell."""
    if method != "occlusion":
        return mask
    reached = np.zeros_like(mask)
    rows, columns = mask.shape[1:]
    for i in range(1 - _OCCLUDED[0], _OCCLUDED[0]):
        for j in range(1 - _OCCLUDED[1], _OCCLUDED[1]):
            shifted = mask[:, max(0, -i) : rows - max(0, i), max(0, -j) : columns - max(0, j)]
            reached[:, max(0, i) : rows + min(0, i), max(0, j) : columns + min(0, j)] |= shifted
    return reached


@dataclass(frozen=True)
class Scores:
    """One value for each window."""

    mass: NDArray[np.float64]  # share of all attribution that falls on the mask
    pointing: NDArray[np.bool_]  # whether the largest attribution does
    rank: NDArray[np.float64]  # Spearman's correlation with the mask, over the exponents that are not zero


def score(attributions: Attributions, mask: Mask, present: Mask) -> Scores:
    """How much of the absolute attributions falls on the mask.

    Parameters
    ----------
    attributions
        A value for each cell, (windows, rows, columns).
    mask
        The cells that decide.
    present
        The exponents that are not zero.
    """
    from scipy.stats import spearmanr

    sizes = np.abs(attributions).reshape(len(mask), -1)
    flat, there = mask.reshape(len(mask), -1), (present | mask).reshape(len(mask), -1)
    total = np.maximum(sizes.sum(axis=1), np.finfo(float).tiny)
    rank = np.full(len(mask), np.nan)
    for i, (size, wanted, cells) in enumerate(zip(sizes, flat, there, strict=True)):
        # undefined where all cells are wanted or all sizes are equal
        if wanted[cells].any() and not wanted[cells].all() and np.ptp(size[cells]) > 0:
            rank[i] = spearmanr(size[cells], wanted[cells]).statistic
    pointing = flat[np.arange(len(flat)), sizes.argmax(axis=1)]
    return Scores((sizes * flat).sum(axis=1) / total, pointing, rank)


@register_probe(NAME, reads_layers=True, order=40)
def probe_attribution(target: ProbeTarget, standard: Standard) -> ProbeResult:
    """Every method on the trained network and on one with random weights."""
    network = target.network
    if network is None:
        raise TypeError("attribution needs a network, and this target has none")
    captum_attr()
    grids = target.grids(len(target.numbers))
    mask = evidence_cells(target.reader, grids)
    decided = np.flatnonzero(mask.any(axis=(1, 2)))[:WINDOWS]  # no cell decides a class without a multiple
    if not len(decided):
        nothing = Finding(NAME, "evidence cells", "nothing: no cell decides", "not tried", None, 0)
        return ProbeResult([nothing])
    grids, mask = grids[decided], mask[decided]
    blank = randomised(network, target.seed)
    findings: list[Finding] = []
    maps = [_map("theory: the cells that decide (mean over windows)", target, mask.astype(float))]
    for name, method in METHODS.items():
        if name == "occlusion" and grids[0].size > MOST_CELLS:
            too_large = f"not tried above {MOST_CELLS:,} cells"
            findings.append(Finding(NAME, name, "points at the evidence cells", too_large, None, 0))
            continue
        trained, random = (_attributions(method, net, grids) for net in (network, blank))
        reach = within_reach(mask, name)
        scores = score(trained, reach, grids > 0), score(random, reach, grids > 0)
        findings += _findings(name, *scores, _chance(reach, grids), standard)
        maps.append(_map(f"{name} (mean share of the largest)", target, _relative(trained)))
    return ProbeResult(findings, maps)


def _findings(
    method: str, trained: Scores, random: Scores, chance: NDArray[np.float64], standard: Standard
) -> Iterator[Finding]:
    from scipy.stats import fisher_exact

    n = len(trained.mass)
    yield share_finding(
        NAME,
        f"{method}: pointing game",
        "the largest attribution is on an evidence cell",
        trained.pointing,
        standard,
        note=f" (random weights {random.pointing.mean():.2%}, by chance {chance.mean():.2%})",
    )
    yield share_finding(
        NAME,
        f"{method}: mass",
        "most of it (over half) is on evidence cells",
        trained.mass > 0.5,
        standard,
        note=f" of windows; mean mass {trained.mass.mean():.2f}, random weights {random.mass.mean():.2f}",
    )
    ranked, blank = trained.rank[~np.isnan(trained.rank)], random.rank[~np.isnan(random.rank)]
    if len(ranked):
        yield share_finding(
            NAME,
            f"{method}: rank",
            "evidence cells rank higher",
            ranked > 0,
            standard,
            note=f" of windows; mean correlation {ranked.mean():.2f}, random weights {blank.mean():.2f}",
        )
    hits = [int(trained.pointing.sum()), int(random.pointing.sum())]
    doubt = float(fisher_exact([[hits[0], n - hits[0]], [hits[1], n - hits[1]]], "greater").pvalue)
    yield Finding(
        NAME,
        f"{method}: random weights",
        "point at evidence cells less often than trained ones",
        f"{random.pointing.mean():.2%} against {trained.pointing.mean():.2%} (p = {doubt:.1g})",
        doubt < 1 - standard.confidence,
        n,
    )


def _attributions(method: Method, network: nn.Module, grids: Grids) -> Attributions:
    """The attributions of the network's own answers, whether correct or not."""
    given = torch.from_numpy(np.array(grids))
    with torch.no_grad():
        answers = network(given).argmax(dim=1)
    return np.asarray(method(network, given, answers).detach().numpy(), dtype=np.float64)


def _chance(mask: Mask, grids: Grids) -> NDArray[np.float64]:
    """The share of the non-empty cells that lie on the mask: the score of a random choice."""
    cells = (grids > 0) | mask
    return np.asarray(mask.sum(axis=(1, 2)) / cells.sum(axis=(1, 2)))


def _relative(attributions: Attributions) -> Attributions:
    sizes = np.abs(attributions)
    return np.asarray(sizes / np.maximum(sizes.max(axis=(1, 2), keepdims=True), np.finfo(float).tiny))


def _map(title: str, target: ProbeTarget, values: Attributions) -> HeatMap:
    mean = values.mean(axis=0)[:, drawn_columns(target.reader)]
    return cell_map(title, target.reader, mean, max(float(mean.max()), np.finfo(float).tiny))
