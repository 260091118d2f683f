"""The exit codes that commands share; 2 is that of invalid input."""

FAILED_RUNS = 3
"""Some runs of a sweep could not be computed, a device does not agree, or a run differs from its record."""

INTERRUPTED = 130
"""Ctrl-C, by the convention of shells."""
