"""The map against counting."""

from __future__ import annotations

from pconv.report.figures.map import map_figure, marks
from tests.report.fakes import run
from tests.report.plain import signature


def test_map_against_counting() -> None:
    figure = map_figure(range(2, 28), range(7), [(11, 3, "confirmed"), (99, 3, "confirmed")])
    for i, m in enumerate(figure.moduli):
        for j, count in enumerate(figure.successors):
            assert figure.distinguishable[i][j] == len({signature(m, count, c) for c in range(m)})
            assert figure.solved(i, j) == (count >= figure.solved_from[i])
    assert (16, 2) in figure.disputed
    assert (11, 3) not in figure.disputed
    assert figure.runs == ((11, 3, "confirmed"),)


def test_runs_that_lack_a_prime_of_m_have_no_place() -> None:
    """The map shows what all primes tell."""
    runs = [run(modulus=11, primes=n, batches=2, test_size=100) for n in (2, 4, 5, 32)]
    assert marks(runs) == [(11, 8, each.status) for each in runs[2:]]
