"""The exit codes that commands share; 0 is success, and 1 that of a theory that `pconv train` refutes."""

INVALID_INPUT = 2
"""The input is invalid, or a file cannot be read or written."""

FAILED_RUNS = 3
"""Some runs of a sweep could not be computed, a device does not agree, or a run differs from its record."""

UNEXPECTED = 70
"""An exception that no one has foreseen: `EX_SOFTWARE` of the BSD conventions."""

INTERRUPTED = 130
"""Ctrl-C, by the convention of shells."""
