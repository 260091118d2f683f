"""The live section of the page in a real browser: asking, touching the grid, layers, epochs, errors."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from pconv.data.grid import prime_grid
from pconv.report.live.network import LiveNetwork, live_document
from pconv.report.live.shipped import shipped_network
from pconv.report.page.build import write_page
from tests.report.conftest import Opened
from tests.report.live.conftest import torch_network


def answers(page: Page) -> list[str]:
    return page.locator("#live-cards .said b").all_text_contents()


def marks(page: Page) -> list[str]:
    return page.locator("#live-cards .word").all_text_contents()


def cell(page: Page, row: int, prime: int) -> str:
    primes = [2, 3, 5, 7, 11, 13, 17, 19]
    return f"#live-grid [data-at='{8 * row + primes.index(prime)}']"


def torch_answer(network: LiveNetwork, grid: NDArray[np.float32]) -> int:
    with torch.no_grad():
        return int(torch_network(network)(torch.from_numpy(grid[None])).argmax())


def test_a_number_is_answered(opened: Opened, live_file: Path, shipped: list[LiveNetwork]) -> None:
    """The answers and logits of every network, what the theory says, and the truth."""
    page = opened.go(live_file)
    for n in (123_456, 2**63 - 9, 4, 1_000_001):
        page.fill("#x", str(n))
        grid = prime_grid([n], range(9), 8).dense()[0]
        assert answers(page) == [str(torch_answer(network, grid)) for network in shipped]
        expect(page.locator("#live-theory")).to_contain_text(f"In truth n is {n % 11} modulo 11.")
        must = "one of {1, 2}" if n % 11 in (1, 2) else str(n % 11)
        expect(page.locator("#live-theory")).to_contain_text(f"the answer must be {must}.")
        label = page.locator("#live-cards svg").first.get_attribute("aria-label") or ""
        with torch.no_grad():
            wanted = torch_network(shipped[0])(torch.from_numpy(grid[None]))[0].tolist()
        shown = [float(text) for text in re.findall(r": (-?[\d.]+)", label.removeprefix("Logits: "))]
        assert shown == pytest.approx(wanted, abs=1e-3)
    assert page.locator("#x-error").text_content() == ""
    for card, network in zip(page.locator("#live-cards article").all(), shipped, strict=True):
        expect(card).to_contain_text(network.note)


def test_what_is_no_number_is_said(opened: Opened, live_file: Path) -> None:
    page = opened.go(live_file)
    for text in ("0", "-3", "1.5", "9223372036854775807", "<b>", ""):
        page.fill("#x", text)
        said = f"{text or 'nothing'}: give a whole number whose window is from 1 to 2^63 − 1"
        expect(page.locator("#x-error")).to_have_text(said)
        expect(page.locator("#live-grid")).to_be_empty()
        expect(page.locator("#live-cards")).to_be_empty()


def test_a_touched_grid_is_answered(opened: Opened, live_file: Path, shipped: list[LiveNetwork]) -> None:
    """123,456 is 3 modulo 11: the row n+8 alone is a multiple of 11."""
    page = opened.go(live_file)
    grid = prime_grid([123_456], range(9), 8).dense()[0]
    assert marks(page)[:2] == ["✓ agrees", "✓ agrees"]

    page.click(cell(page, 8, 11))  # hide the evidence
    grid[8, 4] = 0
    expect(page.locator("#live-theory")).to_contain_text("the answer must be one of {1, 2}.")
    assert answers(page) == [str(torch_answer(network, grid)) for network in shipped]
    assert page.locator(f"{cell(page, 8, 11)} s").text_content() == "1"

    page.click(cell(page, 5, 11))  # 11 divides n+5 instead
    grid[5, 4] = 1
    expect(page.locator("#live-theory")).to_contain_text("the answer must be 6.")
    assert answers(page) == [str(torch_answer(network, grid)) for network in shipped]

    page.click(cell(page, 6, 11))  # and n+6, too: no number has that
    expect(page.locator("#live-theory")).to_contain_text(
        "Impossible grid: no whole number has the column of 11."
    )
    expect(page.locator("#live-theory")).to_contain_text("so the theory says nothing")
    assert set(marks(page)) == {"no prediction"}

    page.click("#restore")
    expect(page.locator("#live-theory")).to_contain_text("In truth n is 3 modulo 11.")
    expect(page.locator("#restore")).to_be_disabled()
    expect(page.locator("#live-score")).to_contain_text("Trained 2 of 2 · Compiled from the theory 2 of 2")


def test_rows_columns_and_tools(opened: Opened, live_file: Path) -> None:
    page = opened.go(live_file)
    page.click("#live-grid thead button >> text=/^2$/")  # another prime's column: the theory does not read it
    expect(page.locator("#live-theory")).to_contain_text("the answer must be 3.")
    expect(page.locator("#live-theory")).to_contain_text("no whole number has the column of 2.")
    page.click("#live-grid thead button >> text=/^2$/")
    expect(page.locator("#restore")).to_be_disabled()
    page.get_by_role("button", name="hide or restore row n+8 = 123464").click()
    expect(page.locator("#live-theory")).to_contain_text("one of {1, 2}")
    page.get_by_role("button", name="hide or restore row n+8 = 123464").click()
    page.check("input[value=raise]")
    page.click(cell(page, 8, 11))
    expect(page.locator(cell(page, 8, 11))).to_have_text("1 2")
    expect(page.locator("#live-theory")).to_contain_text("the answer must be 3.")  # 121 tells no more than 11
    page.check("input[value=lower]")
    page.click(cell(page, 0, 2))
    assert "0.0.5" in page.evaluate("location.hash")
    page.reload()
    expect(page.locator(cell(page, 0, 2))).to_have_text("6 5")


def test_the_evidence_of_another_number(opened: Opened, live_file: Path) -> None:
    page = opened.go(live_file)
    page.fill("#donor", "29")  # 7 modulo 11
    page.click("#swap")
    expect(page.locator("#live-theory")).to_contain_text("the answer must be 7.")
    assert answers(page)[:2] == ["7", "7"]
    expect(page.locator("#swapped")).to_contain_text(
        "29 with the evidence from above: must be 3trained 3 ✓compiled 3 ✓"
    )
    page.fill("#donor", "x")
    page.click("#swap")
    expect(page.locator("#donor-error")).to_have_text("x: give a whole number")


def test_the_grid_by_keyboard(opened: Opened, live_file: Path) -> None:
    """One stop of the Tab key; arrows move, plus, minus and Delete change, the focus stays."""
    page = opened.go(live_file)
    assert page.locator("#live-grid [data-at][tabindex='0']").count() == 1
    page.focus(cell(page, 0, 2))
    for key in ("ArrowDown", "ArrowRight", "End", "Home", "ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "row n, prime 3: exponent 1"
    page.keyboard.press("+")
    assert page.evaluate(focused) == "row n, prime 3: exponent 2, changed from 1"
    page.keyboard.press("Delete")
    assert page.evaluate(focused) == "row n, prime 3: exponent 1"
    page.keyboard.press("-")
    assert page.evaluate(focused) == "row n, prime 3: exponent 0, changed from 1"


def test_cells_that_decide(opened: Opened, live_file: Path, shipped: list[LiveNetwork]) -> None:
    """Every single change of the grid, as torch answers it."""
    page = opened.go(live_file)
    page.check("#heat")
    grid = prime_grid([123_456], range(9), 8).dense()[0]
    before = torch_answer(shipped[0], grid)
    changed = np.repeat(grid[None], grid.size, axis=0)
    for at in range(grid.size):
        changed[at].flat[at] = 0 if grid.flat[at] else 1
    with torch.no_grad():
        after = torch_network(shipped[0])(torch.from_numpy(changed)).argmax(dim=1).tolist()
    ringed = [
        int(each) for each in page.locator(".decides").evaluate_all("all => all.map((e) => e.dataset.at)")
    ]
    assert ringed == [at for at, answer in enumerate(after) if answer != before]
    assert 8 * 8 + 4 in ringed


def test_steps_through_the_layers(opened: Opened, live_file: Path, shipped: list[LiveNetwork]) -> None:
    page = opened.go(live_file)
    names = [
        "Grid",
        "Convolution",
        "Pooling",
        "1,000 hidden units",
        "100 hidden units",
        "10 hidden units",
        "Logits",
    ]
    buttons = page.locator("#live-layers .chips button")
    assert buttons.all_text_contents() == names
    counts = [1, 4, 4, 1, 1, 1, 1]
    cells = [72, 4 * 72, 4 * 16, 1000, 100, 10, 11]
    for k, (pictures, count) in enumerate(zip(counts, cells, strict=True)):
        buttons.nth(k).click()
        assert page.locator("#stage svg").count() == pictures
        assert page.locator("#stage rect:not(.cell-back)").count() == count
    values = page.locator("#stage title").all_text_contents()
    grid = torch.from_numpy(prime_grid([123_456], range(9), 8).dense())
    with torch.no_grad():
        logits = torch_network(shipped[0])(grid)[0].tolist()
    assert [float(text.split(": ")[1]) for text in values] == pytest.approx(logits, abs=2e-3)
    page.check("#why-heat")
    winner, rival = np.argsort(logits)[[-1, -2]].tolist()
    expect(page.locator("#live-layers")).to_contain_text(f"the lead of answer {winner} over {rival}")
    page.click("[data-inspect='1']")
    expect(page.locator("#live-layers h3")).to_have_text("Inside: Compiled from the theory")


def test_epochs_change_the_answers_and_the_matrix(opened: Opened, live_file: Path) -> None:
    network = shipped_network()
    page = opened.go(live_file, "#x=23")
    epochs = [0, *(epoch.epoch for epoch in network.epochs)]
    chips = page.locator("#by-epoch .chip").all_text_contents()
    assert [chip.split(":")[0] for chip in chips] == ["before training", *(f"epoch {e}" for e in epochs[1:])]
    grid = prime_grid([23], range(9), 8).dense()[0]
    for k, epoch in enumerate(network.epochs, start=1):
        page.fill("#ep", str(k))
        with torch.no_grad():
            answer = int(torch_network(network, epoch)(torch.from_numpy(grid[None])).argmax())
        assert answers(page)[0] == str(answer) == chips[k].split(": ")[1]
        expect(page.locator("#live-epochs figcaption")).to_contain_text(
            f"accuracy {epoch.answers.accuracy:.4f}"
        )
        counts = page.locator("#live-epochs svg > text").all_text_contents()[22:]
        assert counts == [str(count) for row in epoch.answers.confusion for count in row if count]
    assert "ep=13" in page.evaluate("location.hash")


def test_the_challenge_knows_the_errors(opened: Opened, live_file: Path) -> None:
    census = shipped_network().census
    assert census is not None
    page = opened.go(live_file, "#ep=1")
    part = page.locator("#live-challenge")
    expect(part.locator("h3")).to_have_text("Find an error: Trained, epoch 13")  # not the slider's
    expect(part).to_contain_text(f"{census.outside.count:,} outside")
    expect(page.locator("#challenge-here")).to_contain_text("n = 123,456: right.")
    page.click("[data-show=outside]")
    expect(page.locator("#challenge-here")).to_contain_text("wrong, outside the group: found one!")
    assert page.input_value("#x") == str(census.outside.examples[0])
    page.click("[data-show=inside]")
    expect(page.locator("#challenge-here")).to_contain_text("wrong, inside the group")
    page.click("#hint")
    expect(page.locator("#hint-text")).to_contain_text("Hint: one is between ")
    page.click("[data-inspect='1']")
    expect(part).to_contain_text("never leaves the group")


def test_a_network_without_errors_outside(opened: Opened, tmp_path: Path, shipped: list[LiveNetwork]) -> None:
    document = live_document(shipped[:1])
    document["networks"][0]["census"]["outside"] = {"count": 0, "examples": []}
    write_page(tmp_path / "page.html", live=document)
    page = opened.go(tmp_path / "page.html")
    expect(page.locator("#live-challenge")).to_contain_text("There is none outside to find.")
    assert page.locator("[data-show=outside], #hint").count() == 0


def test_networks_of_several_problems(opened: Opened, tmp_path: Path, small: list[LiveNetwork]) -> None:
    """Those of one problem are side by side, the others behind a list."""
    write_page(tmp_path / "page.html", live=live_document(small))
    page = opened.go(tmp_path / "page.html", "#x=1000")
    assert page.locator("#live-cards article").count() == 1
    expect(page.locator("#live-theory")).to_contain_text("the columns of 2 and 3")
    page.select_option("#p", index=1)
    expect(page.locator("#live-what")).to_have_text("n modulo 4 from 3 rows and 5 primes")
    assert page.locator("#live-layers .chips button").all_text_contents()[:2] == [
        "Grid",
        "1,000 hidden units",
    ]
    page.select_option("#p", index=2)
    page.fill("#x", "23")  # 1 is a square modulo 11 and 2 is not
    expect(page.locator("#live-theory")).to_contain_text("must be one of {0, 1}. The true answer is 1.")
    page.evaluate("location.hash = '#p=9&net=x&x=77&edit=1.1.99_a.b.c_2.1.1&ep=7&layer=-1'")  # survived
    expect(page.locator("#live-theory")).to_contain_text("The theory reads")


def test_it_is_hidden_while_the_reader_guesses(opened: Opened, live_file: Path) -> None:
    page = opened.go(live_file)
    page.check("#guess")
    expect(page.locator("#live")).to_be_hidden()
    page.click("#to-live")
    expect(page.locator("#live")).to_be_visible()
    expect(page.locator("#x")).to_be_focused()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1600, "light")])
def test_nothing_sticks_out_and_everything_has_a_name(
    browser: Browser, live_file: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    opened = Opened(context.new_page())
    page = opened.go(live_file, "#x=9223372036854775000&layer=3&heat=1&edit=8.4.3")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.nameless() == []
    assert opened.complaints == []
    assert page.locator("#live-summary").is_visible() == (width < 800)
    context.close()
