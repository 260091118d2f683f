"""The names of the board's metrics, and its size by default.

It imports nothing, so that commands and figures can use it without loading torch.
"""

from __future__ import annotations

METRICS = ("pointing", "mass", "rank", "deletion", "insertion")
"""The metrics that the score is the mean of; each is from 0 to 1, and more is better."""
SHOWN = (*METRICS, "sanity", "present", "absent")
"""All metrics of a method."""
WINDOWS = 32
"""The windows of each network."""
SEEDS = 5
"""The seeds of each setting."""
