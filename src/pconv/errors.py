"""The errors of pconv, which commands print as one line."""

from __future__ import annotations

_LONGEST = 200  # characters of a value in a message


class PconvError(Exception):
    """Base class: the command line prints the message in one line instead of a traceback."""


class InputError(PconvError, ValueError):
    """An invalid value.

    Parameters
    ----------
    name
        The name of the parameter or option.
    value
        The value that was given.
    allowed
        What is allowed, or why the value is not.

    Examples
    --------
    >>> print(InputError("batch_size", 0, "must be at least 1"))
    batch_size 0: must be at least 1
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(name, value, allowed)
        self.name = name
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.name} {self.detail}"

    @property
    def detail(self) -> str:
        """The value, or the beginning of a long one, and what is allowed."""
        value = str(self.value)
        short = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 3]}..."
        return f"{short}: {self.allowed}"
