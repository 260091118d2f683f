"""Defaults that commands and completions share."""

from __future__ import annotations

from pathlib import Path

DEFAULT_STORE = Path("pconv.db")
