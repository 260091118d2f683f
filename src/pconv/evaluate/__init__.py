"""Predictions against runs: statistics, assessments, verdicts."""
