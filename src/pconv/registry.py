"""Registries: objects of one kind by name, built in, added by a program or by an installed package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Generic, Protocol, TypeVar

from pconv.errors import InputError, PconvError


class Named(Protocol):
    """An object that a registry can hold."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to all objects of one kind, in the order they were added.

    An installed package adds a theory through the entry point group `pconv.theories`::

        [project.entry-points."pconv.theories"]
        parity = "my_package:parity"

    Parameters
    ----------
    kind
        The kind in a word, for messages.
    of
        The class of the objects.
    group
        The entry point group through which installed packages add objects.
    """

    def __init__(self, kind: str, of: type[T], group: str) -> None:
        self.kind = kind
        self.group = group
        self._of = of
        self._found: dict[str, T] = {}
        self._complete = False  # whether the entry points of installed packages are loaded

    def add(self, item: T) -> T:
        """Adds an object under its name, which must be new."""
        if item.name in self._found:
            raise InputError(self.kind, item.name, "is registered already")
        self._found[item.name] = item
        return item

    def __getitem__(self, name: str) -> T:
        self._load_installed()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        self._load_installed()
        return iter(self._found)

    def __len__(self) -> int:
        self._load_installed()
        return len(self._found)

    def names(self) -> list[str]:
        """The names of all objects. Those of installed packages are their entry points': nothing is loaded,
        because shells ask for names at every key."""
        return list(dict.fromkeys([*self._found, *(entry.name for entry in entry_points(group=self.group))]))

    def named(self, name: str) -> T:
        """The object of this name; an `InputError` that lists the names if there is none."""
        if name not in self:
            raise InputError(self.kind, name, f"must be one of: {', '.join(self)}")
        return self[name]

    def _load_installed(self) -> None:
        if self._complete:
            return
        self._complete = True
        for entry in entry_points(group=self.group):
            what = f"the {self.kind} {entry.name} ({entry.value})"
            try:
                loaded = entry.load()
            except Exception as error:
                raise PconvError(f"{what} cannot be loaded: {error}") from error
            if not isinstance(loaded, self._of):
                raise PconvError(f"{what} is not a {self._of.__module__}.{self._of.__qualname__}")
            self._found.setdefault(loaded.name, loaded)


def import_modules(package: str) -> None:
    """Import all modules of a package, so that each can register what it defines."""
    for module in iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
