"""Several seeds under one theory: one word for all of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pconv.errors import InputError
from pconv.evaluate.assessment import Settings
from pconv.evaluate.comparison import Comparison, Replication, has_plateaued, judge_replicates
from pconv.evaluate.judge import judge
from pconv.evaluate.verdict import Status
from pconv.result import Epoch, RunResult
from tests.evaluate.fake_networks import Reader, guesser, ideal, mixture, omniscient, result_of

FLAT = (2.0, 1.5, 1.0, 0.9, 0.82, 0.815, 0.818, 0.812, 0.82)
FALLING = (2.0, 1.8, 1.6, 1.4, 1.2, 1.0, 0.95, 0.9, 0.85)
HALF = mixture(ideal(11), guesser(11), 0.3)


def seeds(reader: Reader, held_out: Sequence[float] = FLAT, census: bool = True) -> list[RunResult]:
    return [result_of(reader, 11, seed=seed, census=census, held_out=held_out) for seed in range(3)]


def test_confirmed_by_every_seed() -> None:
    found = judge_replicates(seeds(ideal(11)))
    assert found.status is Replication.CONFIRMED
    assert found.sentence == "Over 3 seeds the theory 'signature' is confirmed (3 confirmed)."


def test_one_refuting_seed_is_enough() -> None:
    good, bad = seeds(ideal(11)), seeds(omniscient(11))
    found = judge_replicates([*good[:2], bad[2]])
    assert found.status is Replication.REFUTED
    assert found.sentence == "Over 3 seeds the theory 'signature' is refuted (2 confirmed, 1 refuted)."
    assert [verdict.status for verdict in found.verdicts] == [Status.CONFIRMED] * 2 + [Status.REFUTED]


def test_short_on_a_plateau_is_unattained() -> None:
    found = judge_replicates(seeds(HALF))
    assert found.status is Replication.UNATTAINED
    assert {verdict.status for verdict in found.verdicts} == {Status.UNDERFITTED}


def test_over_and_underfitted_seeds_are_short_alike() -> None:
    fitted = result_of(HALF, 11, seed=2, census=True, training_loss=0.1, held_out=FLAT)
    assert judge(fitted).status is Status.OVERFITTED
    assert judge_replicates([*seeds(HALF)[:2], fitted]).status is Replication.UNATTAINED


def test_seeds_that_still_learn_are_mixed() -> None:
    assert judge_replicates(seeds(HALF, FALLING)).status is Replication.MIXED
    one = [*seeds(HALF)[:2], seeds(HALF, FALLING)[2]]
    assert judge_replicates(one).status is Replication.MIXED, "one of them may get there"


def test_seeds_without_held_out_losses_are_undecided() -> None:
    unknown = seeds(HALF, (None,) * 9)  # type: ignore[arg-type]
    assert judge_replicates(unknown).status is Replication.UNDECIDED
    assert judge_replicates([*unknown[:2], seeds(HALF, FALLING)[2]]).status is Replication.MIXED


def test_seeds_on_the_plateau_of_guessing_are_mixed() -> None:
    """Many trainings begin there, and leave it later."""
    assert judge_replicates(seeds(HALF, (2.399,) * 9)).status is Replication.MIXED  # ln 11 = 2.398


def test_seeds_that_do_not_agree_are_mixed() -> None:
    some = judge_replicates([*seeds(ideal(11))[:2], seeds(HALF)[2]])
    assert some.status is Replication.MIXED
    assert "2 confirmed, 1 underfitted" in some.sentence
    undecided = judge_replicates([*seeds(ideal(11))[:2], seeds(ideal(11), census=False)[2]])
    assert undecided.status is Replication.UNDECIDED
    assert "1 undecided" in undecided.sentence


def test_more_seeds_need_a_stronger_refutation() -> None:
    """Found at 1% it may be chance among three seeds, and then it does not count."""
    reader = mixture(ideal(11), omniscient(11), 0.03)
    settings = Settings(level=0.01)
    for seed in range(100):
        result = result_of(reader, 11, seed=seed)
        if judge(result, settings=settings).status is not Status.REFUTED:
            continue
        strict = judge(result, settings=Settings(level=0.01 / 3)).status is Status.REFUTED
        others = [result_of(ideal(11), 11, seed=seed + i) for i in (1, 2)]
        if any(judge(other).status is Status.REFUTED for other in others):
            continue
        found = judge_replicates([result, *others], settings=settings).status
        assert (found is Replication.REFUTED) == strict
        if not strict:
            return
    raise AssertionError("no refutation was weak enough to tell the two levels apart")


def test_replicates_of_one_configuration_only() -> None:
    good = result_of(ideal(11), 11)
    with pytest.raises(InputError, match="one configuration"):
        judge_replicates([good, result_of(ideal(13), 13)])
    with pytest.raises(InputError, match="one configuration"):
        judge_replicates([])


def test_an_unknown_theory_is_named() -> None:
    with pytest.raises(InputError, match="theory nonsense: must be one of: signature"):
        judge_replicates(seeds(ideal(11), census=False), "nonsense")


def test_replicates_as_json() -> None:
    document = json.loads(json.dumps(judge_replicates(seeds(HALF)).to_dict()))
    assert document["status"] == "unattained"
    assert [seed["status"] for seed in document["seeds"]] == ["underfitted"] * 3


def run_with(losses: Sequence[float | None]) -> RunResult:
    epochs = tuple(Epoch(i, 1.0, 0.5, 0.0, loss) for i, loss in enumerate(losses, start=1))
    return replace(result_of(HALF, 11), epochs=epochs)


@pytest.mark.parametrize(
    ("losses", "plateau"),
    [
        (FLAT, True),
        (FALLING, False),
        ((1.0, 0.9, 0.8, 0.7, 0.695, 0.691), True),  # the last two lower it by 0.009
        ((1.0, 0.9, 0.8, 0.7, 0.695, 0.689), False),  # and by 0.011
        ((1.0, 0.9, 0.8, 0.7, 1.5, 3.0), True),  # overfitting is no progress
        ((1.0, 0.7, 0.7, 0.7, 0.7), False),  # fewer than six epochs tell nothing
        ((2.4, 2.4, 2.4, 2.4, 2.4, 2.36), False),  # ln 11 = 2.398: it has not begun
        ((2.4, 2.3, 2.3, 2.3, 2.3, 2.3), True),
        ((1.0, 0.7, 0.7, 0.7, 0.7, None), None),  # not recorded
        ((None,) * 9, None),
    ],
)
def test_a_plateau(losses: Sequence[float | None], plateau: bool | None) -> None:
    assert has_plateaued(run_with(losses)) is plateau


def test_theories_that_could_not_be_tested_are_named() -> None:
    failed = Comparison((), failed={"mine": "it raised ValueError: no", "other": "m must be even"})
    expected = "No theory could be tested (mine: it raised ValueError: no; other: m must be even)."
    assert failed.sentence == expected
    assert expected in failed._repr_html_()
    assert Comparison(()).sentence == "No theory applies."
