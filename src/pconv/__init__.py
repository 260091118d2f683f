"""pconv: say what a network can learn before it is trained, train it, and put the saying to a test."""

__version__ = "0.1.0"
