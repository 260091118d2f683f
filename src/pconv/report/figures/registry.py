"""The registry of figures: how each is made from its options, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from matplotlib.figure import Figure

from pconv._atomic import atomic_write
from pconv.registry import Registry, import_modules
from pconv.report.figures.style import ENDINGS, save

R = TypeVar("R")


@dataclass(frozen=True)
class FigureSpec(Generic[R]):
    """A figure by name: how its record is made, and how the record becomes a file.

    Parameters
    ----------
    name
        Its name in `pconv figure NAME`.
    make
        Makes the record. Its parameters are the options of the command, its docstring is the help.
    draw
        Draws the record.
    text
        Functions from the record to text, by the ending of the file, for figures that are also text.
    """

    name: str
    make: Callable[..., R]
    draw: Callable[[R], Figure]
    text: Mapping[str, Callable[[R], str]] = field(default_factory=dict)

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of files that it can be written to."""
        return (*ENDINGS, *self.text)

    def write(self, record: R, path: Path) -> None:
        """Write the record as a file; its ending decides how."""
        as_text = self.text.get(path.suffix.lower())
        if as_text is None:
            save(lambda: self.draw(record), path)
            return
        with atomic_write(path, "output") as draft:
            Path(draft).write_text(as_text(record), "utf-8")


FIGURES: Registry[FigureSpec[Any]] = Registry("figure", FigureSpec, "pconv.figures")
"""The figures registered so far; use `figures()` to have those that ship among them."""


def figures() -> dict[str, FigureSpec[Any]]:
    """All figures in the order of their names: of this package, added by a program, of installed packages."""
    import_modules(__name__.rpartition(".")[0])
    return dict(sorted(FIGURES.items()))
