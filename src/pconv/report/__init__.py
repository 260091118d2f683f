"""Pictures of theories and runs: one page to explore, figures to publish. It reads, and computes nothing."""
