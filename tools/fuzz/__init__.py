"""Fuzzing: many thousand command lines and damaged files, each run in process, from a fixed seed.

    python -m tools.fuzz                          # 100,000 cases on all cores
    python -m tools.fuzz --cases 2000 --seed 7    # fewer, and others
    python -m tools.fuzz --only stores            # one kind of cases
    python -m tools.fuzz --only stores 17         # one case again, with all that it printed

A case is a directory of valid files, one of which may be damaged, and a command line. It is determined by the
seed, its kind and its number. `kinds.py` makes cases, `worker.py` runs them one after another within a budget
of memory and time, and `invariants.py` says what must be true afterwards, whatever the input was.
"""
