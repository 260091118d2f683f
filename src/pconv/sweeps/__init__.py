"""Many runs: grids of configurations, workers, retries."""
