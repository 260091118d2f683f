"""Compiled loops of the sparse engines."""
