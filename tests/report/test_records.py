"""Records against plain definitions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import torch

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.models.pconv import PrimeConvNet
from pconv.report.explorer import ALPHABET, AS_FIRST, IDENTIFIED
from pconv.report.records import (
    architecture_figure,
    block_kinds,
    confusion_figure,
    map_figure,
    window_figure,
)
from pconv.result import Evaluation
from pconv.theory import Problem, predict, theories


def exponent(number: int, prime: int, cap: int) -> int:
    """The plain definition."""
    return max(i for i in range(cap + 1) if number % prime**i == 0)


def signature(modulus: int, count: int, c: int) -> tuple[int, ...]:
    factors = Problem(modulus, (0,)).factors
    return tuple(exponent(c + o, p, a) for p, a in factors for o in range(count + 1))


@pytest.mark.parametrize(("modulus", "count"), [(11, 8), (16, 2), (22, 8), (25, 8), (36, 2), (7, 8), (64, 0)])
def test_confusion_shows_what_looks_alike(modulus: int, count: int) -> None:
    figure = confusion_figure(predict(modulus, range(count + 1)))
    signatures = [signature(modulus, count, c) for c in range(modulus)]
    sizes = Counter(signatures)
    for i in range(modulus):
        assert (figure.kinds[i] in ("mixed", "apart")) == (sizes[signatures[i]] > 1)
        for j in range(modulus):
            assert figure.free(i, j) == (signatures[i] == signatures[j])


def test_the_papers_colours() -> None:
    kinds = block_kinds(predict(11, range(9)))
    assert kinds == ("zero", "mixed", "mixed", *["last"] * 8)
    assert block_kinds(predict(22, range(9))) == kinds * 2
    apart = block_kinds(predict(16, range(3)))
    assert [c for c in range(16) if apart[c] == "other"] == [6, 7, 8]


def test_a_confusion_keeps_the_counts() -> None:
    counts = Evaluation(((3, 1), (0, 4)))
    assert confusion_figure(predict(2, range(2)), counts).counts == ((3, 1), (0, 4))


@pytest.mark.parametrize(("modulus", "count", "residue"), [(11, 8, 1), (27, 8, 1), (36, 2, 5), (7, 8, 3)])
def test_windows_that_look_the_same_have_the_same_marks(modulus: int, count: int, residue: int) -> None:
    figure = window_figure(Problem(modulus, range(count + 1)), residue)
    assert figure.classes[0] == residue
    for c, window in zip(figure.classes, figure.exponents, strict=True):
        for offset, row in zip(figure.offsets, window, strict=True):
            assert row == tuple(exponent(c + offset, p, a) for p, a in figure.factors)
    assert len(set(figure.exponents)) == 1
    assert len(figure.classes) == (1 if modulus == 7 else 2)


def test_a_window_of_no_class() -> None:
    with pytest.raises(InputError, match="must be from 0 to 10"):
        window_figure(Problem(11, range(9)), 11)


def test_map_against_counting() -> None:
    figure = map_figure(range(2, 28), range(7), [(11, 3, "confirmed"), (99, 3, "confirmed")])
    for i, m in enumerate(figure.moduli):
        for j, count in enumerate(figure.successors):
            assert figure.distinguishable[i][j] == len({signature(m, count, c) for c in range(m)})
            assert figure.solved(i, j) == (count >= figure.solved_from[i])
    assert (16, 2) in figure.disputed
    assert (11, 3) not in figure.disputed
    assert figure.runs == ((11, 3, "confirmed"),)


@pytest.mark.parametrize("channels", [(4,), (8, 16)])
def test_architecture_is_that_of_the_network(channels: tuple[int, ...]) -> None:
    config = RunConfig(modulus=13, channels=channels, kernel=(5,), primes=21)
    network = PrimeConvNet.of(config)
    shapes: list[tuple[int, ...]] = []
    weights: list[int] = []
    for name, module in network.named_modules():
        if name.rpartition(".")[2].startswith(("conv", "pool", "flatten", "fc")) and name != "convolution":
            weights.append(sum(p.numel() for p in module.parameters()))
            module.register_forward_hook(lambda _m, _i, out: shapes.append(tuple(out.shape[1:])))
    network(torch.zeros(1, config.rows, config.primes))
    layers = architecture_figure(config).layers[1:]
    assert [layer.shape for layer in layers] == shapes
    assert [layer.weights for layer in layers] == weights


def test_the_explorer_embeds_what_the_theories_say(explorer_file: Path) -> None:
    html = explorer_file.read_text("utf-8")
    data = json.loads(html.split('id="explorer-data">')[1].split("</script>")[0])
    names = [theory["name"] for theory in data["theories"]]
    for m, count in [(2, 0), (11, 8), (16, 2), (25, 8), (60, 3), (64, 0), (64, 32), (61, 7)]:
        kinds, *answers = data["answers"][str(m)][count]
        first = predict(m, range(count + 1))
        assert kinds == "".join(kind[0] for kind in block_kinds(first))
        for name, answer in zip(names, answers, strict=True):
            said = theories()[name].predict(first.problem)
            assert said is not None
            told = answers[0] if answer == AS_FIRST else answer
            groups, ceiling, floor = (ALPHABET[:m], 1, 0) if told == IDENTIFIED else told
            assert [ALPHABET.index(letter) for letter in groups] == said.labels.tolist()
            assert ceiling == pytest.approx(said.exact_ceiling(), abs=1e-4)
            assert floor == pytest.approx(said.exact_loss_floor(), abs=1e-4)
        for (p, a), terms in zip(data["factors"][str(m)], data["sums"][str(m)][count], strict=True):
            assert sum(terms) == len({signature(p**a, count, c) for c in range(p**a)})
        assert (count >= data["solved_from"][str(m)]) == first.solved
