"""Checks compiled networks on every number of the domain and on random numbers up to the largest.

    python tools/check_compiled.py            # m = 2..64 at B = 8, m = 2..30 at B = 16 and 24, and others
    python tools/check_compiled.py -m 7 -B 8  # those of one modulus and window

Each network is asked about all 784,347 numbers of the default domain (every twentieth where there are more
than 32 columns), and about 100,000 random numbers below 2^63 - B; about equal grids once. A line is printed
for each: answers outside the group of n (leaks), answers other than the least class of the group, and the
groups answered against those of the theory. Exit code 1 if one differs.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

import pconv
from pconv._arrays import IntArray
from pconv.compiler.layout import columns_for
from pconv.data.domain import Domain
from pconv.data.grid import prime_grid
from pconv.theory import predict

RANDOM = 100_000
AT_ONCE = 2_000
MANY_COLUMNS = 32
PAPER_SHAPE: dict[str, Any] = {"primes": 32, "kernel": 7, "channels": 4}


def cases() -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Modulus, B and other arguments of every network that is checked."""
    for modulus in (*range(2, 65), 720, 900, 1021, 1024):
        yield modulus, 8, {}
    for successors in (16, 24):
        for modulus in range(2, 31):
            yield modulus, successors, {}
    for modulus in (12, 25, 60, 720, 1021, 1024):
        yield modulus, 8, {"architecture": "mlp"}
    for modulus in (7, 11, 16, 25):
        yield modulus, 8, PAPER_SHAPE


def check(modulus: int, successors: int, others: dict[str, Any]) -> bool:
    """Whether a network answers as the theorem says; prints what was counted."""
    offsets = range(successors + 1)
    model = pconv.compile_network(modulus, offsets, **others)
    labels = np.array(predict(modulus, offsets, primes=model.config.primes).labels)
    least = np.unique(labels, return_index=True)[1]
    network = _without_empty_units(model.network)
    answered = []
    for random in (False, True):
        numbers, grids, same = _asked(successors, model.config.primes, random)
        answered.append((numbers, _answers(network, grids)[same]))
    leaks, others_than_least, groups = 0, 0, []
    for numbers, answers in answered:
        leaks += int((labels[answers] != labels[numbers % modulus]).sum())
        others_than_least += int((answers != least[labels[numbers % modulus]]).sum())
        groups.append(len(np.unique(labels[answers])))
    expected = [len(np.unique(labels[numbers % modulus])) for numbers, _ in answered]
    config = model.config
    print(
        f"{config.label()}, {len(answered[0][0]):,} numbers: {leaks} leaks, {others_than_least} other than "
        f"the least, groups {groups[0]} and {groups[1]} of {len(least)}",
        flush=True,
    )
    return leaks == others_than_least == 0 and groups == expected


def _without_empty_units(network: nn.Module) -> nn.Module:
    """The same function, computed faster: hidden units all of whose weights are zero are left out."""
    smaller = copy.deepcopy(network)
    layers = [smaller.get_submodule(f"linear.fc{i}") for i in range(1, 5)]
    for before, after in pairwise(layers):
        assert isinstance(before, nn.Linear)
        assert isinstance(after, nn.Linear)
        empty = (before.weight == 0).all(1) & (before.bias == 0) & (after.weight == 0).all(0)
        before.weight = nn.Parameter(before.weight[~empty])
        before.bias = nn.Parameter(before.bias[~empty])
        after.weight = nn.Parameter(after.weight[:, ~empty])
    return smaller


@lru_cache(maxsize=2)
def _asked(successors: int, columns: int, random: bool) -> tuple[IntArray, Any, IntArray]:
    """Numbers, their different grids, and the index of the grid of each number."""
    if random:
        numbers = np.random.default_rng(0).integers(1, 2**63 - 1 - successors, RANDOM)
    else:
        numbers = Domain().members[:: 1 if columns <= MANY_COLUMNS else 20]  # grids are held in memory
    grids = prime_grid(numbers, range(successors + 1), columns).dense().astype(np.uint8)
    keys = grids.reshape(len(grids), -1).view(f"V{(successors + 1) * columns}").ravel()
    _, first, same = np.unique(keys, return_index=True, return_inverse=True)
    return numbers, grids[first], same


def _answers(network: nn.Module, grids: Any) -> IntArray:
    parts = []
    with torch.no_grad():
        for start in range(0, len(grids), AT_ONCE):
            some = torch.from_numpy(grids[start : start + AT_ONCE].astype(np.float32))
            parts.append(network(some).numpy().argmax(axis=1))
    return np.concatenate(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-m", type=int, help="only this modulus")
    parser.add_argument("-B", type=int, help="only this number of successors")
    given = parser.parse_args()
    torch.set_num_threads(1)
    wanted = [c for c in cases() if given.m in (None, c[0]) and given.B in (None, c[1])]
    wanted.sort(key=lambda c: (c[1], c[2].get("primes", columns_for(c[0], 2))))  # grids are used again
    held = [check(*case) for case in wanted]
    print(f"{sum(held)} of {len(held)} networks answer as the theory says")
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
