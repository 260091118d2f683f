"""The registry of attribution methods, and methods in a file of the user."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor, nn

from pconv._text import shortened
from pconv.errors import InputError, PconvError
from pconv.registry import Registry, import_modules

Attribute = Callable[[nn.Module, Tensor, Tensor], Tensor]
"""From a network, grids (windows, rows, columns) and the class of each grid to a value for each cell."""

FUNCTION = "attribute"
"""The name of the function that a file defines."""


def _always() -> None:
    """The check of a method that needs nothing."""


@dataclass(frozen=True)
class AttributionMethod:
    """An attribution method by name.

    Parameters
    ----------
    name
        Its name on the board, and in `pconv board --method NAME`.
    attribute
        From a network, grids (windows, rows, columns) and the class of each grid whose logit is explained to
        a value for each cell, in a tensor of the same shape. Only the sizes of the values count.
    cheat
        Whether it ignores the network: a control, which must not rank above a method that does not.
    check
        Raises a `PconvError` if the method cannot be used here; called before any work is done.
    """

    name: str
    attribute: Attribute
    cheat: bool = False
    check: Callable[[], object] = _always


METHODS = Registry("method", AttributionMethod, "pconv.methods")
"""The methods registered so far; use `methods()` to have those that ship among them."""


def register_method(
    name: str, *, cheat: bool = False, check: Callable[[], object] = _always
) -> Callable[[Attribute], AttributionMethod]:
    """Decorator that adds an attribution method to the board.

    Parameters
    ----------
    name, cheat, check
        As in `AttributionMethod`.

    Examples
    --------
    >>> import torch
    >>> @register_method("largest-gradient")
    ... def gradient(network, grids, target):
    ...     grids.requires_grad_()
    ...     return torch.autograd.grad(network(grids).max(dim=1).values.sum(), grids)[0]
    >>> gradient.name in methods()
    True
    """

    def register(attribute: Attribute) -> AttributionMethod:
        return METHODS.add(AttributionMethod(name, attribute, cheat, check))

    return register


def methods() -> dict[str, AttributionMethod]:
    """All methods: of this package, added by a program, of installed packages."""
    import_modules("pconv.board.methods")
    return dict(METHODS.items())


def chosen_methods(given: list[str]) -> list[AttributionMethod]:
    """The methods that a user asks for: names select among the registered ones, files of code are added.

    >>> [method.name for method in chosen_methods(["saliency"])]
    ['saliency']
    """
    files = [Path(text) for text in given if text.endswith(".py")]
    names = [text for text in given if not text.endswith(".py")]
    known = methods()
    for name in names:
        if name not in known:
            raise InputError("method", repr(name), f"must be a file .py, or one of: {', '.join(known)}")
    own = [_from_file(path) for path in files]
    chosen = [*(method for name, method in known.items() if name in names or not names), *own]
    seen: set[str] = set()
    for method in chosen:
        if method.name in seen:
            raise InputError("method", method.name, "is the name of two methods; rename the file")
        seen.add(method.name)
    return chosen


def check_methods(chosen: Iterable[AttributionMethod]) -> None:
    """Raise a `PconvError` if one of the methods cannot be used here."""
    for method in chosen:
        try:
            method.check()
        except PconvError as error:
            raise PconvError(f"{method.name} {error}") from None


def _from_file(path: Path) -> AttributionMethod:
    """The function `attribute` of a Python file, under the name of the file."""
    if not path.is_file():
        raise InputError("method", path, "does not exist" if not path.exists() else "is not a file")
    try:
        with redirect_stdout(sys.stderr):  # standard output may be a JSON document
            function = runpy.run_path(str(path)).get(FUNCTION)
    except (Exception, SystemExit) as error:
        raise InputError("method", path, f"cannot be loaded ({described(error)})") from None
    if not callable(function):
        raise InputError("method", path, f"must define a function {FUNCTION}(network, grids, target)")
    return AttributionMethod(path.stem, function)


def described(error: BaseException) -> str:
    """An exception of code that is not ours, in one line."""
    return shortened(f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": "), 200)
