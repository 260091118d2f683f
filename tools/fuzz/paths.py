"""Paths for options that take a file: valid ones, and those that no command can read or write."""

from __future__ import annotations

from tools.fuzz.sandbox import MADE
from tools.fuzz.template import FILES
from tools.fuzz.values import LONE_SURROGATE

PATHS = (
    *FILES,
    *MADE,
    *("missing", "missing/x.html", "notes.txt/x.html", "folder/new.html", "loop/x.svg", "dangling/x.md"),
    *(
        "pconv.db.d",
        ":memory:",
        "",
        ".",
        "..",
        "/",
        "-",
        "a" * 300,
        "a/" * 2_000,
        "new\n.html",
        "\x1b[2J.html",
    ),
    *("new.db", "new.svg", "new.PDF", "new.md", "new.csv", "new.jsonl", "new.safetensors", "素数.html"),
    *(f"{LONE_SURROGATE}.html", LONE_SURROGATE, ".html", ".jsonl", "file:pconv.db?mode=memory", "%2e"),
)
