"""What can go wrong in a way the user can mend."""

from __future__ import annotations


class PconvError(Exception):
    """Anything pconv says in one line instead of a traceback."""


class InputError(PconvError, ValueError):
    """A value that cannot be used: its name, the value, and what is allowed.

    >>> print(InputError("batch_size", 0, "must be at least 1"))
    batch_size 0: must be at least 1
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(name, value, allowed)
        self.name = name
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.name} {self.value}: {self.allowed}"
