"""The exit codes that commands share; 2 is that of an input that is not allowed."""

FAILED_RUNS = 3
"""Some runs of a sweep could not be computed."""

INTERRUPTED = 130
"""Ctrl-C, as shells have it."""
