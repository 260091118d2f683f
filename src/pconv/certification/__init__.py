"""Certificates: how often a trained network is right among all positive integers, proved or sampled."""
