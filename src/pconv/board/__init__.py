"""A leaderboard of attribution methods, on networks whose deciding cells are known by exact search."""
