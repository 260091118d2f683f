"""What the explorer embeds against what the theories predict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pconv.data.tasks import task_named
from pconv.report.figures.confusion import block_kinds
from pconv.report.page.explorer import ALPHABET, AS_FIRST, IDENTIFIED
from pconv.report.page.reader_ceilings import MODULI, SUCCESSORS, TASKS, ceilings_at, shipped_ceilings
from pconv.theory import predict, theories
from pconv.theory.labels import for_task
from tests.report.plain import signature


@pytest.fixture(scope="module")
def data(explorer_file: Path) -> Any:
    html = explorer_file.read_text("utf-8")
    return json.loads(html.split('id="explorer-data">')[1].split("</script>")[0])


PLACES = [(2, 0), (11, 8), (16, 2), (25, 8), (60, 3), (64, 0), (64, 32), (61, 7)]


def test_the_explorer_embeds_what_the_theories_say(data: Any) -> None:
    names = [theory["name"] for theory in data["theories"]]
    for m, count in PLACES:
        kinds, *answers = data["answers"][str(m)][count]
        first = predict(m, range(count + 1))
        assert kinds == "".join(kind[0] for kind in block_kinds(first))
        for name, answer in zip(names, answers, strict=True):
            prediction = theories()[name].predict(first.problem)
            assert prediction is not None
            shown = answers[0] if answer == AS_FIRST else answer
            groups, ceiling, floor = (ALPHABET[:m], 1, 0) if shown == IDENTIFIED else shown
            assert [ALPHABET.index(letter) for letter in groups] == prediction.labels.tolist()
            assert ceiling == pytest.approx(prediction.exact_ceiling(), abs=1e-4)
            assert floor == pytest.approx(prediction.exact_loss_floor(), abs=1e-4)
        for (p, a), terms in zip(data["factors"][str(m)], data["sums"][str(m)][count], strict=True):
            assert sum(terms) == len({signature(p**a, count, c) for c in range(p**a)})
        assert (count >= data["solved_from"][str(m)]) == first.solved


def test_labels_and_their_bounds_are_those_of_the_theories(data: Any) -> None:
    names = [theory["name"] for theory in data["theories"]]
    for m, count in PLACES:
        assert data["labels"]["divisibility"][str(m)] == "1" + "0" * (m - 1)
        squares = {root * root % m for root in range(m)}
        assert data["labels"]["quadratic"][str(m)] == "".join(str(int(c in squares)) for c in range(m))
        for task in ("divisibility", "quadratic"):
            for name, shown in zip(names, data["bounds"][task][str(m)][count], strict=True):
                residues = theories()[name].predict(predict(m, range(count + 1)).problem)
                assert residues is not None
                prediction = for_task(residues, task_named(task))
                ceiling, floor = (1, 0) if shown == IDENTIFIED else shown
                assert ceiling == pytest.approx(prediction.exact_ceiling(), abs=1e-4)
                assert floor == pytest.approx(prediction.exact_loss_floor(), abs=1e-4)


def test_the_shipped_readers_agree_with_the_theory_everywhere(data: Any) -> None:
    """Counted on the domain, prime by prime, and computed from the groups: two ways to the same figures."""
    shipped = shipped_ceilings()
    assert list(shipped) == list(TASKS)
    for task, by_modulus in shipped.items():
        for m in MODULI:
            assert len(by_modulus[str(m)]) == len(SUCCESSORS)
            for count, found in enumerate(by_modulus[str(m)]):
                residues = data["answers"][str(m)][count][1]
                theory = residues if task == "residue" else data["bounds"][task][str(m)][count][0]
                assert (found == 0) == (theory == IDENTIFIED)
                if found:
                    accuracies, losses = found
                    assert (np.diff(accuracies) >= 0).all()
                    assert (np.diff(losses) <= 0).all()
                    assert [accuracies[1], losses[1]] == pytest.approx(theory[-2:], abs=1e-4)


@pytest.mark.parametrize(("task", "m", "count"), [("residue", 3, 0), ("quadratic", 16, 1)])
def test_the_shipped_readers_are_counted_again(task: str, m: int, count: int) -> None:
    assert ceilings_at(task, m, count) == shipped_ceilings()[task][str(m)][count] != 0
