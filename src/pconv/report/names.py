"""Names of runs, windows and settings as figures print them, with mathematics between dollars."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pconv.config import PLUGIN_FIELDS, RunConfig, preset_fields
from pconv.window import successor_count


def window_name(offsets: tuple[int, ...]) -> str:
    """The name of a window.

    >>> window_name((0, 1, 2)), window_name((-1, 0, 4))
    ('$B=2$', 'offsets -1, 0, 4')
    """
    count = successor_count(offsets)
    return f"offsets {', '.join(map(str, offsets))}" if count is None else f"$B={count}$"


def columns_name(preset: str) -> str:
    """The number of columns of a preset.

    >>> columns_name("paper")
    '$N=5{,}000$'
    """
    return f"$N={preset_fields(preset)['primes']:,}$".replace(",", "{,}")


def run_title(config: RunConfig) -> str:
    """The name of a run.

    >>> run_title(RunConfig(modulus=11, seed=3))
    '$m=11$, $B=8$, $k=7$'
    """
    return ", ".join(name_parts(config).values())


def name_parts(config: RunConfig) -> dict[str, str]:
    """The parts of a run's name, by field."""
    kinds = {name: getattr(config, name) for name in PLUGIN_FIELDS}
    named = {name: kind for name, kind in kinds.items() if kind != getattr(RunConfig, name)}
    kernel = {"kernel": f"$k={listed(config.kernel)}$"} if config.convolves else {}
    return {**named, "modulus": f"$m={config.modulus}$", "offsets": window_name(config.offsets), **kernel}


def setting_name(config: RunConfig) -> str:
    """What the runs of one table have in common: all but modulus, window, kernel and seed.

    >>> setting_name(RunConfig(modulus=11, seed=3))
    'N=32, C=4, r=400, s=256, t=10'
    >>> setting_name(RunConfig(modulus=2, channels=(8, 16), limit=500_000))
    'N=32, C=8,16, r=400, s=256, t=10, limit=500000'
    >>> setting_name(RunConfig(modulus=2, architecture="mlp"))
    'N=32, r=400, s=256, t=10, architecture=mlp'
    """
    return ", ".join(setting_parts(config).values())


def setting_parts(config: RunConfig) -> dict[str, str]:
    """The setting by field; fields without a letter only if they differ from their default."""
    letters = {"primes": "N", "channels": "C", "batches": "r", "batch_size": "s", "epochs": "t"}
    shown = [name for name in letters if name != "channels" or config.convolves]
    found = {name: f"{letters[name]}={listed(getattr(config, name))}" for name in shown}
    cell = {"modulus", "offsets", "kernel", "seed", "early_stop"}
    for other in fields(config):
        value = getattr(config, other.name)
        if other.name not in {*letters, *cell} and value != other.default:
            found[other.name] = f"{other.name}={value}"
    return found


def listed(value: Any) -> str:
    """A value, or the values of a tuple with commas between them."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
