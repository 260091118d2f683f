"""The interactive page: one file with the theory for every (m, B) and the results of runs."""
