"""Attacks on real sweeps of tiny networks, and the checks that nothing is lost; run by `make chaos`."""
