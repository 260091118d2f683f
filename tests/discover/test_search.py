"""Planted laws are found, and nothing is found where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from pconv.config import RunConfig
from pconv.discover.description import FOUND, exception_bits
from pconv.discover.observation import Observation, observe
from pconv.discover.parser import parse
from pconv.discover.scoring import Scorer, best_accuracy
from pconv.discover.search import Discovery, discover
from pconv.discover.simulation import shuffled, simulated
from pconv.errors import InputError
from tests.discover import plain

WINDOWS = ((0, 1), (0, 1, 2), (0, 3))


def planted(law: str, moduli: range = range(7, 17)) -> list[Observation]:
    """What perfect readers of a law show."""
    formula = parse(law)
    seen = [
        observe(simulated(RunConfig(modulus=m, offsets=window), plain.groups(formula, m, window), 1_000))
        for m in moduli
        for window in WINDOWS
    ]
    return [each for each in seen if isinstance(each, Observation)]


@pytest.mark.parametrize("law", ["n % p", "gcd(n, m)", "n // 2", "rad(n+o)", "min_o(n % p)"])
def test_a_planted_law_is_found(law: str) -> None:
    seen = planted(law)
    found = discover(seen, max_size=4).found
    assert found is not None
    assert found.count == len(seen)
    scorer = Scorer(seen)
    assert found.saved >= scorer.law(parse(law)).saved - 1e-9  # itself, or something as good and smaller


@pytest.fixture(scope="module")
def gcd_law() -> Discovery:
    return discover(planted("gcd(n+o, m)"), max_size=5, controls=3)


def test_the_law_of_the_window_is_found(gcd_law: Discovery) -> None:
    assert str(gcd_law.laws[0].formula) == "gcd(n+o, m)"
    assert gcd_law.laws[0].explained.all()
    assert gcd_law.rivals(gcd_law.laws[0], 1)[0].count < len(gcd_law.observations)


def test_the_front_grows_in_size_and_fit(gcd_law: Discovery) -> None:
    front = [(law.size, law.count) for law in gcd_law.front]
    assert front == sorted(set(front))
    assert len({count for _, count in front}) == len(front)
    assert gcd_law.front[-1].count == max(law.count for law in gcd_law.laws)


def test_half_of_the_runs_predict_the_other_half(gcd_law: Discovery) -> None:
    law, explained, of = gcd_law.held_out(seed=1)
    assert (str(law.formula), explained) == ("gcd(n+o, m)", of)
    assert of == len(gcd_law.observations) // 2


def test_nothing_is_found_in_renamed_classes(gcd_law: Discovery) -> None:
    assert len(gcd_law.controls) == 3
    assert max(gcd_law.controls) < FOUND


def test_controls_are_searches_of_shuffled_observations() -> None:
    seen = planted("n % p", range(8, 11))
    controls = discover(seen, max_size=3, controls=2).controls
    assert controls == [discover(shuffled(seen, seed), 3).laws[0].saved for seed in (0, 1)]


def test_where_labels_merge_classes_a_control_draws_the_accuracy() -> None:
    """Networks that know all classes: renamed ones would be known as well."""
    configs = [RunConfig(modulus=m, offsets=(0, 1), task="divisibility") for m in range(3, 15)]
    seen = [each for c in configs if isinstance(each := observe(simulated(c, [0, 1])), Observation)]
    drawn = [each.accuracy for each in shuffled(seen, 0)]
    assert len(set(drawn)) == len(configs)
    assert all(each.guess <= accuracy <= 1 for each, accuracy in zip(seen, drawn, strict=True))
    found = discover(seen, max_size=3, controls=3)
    assert found.found is not None
    assert max(found.controls) < FOUND
    assert found.randomized == "accuracies drawn at random"
    assert Discovery(
        [*seen, *planted("n % p", range(8, 9))], [], np.empty((0, 0), dtype=bool), [], 0
    ).randomized == ("classes renamed and accuracies drawn at random")


def test_an_exception_costs_more_than_none() -> None:
    seen = planted("n % p")
    scorer = Scorer(seen)
    perfect = scorer.law(parse("n % p"))
    [wrong] = planted("n // 2", range(16, 17))[:1]
    more = Scorer([*seen, wrong]).law(parse("n % p"))
    assert not more.explained[-1]
    assert more.saved < perfect.saved
    assert exception_bits(np.array([0, 1, 2]), 10).tolist() == sorted(exception_bits(np.array([0, 1, 2]), 10))


def test_labels_are_explained_by_their_accuracy() -> None:
    """Two labels modulo 7: {0}, {6} known and the others mixed; the larger label of each group is named."""
    labels = (1, 1, 1, 0, 1, 0, 0)
    leaders = np.array(plain.groups(parse("gcd(n+o, m)"), 7, (0, 1)), dtype=np.int16)
    assert best_accuracy(leaders, labels, [1] * 7) == pytest.approx(5 / 7)
    run = simulated(RunConfig(modulus=7, offsets=(0, 1), task="quadratic"), [0, 1])
    seen = observe(run)
    assert isinstance(seen, Observation)
    assert Scorer([seen]).law(parse("n")).explained.tolist() == [True]  # the simulated network knows all
    assert Scorer([seen]).law(parse("gcd(n+o, m)")).explained.tolist() == [False]


def test_a_search_needs_runs_and_a_size() -> None:
    with pytest.raises(InputError, match="a search needs a run that has learned"):
        discover([])
    with pytest.raises(InputError, match="must be from 1 to 7"):
        discover(planted("n % p", range(8, 9)), max_size=8)
