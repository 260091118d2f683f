from __future__ import annotations

import numpy as np
import pytest

from pconv.certification import witness
from pconv.certification.checker import smallest
from pconv.certification.checker.laws import Rules, draws, first_primes
from pconv.certification.checker.smallest import smallest_integer
from pconv.certification.columns import PrimeColumn
from pconv.data.representations import ColumnContent

RULES = [
    Rules((0, 1, 2), None, False),
    Rules((-3, 0, 4), None, False),
    Rules((0, 1), 1, False),
    Rules((-1, 2), None, True),
]


@pytest.mark.parametrize("rules", RULES)
def test_every_grid_below_a_limit_has_its_first_number(rules: Rules) -> None:
    primes = (2, 3, 5)
    first: dict[bytes, tuple[int, np.ndarray]] = {}
    least = max(1, 1 - rules.offsets[0])
    for n in range(least, 200):
        grid = np.array([rules.column_of(n, p) for p in primes]).T
        first.setdefault(grid.tobytes(), (n, grid))
    assert len(first) > 10
    for n, grid in first.values():
        assert smallest_integer(rules, primes, grid) == n


def both(rules: Rules, count: int, draw: int) -> list[tuple[int | None, int | None]]:
    """What the two implementations find for some grids."""
    shows = ColumnContent.RESIDUES if rules.residues else ColumnContent.VALUATIONS
    primes = first_primes(count)
    columns = [PrimeColumn(p, rules.offsets, shows, rules.cap) for p in primes]
    found = []
    for grid in draws(rules, primes, 12, 0, 0, draw):
        shown = grid.astype(np.float32)
        values = [column.representative(shown[:, i]) for i, column in enumerate(columns)]
        other = witness.smallest_integer(primes, values, max(1, 1 - rules.offsets[0]))
        found.append((smallest_integer(rules, primes, grid), other))
    return found


@pytest.mark.parametrize("rules", RULES)
def test_both_implementations_find_the_same(rules: Rules) -> None:
    for one, other in both(rules, 40, 8):
        assert one == other
        assert one is not None


def test_both_implementations_end_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (smallest, witness):
        monkeypatch.setattr(module, "_MOST", 1200)
    monkeypatch.setattr(smallest, "_PIECE", 300)
    found = both(Rules(tuple(range(7)), None, False), 150, 12)
    assert {one is None for one, _ in found} == {True, False}
    for one, other in found:
        assert one == other
