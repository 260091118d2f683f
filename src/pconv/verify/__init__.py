"""Where theory and result meet."""
