"""Probes: interventions on a trained network, and analyses of its layers."""
