"""Ways to compute a training step. All do the same mathematics; only rounding differs."""
