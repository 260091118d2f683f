"""Numbers and their encoding: primes, factorization, domains, prime grids, representations and tasks."""
