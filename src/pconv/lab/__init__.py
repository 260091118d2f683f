"""Many runs: the store that keeps them, the sweep that computes them, the paper's tables made of them."""
