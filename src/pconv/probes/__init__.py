"""Interventions on a trained network, and what is seen inside it."""
