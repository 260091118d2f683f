from __future__ import annotations

from fractions import Fraction
from itertools import islice

from pconv.certification.columns import PrimeColumn
from pconv.certification.groups import GroupTable
from pconv.certification.plan import grids_needed, in_order, make_plan, within_reach
from tests.certification.networks import SMALL

COLUMNS = [PrimeColumn(p, SMALL.offsets) for p in (2, 3, 5)]
TABLE = GroupTable.of(SMALL)


def test_blocks_come_by_share_per_grid_and_never_twice() -> None:
    blocks = list(islice(in_order(COLUMNS), 60))
    densities = [block.share / block.grids for block in blocks]
    assert densities == sorted(densities, reverse=True)
    assert len({block.exponents for block in blocks}) == 60


def test_a_plan_reaches_the_width_with_the_fewest_blocks() -> None:
    plan = make_plan(COLUMNS, TABLE, 0.02, 10**6)
    assert plan.open <= Fraction(2, 100)
    assert plan.covered == sum((block.share for block in plan.blocks), Fraction(0))
    assert grids_needed(COLUMNS, TABLE, 0.02) == plan.grids
    fewer = make_plan(COLUMNS, TABLE, 0.02, plan.grids - 1)
    assert fewer.open > Fraction(2, 100)
    assert fewer.following is not None
    assert fewer.following.block.exponents == plan.blocks[-1].exponents
    assert within_reach(COLUMNS, TABLE, 0.02, plan.grids)


def test_what_no_budget_reaches_is_seen_at_once() -> None:
    many = [PrimeColumn(p, tuple(range(9))) for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]
    assert not within_reach(many, TABLE, 0.001, 10**6)
