"""Whether accuracy depends on the kernel or the seed, on runs where it does and where it does not."""

from __future__ import annotations

from pconv.config import RunConfig
from pconv.studies.analyses.accuracy import kernels, seeds
from pconv.window import successor_window
from tests.studies.analyses.fake_runs import censused, ideal, knowing


def test_seeds_that_matter_are_found_and_a_cell_gets_one_status() -> None:
    same = [ideal(modulus=11, seed=seed) for seed in range(3)]
    other = [knowing(0.95, modulus=7), knowing(0.97, modulus=7, seed=1)]
    answer = seeds([*same, *other])
    assert "up to 3; 0 with a census of every seed" in answer.sentence
    assert "(chi-square over seeds, Holm over cells, 1%) in 1." in answer.sentence
    assert answer.rows[1][:3] == ("m=7, B=8, k=7", "2", "0.9499 to 0.9699")
    confirmed = [censused(RunConfig(modulus=11, seed=seed)) for seed in range(2)]
    answer = seeds(confirmed)
    assert answer.rows[0][-2:] == ("2 confirmed", "confirmed")
    assert "1 with a census of every seed" in answer.sentence
    assert answer.rows[0][2] == "{:.4f} to {:.4f}".format(
        *sorted(run.result.test.accuracy for run in confirmed)
    ), "what the p-value tests"


def test_runs_short_of_the_ceiling_are_named() -> None:
    cell = {"modulus": 17, "offsets": successor_window(16)}
    runs = [ideal(**cell, kernel=(3,)), knowing(0.5, **cell, kernel=(5,)), ideal(**cell, kernel=(3,), seed=1)]
    answer = kernels(runs)
    assert "2 of 3 runs of the kernel study" in answer.sentence
    assert "short of it: m=17, B=16, k=5." in answer.sentence
    assert "1 of 2 cells has one seed, so that a difference" in answer.sentence
    assert "one seed" not in kernels([runs[0], runs[2]]).sentence
