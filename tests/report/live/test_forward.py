"""The page's forward pass in a real browser, compared with PyTorch's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page

from pconv.data.grid import prime_grid
from pconv.report.live.network import LiveNetwork, live_document
from pconv.report.page.build import ASSETS
from tests.report.live.conftest import torch_network

TOLERANCE = 2e-6
"""Of a logit, relative to the largest one of the grid. Single precision rounds by 6e-8 at each product that
a linear layer adds up."""


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A page with the functions of the forward pass and of the theory's reading, and nothing else."""
    page = browser.new_page()
    files = (ASSETS / name for name in ("words.js", "live/forward.js", "live/heat.js", "live/evidence.js"))
    source = "\n".join(file.read_text("utf-8") for file in files)
    names = "forward, networkLayers, contributions, gridOf, classesOf, columnIsPossible, impossiblePrimes"
    start = "const range = (count) => [...Array(count).keys()];"  # the only other function that they use
    page.evaluate(f"() => {{ {start} {source}; Object.assign(window, {{ {names} }}); }}")
    yield page
    page.close()


ASK = """([network, text, form, numbers]) => {
  const layers = networkLayers(network, text, form);
  return numbers.map((n) => [...forward(network, layers, gridOf(network, BigInt(n))).at(-1).values]);
}"""


def browser_logits(page: Page, network: LiveNetwork, numbers: Sequence[int]) -> NDArray[np.float64]:
    document = live_document([network])
    [one] = document["networks"]
    chosen = one["epochs"][one["chosen"]]
    given = [one, document["weights"][chosen["weights"]], chosen["form"], [str(n) for n in numbers]]
    return np.array(page.evaluate(ASK, given))


def torch_logits(network: LiveNetwork, numbers: Sequence[int]) -> NDArray[np.float32]:
    config = network.config
    grids = prime_grid(list(numbers), config.offsets, config.primes).dense()
    with torch.no_grad():
        return np.asarray(torch_network(network)(torch.from_numpy(grids)).numpy())


def some_numbers(count: int) -> list[int]:
    """Small numbers, numbers of the domain, and numbers up to the largest, whose grids are rarely empty."""
    chance = np.random.default_rng(22)
    below = chance.integers(1, 10**6, size=count - 110).tolist()
    large = [int(n) for n in chance.integers(2**53, 2**63 - 100, size=50)]
    return [*range(3, 62), *below, *large, 2**63 - 9]


def test_the_shipped_network_answers_as_torch(scripts: Page, shipped: list[LiveNetwork]) -> None:
    """1,000 numbers: the logits within the tolerance, the same answer to each."""
    numbers = some_numbers(1_000)
    assert len(numbers) == 1_000
    ours, theirs = (
        each(shipped[0], numbers) for each in (lambda n, k: browser_logits(scripts, n, k), torch_logits)
    )
    scale = np.abs(theirs).max(axis=1, keepdims=True)
    assert (np.abs(ours - theirs) / scale).max() < TOLERANCE
    assert (ours.argmax(axis=1) == theirs.argmax(axis=1)).all()


def test_a_compiled_network_is_exact(scripts: Page, shipped: list[LiveNetwork]) -> None:
    """All numbers in it are whole, so nothing may differ."""
    compiled = next(network for network in shipped if network.kind == "compiled")
    numbers = some_numbers(300)
    assert (browser_logits(scripts, compiled, numbers) == torch_logits(compiled, numbers)).all()


def test_other_shapes_answer_as_torch(scripts: Page, small: list[LiveNetwork]) -> None:
    """Two convolutions with kernels of their own and negative offsets; an MLP with odd rows and columns."""
    for network in small:
        numbers = some_numbers(150)
        ours, theirs = browser_logits(scripts, network, numbers), torch_logits(network, numbers)
        scale = np.abs(theirs).max(axis=1, keepdims=True)
        assert (np.abs(ours - theirs) / scale).max() < TOLERANCE, network.name


