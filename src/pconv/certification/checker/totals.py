"""Sums over the grids whose answers are not sure or not the best."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import NamedTuple


class Found(NamedTuple):
    """A grid whose answer is not sure (-1) or not the best: its place, its weight, and of its group the
    classes, those of the best label, those of the rarest and those of the answered label."""

    order: tuple[int, int]
    weight: Fraction
    answer: int
    size: int
    best: int
    least: int
    right: int


class Totals:
    """The figures of a certificate, summed in the order of the grids."""

    def __init__(self) -> None:
        self.wrong_grids = self.short_grids = self.unsure_grids = 0
        self.wrong = self.unsure = self.shortfall = self.doubt = Fraction(0)
        self.lost: dict[Fraction, Fraction] = {}
        self.open: dict[Fraction, Fraction] = {}
        self.listed: list[Found] = []
        self.digest = ""

    def add(self, found: Found) -> None:
        text = f"{self.digest} {found.order[0]} {found.order[1]} {found.answer}"
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        if found.answer < 0:
            share = Fraction(found.best - found.least, found.size)
            self.unsure_grids += 1
            self.unsure += found.weight
            self.doubt += share * found.weight
            self.open[share] = self.open.get(share, Fraction(0)) + found.weight
            return
        share = Fraction(found.best - found.right, found.size)
        self.shortfall += share * found.weight
        self.lost[share] = self.lost.get(share, Fraction(0)) + found.weight
        if found.right:
            self.short_grids += 1
        else:
            self.wrong_grids += 1
            self.wrong += found.weight
            self.listed.append(found)

    def heaviest(self, count: int) -> list[Found]:
        """The wrong grids of largest weight, in their order where equal."""
        return sorted(self.listed, key=lambda one: (-one.weight, one.order))[:count]
