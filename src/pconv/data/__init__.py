"""Numbers: primes, factorization, the domain, prime grids, representations and tasks."""
