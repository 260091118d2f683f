"""The sizes of p-Conv's linear layers and the slope of its activation, known without loading torch."""

from __future__ import annotations

HIDDEN = (1000, 100, 10)
"""The widths of the linear layers between the flattened features and the classes, as in the paper."""
SLOPE = 0.01
"""LeakyReLU's slope below zero: PyTorch's default."""
