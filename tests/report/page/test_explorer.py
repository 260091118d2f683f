"""What the explorer embeds against what the theories predict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pconv.report.figures.confusion import block_kinds
from pconv.report.page.explorer import ALPHABET, AS_FIRST, IDENTIFIED
from pconv.theory import predict, theories
from tests.report.plain import signature


def test_the_explorer_embeds_what_the_theories_say(explorer_file: Path) -> None:
    html = explorer_file.read_text("utf-8")
    data = json.loads(html.split('id="explorer-data">')[1].split("</script>")[0])
    names = [theory["name"] for theory in data["theories"]]
    for m, count in [(2, 0), (11, 8), (16, 2), (25, 8), (60, 3), (64, 0), (64, 32), (61, 7)]:
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
