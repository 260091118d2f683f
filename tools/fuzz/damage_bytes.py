"""Damage to the bytes of a file, whatever they mean."""

from __future__ import annotations

import random

from tools.fuzz.values import LONG_NUMBER

_PIECES = (
    *(
        b"",
        b"\0",
        b"\xff" * 8,
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\r\n",
        b"{",
        b"[" * 3_000,
        b'{"a":' * 3_000,
    ),
    *(b'"', b"\\u0000", b"\\ud800", b"NaN", b"-Infinity", b"1e999", b"null", b"#", LONG_NUMBER.encode()),
)


def damage_bytes(rng: random.Random, data: bytes) -> bytes:
    """The bytes with bits flipped, cut off, doubled, overwritten or inserted."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(_WAYS)(rng, data)
    return data


def _flip_bits(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[_place(rng, len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _place(rng: random.Random, size: int) -> int:
    """Half of all places are at the beginning, where formats have their headers."""
    return rng.randrange(min(size, 200) if rng.random() < 0.5 else size)


def _cut(rng: random.Random, data: bytes) -> bytes:
    return (
        data[: rng.randrange(len(data) + 1)] if rng.random() < 0.7 else data[rng.randrange(len(data) + 1) :]
    )


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 4, 32, 1_000)))


def _double(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 2, 50)) + data[end:]


def _delete(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _overwrite(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    filling = rng.choice((b"\0", b"\xff", b" ", None))
    return data[:start] + (filling * (end - start) if filling else rng.randbytes(end - start)) + data[end:]


def _insert(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(_PIECES) + data[place:]


def _lengthen(rng: random.Random, data: bytes) -> bytes:
    return data + rng.randbytes(rng.choice((1, 8, 4_096)))


_WAYS = (_flip_bits, _flip_bits, _flip_bits, _cut, _double, _delete, _overwrite, _insert, _insert, _lengthen)
