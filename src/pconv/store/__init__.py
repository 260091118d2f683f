"""Storage of runs on disk."""
