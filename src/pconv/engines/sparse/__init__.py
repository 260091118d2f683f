"""The sparse engines."""
