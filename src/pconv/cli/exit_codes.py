"""The exit codes that commands share; 0 is success."""

REFUTED_THEORY = 1
"""The tested theory is refuted: by the run of `pconv train`, or by a run of those with `--theory`."""

INVALID_INPUT = 2
"""The input is invalid, a file cannot be read or written, or there is not enough memory."""

FAILED_RUNS = 3
"""Some runs of a sweep could not be computed, a device does not agree, or a run differs from its record."""

UNEXPECTED = 70
"""An exception that no one has foreseen: `EX_SOFTWARE` of the BSD conventions."""

INTERRUPTED = 130
"""Ctrl-C, by the convention of shells."""

TERMINATED = 143
"""SIGTERM, as `kill` sends it, by the same convention."""
