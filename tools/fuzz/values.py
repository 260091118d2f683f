"""Values that somebody could write by mistake, or in order to do harm."""

from __future__ import annotations

import random

LONG_NUMBER = "9" * 5_000
"""Python refuses to convert more than 4,300 digits."""

TEXTS = (
    "",
    " ",
    "x",
    "-",
    "--",
    ".",
    "None",
    "true",
    "null",
    "%s%n",
    "${HOME}",
    "a,b",
    ",",
    ":",
    "1:",
    "[/x]",
    "[bold]",
    "<script>alert(1)</script>",
    "=1+1",
    "\x1b[2J\x07",
    "\u202e\u200b",
    "línea",
    "素数",
    "٣",
    "½",
    "\U0001f9ee" * 40,
    "line\nbreak",
    "tab\t",
    "a" * 300,
    "a/" * 60,
    "x" * 20_000,
)
"""Texts for any option. Arguments of a process have no zero byte, so it is only in files."""

LONE_SURROGATE = "\udc80"
"""What Python makes of an argument or a file name that is not UTF-8."""

INTEGERS = (
    *(-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 64, 97, 100, 255, 256, 1_000, 1_023, 1_024, 1_025, 4_095, 4_096),
    *(10_000, 65_536, 82_025, 82_026, 10**6, 10**8, 10**8 + 1, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 10**18),
    *(2**63 - 1, 2**63, 2**64, 10**30, 10**400, -(2**31), -(2**63) - 1),
)
WRITTEN_INTEGERS = (
    "+7",
    " 7",
    "7 ",
    "07",
    "0x10",
    "1_000",
    "1e3",
    "7.0",
    "-0",
    "٣",
    "７",
    "inf",
    "nan",
    LONG_NUMBER,
)

FLOATS = (
    *(0.0, -0.0, 0.5, 1.0, -1.0, 0.01, 0.05, 0.95, 0.999, 1e-9, 1 - 1e-16, 1e-320, 2.0, 1e9, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf")),
)
WRITTEN_FLOATS = ("1e999", "1e-999", "0,5", ".5", "5.", "1/2", "٠٫٥", "5%", LONG_NUMBER)


def integer(rng: random.Random) -> str:
    """An integer, or something like one, as a user may write it."""
    return str(rng.choice(INTEGERS)) if rng.random() < 0.7 else rng.choice(WRITTEN_INTEGERS)


def number(rng: random.Random) -> str:
    """A real number, or something like one."""
    return repr(rng.choice(FLOATS)) if rng.random() < 0.7 else rng.choice(WRITTEN_FLOATS)


def integers(rng: random.Random) -> str:
    """A list or a range of integers."""
    if rng.random() < 0.4:
        return f"{integer(rng)}:{integer(rng)}"
    return ",".join(integer(rng) for _ in range(rng.choice((1, 2, 2, 3, 5, 40))))


def text(rng: random.Random) -> str:
    """Any text that can be an argument of a process."""
    choice = rng.random()
    if choice < 0.6:
        return rng.choice(TEXTS)
    if choice < 0.65:
        return LONE_SURROGATE
    if choice < 0.8:
        return integer(rng)
    if choice < 0.9:
        return number(rng)
    return "".join(
        chr(rng.choice((rng.randrange(1, 128), rng.randrange(160, 0xD000))))
        for _ in range(rng.randrange(1, 20))
    )


def anything(rng: random.Random) -> str:
    """Any argument, whatever the option takes."""
    return rng.choice((integer, number, integers, text, text))(rng)
