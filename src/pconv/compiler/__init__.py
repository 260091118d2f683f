"""Networks whose weights are computed from the signature theory, without training."""
