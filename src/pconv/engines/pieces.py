"""How many numbers are evaluated at a time, which bounds the memory of an evaluation. Does not load torch."""

from __future__ import annotations

CENSUS_CHUNK = 2**15
"""Numbers of a census whose grids are encoded at a time, for sparse representations."""
CELLS_AT_ONCE = 2**23
"""Grid cells at a time: in the dense engine, and in a census of a representation that is not sparse."""
LEAST_PIECE = 1024
"""The fewest windows that the sparse engine evaluates at a time, also where batches are smaller. It reads the
weights of the first linear layer once for each piece, and a census has many windows."""
