"""Networks, their weights on disk, and how they leave pconv."""
