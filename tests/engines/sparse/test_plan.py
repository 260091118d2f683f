"""The plan's order of the sites, against a plain sort."""

from __future__ import annotations

import numpy as np
import pytest

from pconv.data.grid import prime_grid
from pconv.engines.sparse.plan import plan


@pytest.mark.parametrize(("rows", "kernels"), [(9, (7,)), (24, (3,)), (25, (5, 3))])
def test_sites_are_ordered_by_column_and_then_by_rows(rows: int, kernels: tuple[int, ...]) -> None:
    found = plan(prime_grid(range(1000, 1040), range(rows), 300), kernels)
    last = found.maps[-1]
    columns = 300 >> len(kernels)
    assert np.array_equal(found.by_column.order, np.lexsort((last.rows[:, 1], last.rows[:, 0], last.column)))
    assert found.by_column.pointer.tolist() == [int((last.column < j).sum()) for j in range(columns + 1)]
