"""Things of one kind by name: those that ship, those a program adds, those that installed packages bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar

from pconv.errors import InputError, PconvError


class Named(Protocol):
    """What a registry holds."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T], Generic[T]):
    """All things of a kind, in the order they were added; those that ship come first.

    An installed package adds to the kind `theory` through the entry point group `pconv.theories`::

        [project.entry-points."pconv.theories"]
        parity = "my_package:parity"
    """

    def __init__(self, kind: str, of: type[T], group: str) -> None:
        self.kind = kind
        self.group = group
        self._of = of
        self._found: dict[str, T] = {}
        self._complete = False  # whether the installed packages have been asked

    def add(self, thing: T) -> T:
        """Make it known under its name."""
        if thing.name in self._found:
            raise InputError(self.kind, thing.name, "is registered already")
        self._found[thing.name] = thing
        return thing

    def __getitem__(self, name: str) -> T:
        self._load_installed()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        self._load_installed()
        return iter(self._found)

    def __len__(self) -> int:
        self._load_installed()
        return len(self._found)

    def named(self, name: str) -> T:
        """The thing of this name, or one line that says which names there are."""
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
