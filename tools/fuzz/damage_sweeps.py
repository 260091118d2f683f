"""Sweep files: TOML from a grammar, with keys that exist and values that may be none of theirs."""

from __future__ import annotations

import json
import random

from pconv.config_args import argument_names
from tools.fuzz import values
from tools.fuzz.damage_bytes import damage_bytes
from tools.fuzz.valid_values import valid_value

_TABLES = (
    "[grid]",
    "[grid]",
    "[[grid]]",
    "[other]",
    "[grid.sub]",
    "[[grid.sub]]",
    "[grid]\n[grid]",
    "grid = 1",
    "",
)
_VALUES = (
    *(
        "true",
        "false",
        "1979-05-27",
        "07:32:00",
        "1979-05-27T07:32:00Z",
        "nan",
        "-inf",
        "1e999",
        "0x10",
        "1_000",
    ),
    *(
        "[]",
        "[[]]",
        "[[3]]",
        "{}",
        "{a = 1}",
        "[1, 'x', true]",
        "''",
        "'''\n'''",
        '"\\u0000"',
        '"\\U0010ffff"',
        "+7",
    ),
    *(values.LONG_NUMBER, "-" + values.LONG_NUMBER, "[" * 2_000 + "]" * 2_000, "{a=" * 500 + "1" + "}" * 500),
    *("[" + ",".join(map(str, range(400))) + "]", "[" + "3," * 5_000 + "]", "07", "3 4", "=", '"unfinished'),
)


def sweep_file(rng: random.Random, valid: bytes) -> bytes:
    """A sweep file: a damaged copy of a valid one, or one that was never valid."""
    if rng.random() < 0.3:
        return damage_bytes(rng, valid)
    text = "".join(_table(rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))
    data = text.encode("utf-8", "surrogatepass")
    return damage_bytes(rng, data) if rng.random() < 0.1 else data


def _table(rng: random.Random) -> str:
    keys = rng.sample(sorted(argument_names()), rng.choice((0, 1, 2, 4, 8)))
    if rng.random() < 0.9 and "modulus" not in keys:
        keys.append("modulus")
    if rng.random() < 0.1:
        keys.append(json.dumps(rng.choice(values.TEXTS)))
    if rng.random() < 0.03:
        keys *= 2
    header = "[grid]" if rng.random() < 0.8 else rng.choice(_TABLES)
    lines = [f"{key} = {_value(rng, key)}" for key in keys]
    return "\n".join([header, *lines, ""])


def _value(rng: random.Random, key: str) -> str:
    if rng.random() < 0.2:
        return _wrong(rng)
    if rng.random() < 0.7:
        return _valid(rng, key)
    items = [
        _valid(rng, key) if rng.random() < 0.9 else _wrong(rng) for _ in range(rng.choice((0, 1, 2, 3, 12)))
    ]
    return f"[{', '.join(items)}]"


def _valid(rng: random.Random, key: str) -> str:
    if key in ("early_stop", "no_early_stop"):
        return rng.choice(("true", "false"))
    value = valid_value(rng, "sweep", key, str)
    is_number = value.replace(".", "").isdecimal() and key not in ("kernel", "channels")
    return value if is_number else json.dumps(value)


def _wrong(rng: random.Random) -> str:
    return rng.choice(_VALUES) if rng.random() < 0.7 else json.dumps(values.anything(rng))
