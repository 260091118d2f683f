"""The certificate of a network: a statement about its answers to all positive integers, as a file."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from pconv import __version__
from pconv import _notebook_html as html
from pconv._atomic import atomic_write
from pconv._json import long_numbers
from pconv._text import format_groups, pluralize
from pconv.certification.signed_bound import INFLATION, SLACK, UNIT
from pconv.config import MAX_NUMBER
from pconv.training.definitions import BUILT_IN
from pconv.window import MAX_OFFSET

FORMAT = "pconv certificate 1"
ENUMERATED, SAMPLED = "enumerated", "sampled"
_SHOWN = 10
_DIGITS = 6


@dataclass(frozen=True)
class WrongExample:
    """A grid whose answer is wrong for every integer that shows it.

    Parameters
    ----------
    number
        The smallest positive integer that shows it; None if none was found in a short search.
    answer
        The network's answer.
    classes
        The classes modulo m of the integers that show it.
    share
        The share of all integers that show it; None for a grid that was drawn.
    place
        The block and the place of the grid in it, or 0 and the number of the draw.
    """

    number: int | None
    answer: int
    classes: tuple[int, ...]
    share: Fraction | None
    place: tuple[int, int]

    @property
    def classifiable(self) -> bool:
        """Whether `pconv classify` accepts the integer: larger ones do not fit into 64 bits."""
        return self.number is not None and self.number <= MAX_NUMBER - MAX_OFFSET

    def to_dict(self) -> dict[str, Any]:
        return {
            "n": self.number,
            "answer": self.answer,
            "classes": list(self.classes),
            "share": None if self.share is None else str(self.share),
            "place": list(self.place),
        }


@dataclass(frozen=True)
class Interval:
    """The two ends of an interval of densities."""

    low: Fraction
    high: Fraction

    @property
    def width(self) -> Fraction:
        return self.high - self.low

    def __str__(self) -> str:
        """Enough digits to see the width, rounded outwards.

        >>> str(Interval(Fraction(1, 3), Fraction(1)))
        '[0.333333, 1]'
        """
        digits = _DIGITS if self.width >= Fraction(1, 10**5) or not self.width else 10
        low, high = math.floor(self.low * 10**digits), math.ceil(self.high * 10**digits)
        return f"[{_decimal(low, digits)}, {_decimal(high, digits)}]"


@dataclass(frozen=True)
class NetworkCertificate:
    """How often a network is right among all positive integers.

    Parameters
    ----------
    kind
        "enumerated": proved. "sampled": holds with a stated confidence over a random draw of grids.
    network
        SHA-256 of the weights.
    config
        The fields of the run's configuration that determine grids, answers and labels.
    right
        The density of right answers.
    leaks
        The density of integers whose answer is right for none with the same grid.
    ceiling
        The density of right answers that no reader of the grid exceeds.
    grids
        The grids that were enumerated or drawn.
    wrong_grids, short_grids, unsure_grids
        Those whose answer is right for none of their integers; right for some, but not the best; not decided
        by the bound on rounding.
    whole_weights
        Whether all weights are whole numbers: the bound on rounding is then 0 wherever sums are below 2^24.
    examples
        The wrong grids with the largest share of all integers.
    details
        What the kind of statement needs to be checked, as in the file.
    wanted
        The width that was asked for.
    advice
        What the next step would cost, where the width was not reached.
    """

    kind: str
    network: str
    config: Mapping[str, Any]
    right: Interval
    leaks: Interval
    ceiling: Fraction
    grids: int
    wrong_grids: int
    short_grids: int
    unsure_grids: int
    whole_weights: bool
    examples: tuple[WrongExample, ...]
    details: Mapping[str, Any] = field(repr=False)
    wanted: float
    advice: str | None = None

    @property
    def low(self) -> Fraction:
        """The least density of right answers."""
        return self.right.low

    @property
    def high(self) -> Fraction:
        """The greatest density of right answers."""
        return self.right.high

    @property
    def width(self) -> Fraction:
        return self.right.width

    @property
    def reached(self) -> bool:
        """Whether the interval is as narrow as was asked for."""
        return self.width <= self.wanted

    @property
    def confidence(self) -> float | None:
        """None where the statement is proved."""
        return self.details.get("confidence")

    @property
    @long_numbers()
    def sentences(self) -> tuple[str, ...]:
        """The statement in words."""
        given = self._condition
        if self.kind == ENUMERATED:
            covered = float(Fraction(self.details["covered"]))
            says = (
                f"Proved for all positive integers{given}: the density of right answers is in {self.right}.",
                f"{self.grids:,} grids were enumerated; their integers have density {covered:.6f}.",
            )
            leaks = f"the density of these integers is in {self.leaks}"
        else:
            confidence = f"With {_percentage(self.confidence or 0)} confidence over the random draw"
            says = (
                f"{confidence}, not proved{given}: "
                f"the density of right answers among all positive integers is in {self.right}.",
                f"{self.grids:,} grids were drawn from their exact law over all integers.",
            )
            density = f"with the same confidence the density of these integers is in {self.leaks}"
            leaks = f"{density} (each of the two intervals by itself)"
        return (*says, *self._counts(leaks))

    @property
    def _condition(self) -> str:
        """What the statement needs and no certificate shows."""
        name = self.config["representation"]
        if name in BUILT_IN["representation"]:
            return ""
        return f", provided that the representation {name} shows what it declares"

    def _counts(self, leaks: str) -> Iterator[str]:
        wrong = pluralize(self.wrong_grids, "grid")
        yield f"Wrong for every integer that shows them: {wrong}; {leaks}."
        yield f"Undecided because of rounding: {pluralize(self.unsure_grids, 'grid')}."
        if self.short_grids:
            short = pluralize(self.short_grids, "grid")
            yield f"Right for some of their integers, but not for the most: {short}."
        ceiling = _decimal(math.ceil(self.ceiling * 10**_DIGITS), _DIGITS)  # a bound: never below it
        yield f"No reader of the grid exceeds {ceiling}."

    @property
    def unreached(self) -> str | None:
        """The width that was reached, and what the next step would cost; None if it is as asked for."""
        if self.reached:
            return None
        text = f"The width reached is {float(self.width):.3g}, not {self.wanted:g}."
        return f"{text} {self.advice}" if self.advice else text

    @long_numbers()
    def rows(self, count: int = _SHOWN) -> list[tuple[str, ...]]:
        """The first wrong grids as rows: n, n modulo m, the answer, the group, 1 in how many integers."""
        return [
            (
                "not found" if one.number is None else str(one.number),
                "-" if one.number is None else str(one.number % self.config["modulus"]),
                str(one.answer),
                format_groups([one.classes[:8]]) + ("..." if len(one.classes) > 8 else ""),
                "-" if one.share is None else f"1 in {round(1 / one.share):,}",
            )
            for one in self.examples[:count]
        ]

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *filter(None, [self.unreached])])

    def _repr_html_(self) -> str:
        header = (
            "smallest n",
            f"n mod {self.config['modulus']}",
            "answer",
            "classes with this grid",
            "integers",
        )
        table = html.table(header, self.rows()) if self.examples else ""
        lines = [*self.sentences, *filter(None, [self.unreached])]
        title = f"Certificate ({self.kind}, {pluralize(self.grids, 'grid')})"
        return html.title(title) + "".join(map(html.paragraph, lines)) + table

    @long_numbers()
    def to_dict(self) -> dict[str, Any]:
        """The content of the file."""
        return {
            "format": FORMAT,
            "pconv": __version__,
            "kind": self.kind,
            "network": self.network,
            "config": dict(self.config),
            **_ends("", self.right),
            **_ends("leaks_", self.leaks),
            "ceiling_fraction": str(self.ceiling),
            "grids": self.grids,
            "wrong_grids": self.wrong_grids,
            "short_grids": self.short_grids,
            "unsure_grids": self.unsure_grids,
            "rounding": {
                "unit": UNIT,
                "slack": SLACK,
                "inflation": INFLATION,
                "whole_weights": self.whole_weights,
            },
            "wanted_width": self.wanted,
            "confidence": self.confidence,
            "examples": [one.to_dict() for one in self.examples],
            **self.details,
        }

    @long_numbers()
    def save(self, path: Path) -> None:
        """Write the certificate, with a checksum of its content."""
        document = self.to_dict()
        document["checksum"] = document_checksum(document)
        with atomic_write(path, "output") as draft:
            Path(draft).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _decimal(scaled: int, digits: int) -> str:
    """So many units of the last of these digits.

    >>> _decimal(500_000, 6), _decimal(10**6, 6)
    ('0.5', '1')
    """
    return f"{scaled / 10**digits:.{digits}f}".rstrip("0").rstrip(".")


def _percentage(share: float) -> str:
    """With all digits of the share, so that no confidence is rounded to 100%.

    >>> _percentage(0.9999999), _percentage(0.9)
    ('99.99999%', '90%')
    """
    return f"{(100 * Decimal(str(share))).normalize():f}%"


def document_checksum(document: Mapping[str, Any]) -> str:
    """SHA-256 of the content of a certificate, its own checksum left out."""
    signed = {name: value for name, value in document.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(signed, sort_keys=True).encode()).hexdigest()


def _ends(prefix: str, interval: Interval) -> dict[str, Any]:
    low, high = float(interval.low), float(interval.high)
    low = math.nextafter(low, -math.inf) if Fraction(low) > interval.low else low
    high = math.nextafter(high, math.inf) if Fraction(high) < interval.high else high
    return {
        f"{prefix}low": low,
        f"{prefix}high": high,
        f"{prefix}low_fraction": str(interval.low),
        f"{prefix}high_fraction": str(interval.high),
    }
