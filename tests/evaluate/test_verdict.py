"""Readers of known behaviour get the right word, and each part of a verdict fails for its own reason."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pconv.data.domain import Domain
from pconv.errors import InputError
from pconv.evaluate.assess import Answered, Reference, assess
from pconv.evaluate.assessment import Holds, Settings
from pconv.evaluate.comparison import census_document, compare
from pconv.evaluate.judge import judge, judge_answers
from pconv.evaluate.verdict import Status, Verdict
from pconv.result import Census, Evaluation
from tests.evaluate.fake_networks import (
    Reader,
    census_counts,
    contrary,
    guesser,
    ideal,
    mixture,
    noisy,
    omniscient,
    predicted,
    result_of,
)

CASES = [(7, 9), (11, 9), (13, 9), (16, 3), (22, 9), (25, 9), (29, 9)]
YES, NO, OPEN = Holds.YES, Holds.NO, Holds.OPEN


@pytest.mark.parametrize("favourite", [False, True])
@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_an_ideal_reader_is_confirmed(modulus: int, rows: int, favourite: bool) -> None:
    verdict = judge(result_of(ideal(modulus, rows, favourite=favourite), modulus, rows, census=True))
    assert verdict.status is Status.CONFIRMED
    assert set(verdict.assessment.parts.values()) == {YES}
    assert verdict.assessment.complete
    assert verdict.assessment.separated.leaked == 0
    assert verdict.assessment.size == 671_947
    assert verdict.far is not None
    assert not verdict.far.complete
    assert verdict.far.size < 0.21 * 671_947
    assert verdict.far.nothing_beyond.holds is not NO


@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_a_sample_confirms_nothing_because_its_loss_is_not_recorded(modulus: int, rows: int) -> None:
    verdict = judge(result_of(ideal(modulus, rows), modulus, rows))
    assert verdict.status is Status.UNDECIDED
    assert verdict.assessment.loss.holds is OPEN
    assert verdict.assessment.loss.loss is None
    assert NO not in verdict.assessment.parts.values()
    assert "held-out loss not recorded" in verdict.sentence
    assert "a census of a large domain" in verdict.sentence


@pytest.mark.parametrize("census", [True, False])
@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_a_guesser_is_underfitted(modulus: int, rows: int, census: bool) -> None:
    verdict = judge(result_of(guesser(modulus), modulus, rows, census=census))
    assert verdict.status is Status.UNDERFITTED
    assert verdict.assessment.separated.holds is NO
    assert verdict.assessment.attained.holds is NO
    assert verdict.assessment.loss.holds is (NO if census else OPEN)


@pytest.mark.parametrize("census", [True, False])
@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_a_half_trained_reader_is_underfitted(modulus: int, rows: int, census: bool) -> None:
    reader = mixture(ideal(modulus, rows), guesser(modulus), 0.3)
    verdict = judge(result_of(reader, modulus, rows, census=census))
    assert verdict.status is Status.UNDERFITTED


@pytest.mark.parametrize(("modulus", "rows"), CASES)
def test_whoever_fits_only_its_training_numbers_is_overfitted(modulus: int, rows: int) -> None:
    reader = mixture(ideal(modulus, rows), guesser(modulus), 0.3)
    floor = predicted(modulus, rows).loss_floor_on(census_counts(modulus))
    assert floor is not None
    tolerance = Settings().loss_tolerance(modulus)
    for above, status in ((0.0, Status.OVERFITTED), (-floor, Status.OVERFITTED), (2.0, Status.UNDERFITTED)):
        loss = floor + above * tolerance if above > 0 else floor + above
        result = result_of(reader, modulus, rows, census=True, training_loss=loss)
        assert judge(result).status is status


def test_without_a_held_out_loss_only_a_training_loss_below_the_floor_is_overfitting() -> None:
    """Nobody reads 0.12 nats from the groups of m = 11: the rest was learned by heart."""
    reader = mixture(ideal(11), guesser(11), 0.3)
    for loss, status in ((0.02, Status.OVERFITTED), (0.12, Status.UNDERFITTED), (0.5, Status.UNDERFITTED)):
        assert judge(result_of(reader, 11, training_loss=loss)).status is status


@pytest.mark.parametrize(
    ("training", "held_out", "status"),
    [
        (-0.05, 0.5, Status.OVERFITTED),  # after the epoch that is judged it fits its training numbers alone
        (0.02, 0.5, Status.OVERFITTED),
        (-0.05, 0.02, Status.UNDERFITTED),
        (0.5, 0.6, Status.UNDERFITTED),
    ],
)
def test_the_losses_of_the_last_epoch_decide_what_was_missing(
    training: float, held_out: float, status: Status
) -> None:
    """The weights that are judged are at the floor, with one answer in twenty outside its group."""
    reader = mixture(ideal(11), guesser(11), 0.05)
    floor = predicted(11, 9).loss_floor
    losses = (floor + 0.03, floor + held_out)
    result = result_of(reader, 11, census=True, training_loss=floor + training, held_out=losses)
    assert result.census is not None
    verdict = judge(replace(result, census=replace(result.census, loss=floor + 0.03)))
    assert verdict.assessment.loss.holds is YES
    assert verdict.assessment.separated.holds is NO
    assert verdict.status is status


@pytest.mark.parametrize(("training_loss", "status"), [(0.1, Status.OVERFITTED), (0.3, Status.UNDERFITTED)])
def test_right_answers_with_a_loss_above_the_floor_are_not_confirmed(
    training_loss: float, status: Status
) -> None:
    """Overconfident inside {1, 2}: every answer is as predicted, and the probabilities are not."""
    result = result_of(ideal(11), 11, census=True, training_loss=training_loss)
    assert result.census is not None
    verdict = judge(replace(result, census=replace(result.census, loss=result.census.loss + 0.09)))
    assert verdict.status is status
    assert [name for name, holds in verdict.assessment.parts.items() if holds is not YES] == ["loss"]


@pytest.mark.parametrize("census", [True, False])
@pytest.mark.parametrize(("modulus", "rows"), CASES[1:])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_knowing_more_than_the_window_refutes(modulus: int, rows: int, share: float, census: bool) -> None:
    reader = mixture(ideal(modulus, rows), omniscient(modulus), share)
    verdict = judge(result_of(reader, modulus, rows, census=census))
    assert verdict.status is Status.REFUTED
    assert "better theory" in verdict.sentence
    strongest = verdict.assessment.nothing_beyond.strongest
    assert strongest is not None
    assert strongest.low <= share <= strongest.high + 1e-9
    assert f"{strongest.correct:,} answers are correct" in verdict.sentence


def test_knowing_all_of_a_solved_task_is_no_refutation() -> None:
    assert judge(result_of(omniscient(7), 7, census=True)).status is Status.CONFIRMED


def test_knowing_more_inside_one_group_refutes_though_the_accuracy_is_low() -> None:
    """A third of the answers is spoiled: the ceiling is not reached, but inside {1, 2} labels are right."""
    verdict = judge(result_of(mixture(omniscient(11), guesser(11), 0.3), 11))
    assert verdict.assessment.attained.holds is NO
    assert verdict.assessment.accuracy < verdict.assessment.ceiling
    assert verdict.status is Status.REFUTED
    [group] = verdict.assessment.nothing_beyond.groups
    assert group.classes == (1, 2)
    assert group.gain > 0.4


def test_less_than_chance_inside_a_group_is_seen_and_refutes_nothing() -> None:
    """Training numbers are drawn without replacement: what holds for them alone is wrong for the others."""
    verdict = judge(result_of(contrary(11, 9, 0.2), 11, census=True))
    assert verdict.status is Status.OVERFITTED
    assert verdict.assessment.nothing_beyond.holds is NO
    [group] = verdict.assessment.nothing_beyond.groups
    assert group.correct < 0.45 * group.size
    assert group.gain == pytest.approx(-0.1, abs=0.01)
    assert group.effect == pytest.approx(0.2, abs=0.01)
    assert verdict.assessment.separated.holds is YES


@pytest.mark.parametrize("known", [(1, 5, 9, 13), (2, 10), (3, 11)])
def test_one_group_above_chance_refutes_beside_one_further_below(known: tuple[int, ...]) -> None:
    """Modulo 16 through three rows: a tenth of one group is known, and in {4, 12} a fifth is contrary."""
    counts = np.where(predicted(16, 3).pattern, 6_000, 0)
    below = (4, 12)
    for group, share in ((known, 0.1), (below, -0.2)):
        guesses = np.full((len(group), len(group)), (1 - share) / len(group))
        table = 12_000 * (guesses + share * np.eye(len(group)))
        counts[np.ix_(group, group)] = np.rint(table).astype(int)
    answered = Answered(Evaluation.from_lists(counts.tolist()), complete=True)
    verdict = judge_answers(answered, predicted(16, 3), Reference.on(answered, predicted(16, 3), Domain()))
    strongest = verdict.assessment.nothing_beyond.strongest
    assert strongest is not None
    assert (strongest.classes, strongest.gain < 0) == (below, True)
    assert verdict.assessment.nothing_beyond.above_chance
    assert verdict.status is Status.REFUTED


def test_rival_theories_at_m_16_with_two_successors() -> None:
    """Whoever follows the finer groups refutes the coarser theory; whoever follows the coarser ones has not
    learned what the finer theory allows, and refutes nothing."""
    fine = compare(result_of(ideal(16, 3), 16, 3, census=True))
    assert fine.words == {"signature": "confirmed", "paper": "refuted", "grid": "underfitted"}
    assert fine.survivors == ("signature",)
    assert "The answers match signature (signature confirmed" in fine.sentence
    assert fine.sentence.endswith("The network distinguishes fewer classes than grid predicts.")
    coarse = compare(result_of(ideal(16, 3, theory="paper"), 16, 3, census=True))
    assert coarse.words == {"signature": "underfitted", "paper": "confirmed", "grid": "underfitted"}
    assert coarse.survivors == ("paper",)
    assert "signature and grid predict." in coarse.sentence
    nobody = compare(result_of(guesser(16), 16, 3, census=True))
    assert nobody.survivors == ()
    assert nobody.sentence.startswith("The answers match no theory")


@pytest.mark.parametrize(("modulus", "rows", "size"), [(11, 9, 4_000), (16, 3, 4_000), (29, 9, 1_000)])
def test_false_refutations_stay_at_their_level(modulus: int, rows: int, size: int) -> None:
    """Readers that know just as much beyond their groups as is tolerated."""
    settings, trials = Settings(tolerance=0.1, level=0.2), 300
    reader, prediction = mixture(ideal(modulus, rows), omniscient(modulus), 0.1), predicted(modulus, rows)
    counts = Domain().class_counts(modulus)
    reference = Reference(float(prediction.exact_ceiling() or 0), float(prediction.exact_loss_floor() or 0))
    rng = np.random.default_rng(5)
    refuted = 0
    for _ in range(trials):
        answers = reader.answer(rng.multinomial(size, counts / counts.sum()), rng)
        found = assess(Answered(Evaluation.from_lists(answers.tolist())), prediction, reference, settings)
        refuted += found.nothing_beyond.holds is NO
    assert 0 < refuted <= settings.level * trials


def test_the_tolerance_and_the_level_are_said() -> None:
    result = result_of(noisy(ideal(7), 0.03), 7, census=True)
    assert judge(result).status is Status.UNDERFITTED
    generous = judge(result, settings=Settings(tolerance=0.05, level=0.001))
    assert generous.status is Status.CONFIRMED
    document = generous.to_dict()
    assert (document["tolerance"], document["level"]) == (0.05, 0.001)
    for wrong in ({"tolerance": 0}, {"tolerance": 1}, {"level": 0}, {"level": 1.5}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            Settings(**wrong)


def test_a_census_is_believed_rather_than_the_test_set() -> None:
    """The test set is of other weights, those of the best validation accuracy."""
    test = result_of(guesser(11), 11).test
    result = replace(result_of(ideal(11), 11, census=True), test=test, disjoint_test=None)
    assert judge(result).status is Status.CONFIRMED
    assert judge(replace(result, census=None)).status is Status.UNDERFITTED


def test_a_verdict_as_json() -> None:
    verdict = judge(result_of(ideal(11), 11, census=True))
    document = json.loads(json.dumps(verdict.to_dict()))
    assert document["status"] == "confirmed"
    assert document["theory"] == "signature"
    assert document["parts"] == dict.fromkeys(("separated", "attained", "nothing_beyond", "loss"), "yes")
    assert document["assessment"]["separated"]["leaked"] == 0
    assert document["assessment"]["nothing_beyond"]["groups"][0]["classes"] == [1, 2]
    assert document["far"]["size"] < document["assessment"]["size"] == 671_947
    assert document["sentence"] == verdict.sentence
    assert document["training_loss"] == verdict.training_loss


@pytest.mark.parametrize("census", [True, False])
@pytest.mark.parametrize("theory", ["signature", "grid"])
@pytest.mark.parametrize("reader", [ideal(11), omniscient(11), contrary(11, 9, 0.1), guesser(11)])
def test_a_verdict_that_is_read_back_is_the_same(reader: Reader, theory: str, census: bool) -> None:
    verdict = judge(result_of(reader, 11, census=census), theory)
    again = Verdict.from_dict(json.loads(json.dumps(verdict.to_dict())))
    assert again == verdict
    assert (again.sentence, again.figures) == (verdict.sentence, verdict.figures)
    assert again.to_dict() == verdict.to_dict()
    assert again._repr_html_() in verdict._repr_html_(), "all but the picture"


@pytest.mark.parametrize(
    "spoiled", [{"status": "odd"}, {"assessment": {}}, {"level": 2}, {"memory": {"p": 1}}, {"far": 1}]
)
def test_what_is_no_verdict_is_refused(spoiled: dict[str, object]) -> None:
    document = judge(result_of(ideal(11), 11)).to_dict()
    with pytest.raises(InputError, match="is not a verdict"):
        Verdict.from_dict({**document, **spoiled})


def test_the_document_of_a_census_counts_every_class() -> None:
    result = result_of(mixture(ideal(11), guesser(11), 0.2), 11, census=True)
    census, verdict = result.census, judge(result)
    assert census is not None
    document = json.loads(json.dumps(census_document(census, verdict)))
    confusion = document["confusion"]
    assert [c["class"] for c in document["classes"]] == list(range(11))
    for each, row in zip(document["classes"], confusion, strict=True):
        group = {1, 2} if each["class"] in (1, 2) else {each["class"]}
        assert each["count"] == sum(row)
        assert each["correct"] == row[each["class"]]
        assert each["inside"] == sum(row[j] for j in group)
    assert document["size"] == sum(c["count"] for c in document["classes"])
    assert verdict.assessment.separated.leaked == document["size"] - sum(
        c["inside"] for c in document["classes"]
    )
    assert {c["inside"] for c in census_document(census, None)["classes"]} == {None}
    assert Census.from_dict(document) == census, "what is added does not stand in the way"


def test_a_theory_that_does_not_apply_is_refused() -> None:
    with pytest.raises(InputError, match="nonsense"):
        judge(result_of(ideal(11), 11), theory="nonsense")
    result = result_of(ideal(11), 11)
    shifted = replace(result, config=replace(result.config, offsets=(0, 2)))
    with pytest.raises(InputError, match="does not apply to this window"):
        judge(shifted, theory="paper")
