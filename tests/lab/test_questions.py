"""Each question on runs made up to answer it yes, and no, and not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pconv.config import RunConfig, successors
from pconv.lab.disagreement import side
from pconv.lab.judging import verdicts_on
from pconv.lab.questions import NOT_RUN, answers
from pconv.lab.questions.deciding import boundary, crucial, extrapolation, window
from pconv.lab.questions.knowing import above_the_ceiling, columns, kernels, seeds, the_odd_cell
from pconv.lab.questions.learning import fastest_kernel, longer, time_over_epochs, time_over_moduli
from pconv.lab.source import Run
from pconv.lab.studies import studies
from pconv.result import Epoch, Evaluation, RunResult
from tests.report.made_up import result


def judged(made: RunResult) -> Run:
    return Run(made, verdicts_on(made))


def ideal(**fields: Any) -> Run:
    """A reader who knows what the signature tells, and no more."""
    return judged(result(RunConfig(**{"test_size": 20_000, **fields})))


def knowing(share: float, **fields: Any) -> Run:
    """A reader who is right so often, whatever the theory says, and names the next class otherwise."""
    made = result(RunConfig(**fields))
    m, each = made.config.modulus, 20_000 // made.config.modulus
    right = round(share * each)
    counts = [[right * (i == j) + (each - right) * ((i + 1) % m == j) for j in range(m)] for i in range(m)]
    return judged(replace(made, test=Evaluation.from_lists(counts)))


def test_nothing_is_said_without_runs() -> None:
    assert {answer.sentence for answer in answers([])} == {NOT_RUN}


def test_columns_and_seeds_that_matter_are_found() -> None:
    same = [ideal(modulus=11, primes=n) for n in (16, 32, 64)]
    other = [ideal(modulus=7), knowing(0.9, modulus=7, primes=64)]
    said = columns([*same, *other])
    assert said.sentence.startswith("2 cells with runs of several N.")
    assert "in 1, and the verdict in 1." in said.sentence
    assert [row[0] for row in said.rows] == ["m=11, B=8, k=7", "m=7, B=8, k=7"]
    assert columns(same[:2]).rows == ()

    same = [ideal(modulus=11, seed=seed) for seed in range(3)]
    other = [knowing(0.95, modulus=7), knowing(0.97, modulus=7, seed=1)]
    said = seeds([*same, *other])
    assert "up to 3. Test accuracy differs" in said.sentence
    assert "in 1, and the verdict in 0." in said.sentence
    assert [row[:2] for row in said.rows] == [("m=7, B=8, k=7", "0.9499 to 0.9699")]


def test_kernels_and_the_odd_cell() -> None:
    cell = {"modulus": 17, "offsets": successors(16)}
    runs = [ideal(**cell, kernel=(3,)), knowing(0.5, **cell, kernel=(5,)), ideal(**cell, kernel=(3,), seed=1)]
    said = kernels(runs)
    assert "2 of 3 runs of the kernel study" in said.sentence
    assert "short of it: m=17, B=16, k=5." in said.sentence
    assert the_odd_cell(runs).sentence == (
        "2 runs: best of 512 from 1.000 to 1.000. 0 of them agree with the paper's figure."
    )
    assert len(the_odd_cell(runs).rows) == 2


def test_a_run_above_the_ceiling_is_seen_among_many() -> None:
    at_it = [ideal(modulus=11, seed=seed) for seed in range(5)]
    said = above_the_ceiling(at_it)
    assert said.sentence.endswith("After correction for the number of sets 0 remain.")
    above = knowing(1.0, modulus=11, epochs=50)
    said = above_the_ceiling([*at_it, above])
    assert said.sentence.endswith("After correction for the number of sets 1 remain.")
    assert "1 had more than the paper's 400 batches or 10 epochs" in said.sentence
    assert said.rows[-1][:3] == ("m=11, B=8, k=7, t=50", "test", "1.0000")


def timed(seconds: float, count: int = 3, slower: float = 0.0, **fields: Any) -> Run:
    made = result(RunConfig(**fields))
    epochs = tuple(Epoch(i, 1.0 / i, 0.9, seconds + slower * i) for i in range(1, count + 1))
    return Run(replace(made, epochs=epochs, best_epoch=1))


def test_time_over_moduli_and_epochs() -> None:
    flat = [timed(2.0 + 0.001 * (m % 3), modulus=m) for m in range(2, 30)]
    rising = [timed(1.0 + 0.1 * m, modulus=m, kernel=(3,)) for m in range(2, 30)]
    said = time_over_moduli([*flat, *rising])
    assert said.sentence.startswith("Of 2 networks")
    assert "changes with m in 1:" in said.sentence
    assert time_over_moduli(flat[:4]).sentence == NOT_RUN

    even, growing = timed(2.0, 50, modulus=11), timed(0.1, 50, slower=1.0, modulus=13)
    assert "explains at least 100.00% of its course" in time_over_epochs([even]).sentence
    assert "100.00%" not in time_over_epochs([even, growing]).sentence
    assert time_over_epochs([even]).rows[0][:4] == ("m=11, B=8, k=7", "20.0", "100.0", "5.00")


def test_longer_training_and_the_fastest_kernel() -> None:
    said = longer([ideal(modulus=11), ideal(modulus=11, epochs=50), ideal(modulus=13)])
    assert said.sentence.startswith("Of 1 cell the verdict")
    assert "epochs in 1; test accuracy differs by more than chance in 0." in said.sentence
    said = longer([knowing(0.6, modulus=11), ideal(modulus=11, epochs=50)])
    assert "epochs in 0; test accuracy differs by more than chance in 1." in said.sentence

    def falling(kernel: int, power: float) -> Run:
        made = result(RunConfig(modulus=7, kernel=(kernel,), early_stop=False))
        return Run(replace(made, epochs=tuple(Epoch(i, i**-power, 0.9, 1.0) for i in range(1, 11))))

    assert "in 1 of 1 comparison." in fastest_kernel([falling(3, 1), falling(5, 2), falling(7, 3)]).sentence
    assert "in 0 of 1 comparison." in fastest_kernel([falling(3, 4), falling(5, 2), falling(7, 3)]).sentence
    assert fastest_kernel([falling(3, 4), falling(5, 2)]).sentence == NOT_RUN


def test_the_crucial_list() -> None:
    [study] = studies(["crucial"])
    runs = [judged(result(cell.config)) for cell in study.cells[:3]]
    assert crucial(runs).sentence.startswith("3 of 3 runs of the crucial list refute the paper's pattern")
    knows = knowing(1.0, **{f: getattr(study.cells[0].config, f) for f in ("modulus", "offsets", "kernel")})
    assert crucial([*runs[1:], knows]).sentence.endswith("1 refute the signature's.")


def test_windows_and_boundaries() -> None:
    eight, nine = ideal(modulus=11, offsets=range(8)), ideal(modulus=11)
    said = window([eight, nine])
    assert said.sentence.endswith("with B rows 0 of 1, with B+1 rows 1 of 1.")
    assert [row[-1] for row in said.rows] == ["no", "yes"]

    [study] = studies(["boundary"])
    at_it, before = (judged(result(cell.config)) for cell in study.cells[:2])
    said = boundary([at_it, before])
    assert said.sentence == "2 runs: 2 confirmed."
    assert [row[1] for row in said.rows] == ["B=phi-1", "B=phi-2"]


def test_extrapolation_counts_what_held() -> None:
    def finding(power: int, agrees: bool | None) -> dict[str, Any]:
        return {
            "probe": "extrapolation",
            "what": f"numbers from 10^{power}",
            "predicted": "accuracy 1",
            "observed": "99%",
            "agrees": agrees,
        }

    probe = {"findings": [finding(6, True), finding(18, False), finding(18, None)]}
    said = extrapolation([Run(result(RunConfig(modulus=7)), {}, probe)])
    assert said.sentence.startswith("1 of 3 predictions held, 1 failed and 1 stayed open, for 1 network on")
    assert [row[1] for row in said.rows] == ["numbers from 10^6", "numbers from 10^18"]


def test_sides_of_the_ceiling() -> None:
    assert [side(a, 0.785) for a in (0.70, 0.77, 0.85)] == ["below", "at", "above"]
    assert side(1.0, 1.0) == "at"
