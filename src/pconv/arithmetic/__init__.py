"""Numbers only: primes, windows written as prime exponents, and the domain numbers are drawn from."""