HEAT = """([network, text, form, grid, winner, rival]) => {
  const stages = forward(network, networkLayers(network, text, form), grid);
  return contributions(network, stages, winner, rival).map((values) => [...values]);
}"""


def test_contributions_are_value_times_gradient(
    scripts: Page, shipped: list[LiveNetwork], small: list[LiveNetwork]
) -> None:
    """On the grid and in the hidden units, as torch differentiates; almost all units of a compiled network
    are exactly zero."""
    compiled = next(network for network in shipped if network.kind == "compiled")
    for network in (compiled, *small):
        document = live_document([network])
        [one] = document["networks"]
        config, epoch = network.config, one["epochs"][one["chosen"]]
        dense = prime_grid([123_456], config.offsets, config.primes).dense()
        module = torch_network(network)
        kept: list[torch.Tensor] = []
        module.get_submodule("linear.act2").register_forward_hook(
            lambda _module, _inputs, output, kept=kept: kept.append(output)
        )
        grid = torch.from_numpy(dense).requires_grad_()
        logits = module(grid)[0]
        winner, rival = logits.topk(2).indices.tolist()
        wanted = torch.autograd.grad(logits[winner] - logits[rival], [grid, kept[0]])
        weights = document["weights"][epoch["weights"]]
        given = [one, weights, epoch["form"], dense.ravel().tolist(), winner, rival]
        heat = scripts.evaluate(HEAT, given)
        for found, values, gradient in ((heat[0], grid, wanted[0]), (heat[-3], kept[0], wanted[1])):
            contributed = (values * gradient).detach().ravel().tolist()
            assert found == pytest.approx(contributed, rel=1e-5, abs=1e-6)
            assert any(contributed), network.name


def valuation(n: int, p: int) -> int:
    return 0 if n % p else 1 + valuation(n // p, p)


@pytest.mark.parametrize(
    ("p", "offsets"), [(2, [0, 1, 2]), (3, [0, 1, 2, 3]), (2, [-2, 0, 1, 4]), (5, [0, 5, 10])]
)
def test_a_column_is_possible_iff_some_number_has_it(scripts: Page, p: int, offsets: list[int]) -> None:
    """Against all numbers of a range that has every pattern of small exponents."""
    most = 3
    there = {tuple(valuation(n + o, p) for o in offsets) for n in range(3, 3 + p ** (most + 2))}
    columns = [list(each) for each in np.ndindex(*[most + 1] * len(offsets))]
    said = scripts.evaluate(
        "([p, offsets, columns]) => columns.map((c) => columnIsPossible(p, offsets, c))",
        [p, offsets, columns],
    )
    assert [columns[i] for i, possible in enumerate(said) if possible] == [
        c for c in columns if tuple(c) in there
    ]


def test_the_page_reads_a_grid_as_the_probes_do(
    scripts: Page, shipped: list[LiveNetwork], small: list[LiveNetwork]
) -> None:
    """Changed grids, among them those that no class looks like."""
    from pconv.probes.reader import NO_CLASS, SignatureReader

    chance = np.random.default_rng(5)
    found = set()
    for network in (shipped[0], *small):
        config = network.config
        reader = SignatureReader(config.modulus, config.offsets, config.primes)
        grids = prime_grid(chance.integers(10, 10**6, 200), config.offsets, config.primes).dense()
        grids[:, chance.integers(0, config.rows, 3), :] = 0
        grids[::2, 0, reader.columns[0]] += 1
        [document] = live_document([network])["networks"]
        given: list[Any] = [document, [grid.ravel().astype(int).tolist() for grid in grids]]
        said = scripts.evaluate("([network, grids]) => grids.map((grid) => classesOf(network, grid))", given)
        wanted = [
            None if label == NO_CLASS else np.flatnonzero(reader.labels == label).tolist()
            for label in reader.read(grids)
        ]
        assert said == wanted
        found |= {json.dumps(each) for each in said}
    assert "null" in found
    assert len(found) > 8
