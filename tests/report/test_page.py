"""The page in a real browser."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pconv.data.tasks import task_named
from pconv.report.page.build import embedded
from pconv.theory import Problem, explain_class, explain_number, law_of, predict, theories
from pconv.theory.labels import for_task
from tests.report.conftest import Opened


def test_the_file_is_small_and_asks_for_nothing(explorer_file: Path) -> None:
    html = explorer_file.read_text("utf-8")
    assert len(html) < 500_000
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:|//)", html)
    assert "@import" not in html


def test_no_text_can_end_a_script() -> None:
    assert "<" not in embedded({"name": "</script><script>alert(1)</script>", "also": ["<!--"]})


def test_sliders_move_the_answer(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file)
    expect(page.locator("#verdict")).to_have_text("Not solved. 10 of 11 classes can be distinguished.")
    expect(page.locator("#ceiling")).to_have_text("10/11 = 0.9091")
    page.focus("#B")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#verdict")).to_have_text("Solved. All 11 classes are identified.")
    page.focus("#m")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#m-out")).to_have_text("13")
    count = predict(13, range(10)).distinguishable
    expect(page.locator("#verdict")).to_have_text(f"Not solved. {count} of 13 classes can be distinguished.")
    assert page.evaluate("location.hash") == "#m=13&B=9"


def test_a_fragment_leads_to_the_same_view(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file, "#m=16&B=2&c=3&t=signature,paper&n=77&theme=dark")
    expect(page.locator("#c-out")).to_have_text("3")
    expect(page.locator("#dispute")).to_contain_text("disagree on the classes 2, 3, 4, 6, 7, 8, 10, 11, 12")
    expect(page.locator("#theories input:checked")).to_have_count(2)
    assert page.locator("#pattern .overlay").count() == 1
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.input_value("#n") == "77"
    page.evaluate("location.hash = '#m=7&B=8'")
    expect(page.locator("#verdict")).to_contain_text("All 7 classes")
    page.evaluate("location.hash = '#m=-3&B=999&c=x&t=astrology&n=%3Cb%3E'")  # nonsense is survived
    expect(page.locator("#B-out")).to_have_text("32")
    expect(page.locator("#n-error")).to_contain_text("<b>: give a whole number")


def test_the_task_can_be_switched(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file)
    expect(page.locator("#readers tbody th")).to_have_text(["limit", "local", "size", "any"])
    assert page.locator("#readers td.num").all_text_contents()[:4] == ["0.9111", "0.1232", "0.9111", "0.1232"]
    page.select_option("#task", "quadratic")
    expect(page.locator("#verdict")).to_have_text(
        "Not solved. 2 of 11 classes look like one with the other label."
    )
    expect(page.locator("#groups .chip")).to_have_text("square: 1; no square: 2")
    both = "The classes that look alike have both labels (square: 1; no square: 2)"
    expect(page.locator("#why-text")).to_contain_text(f"{both}, so the label is not determined.")
    expect(page.locator("#n-text p").last).to_have_text("So the label is determined: square.")  # 3 = 5 * 5
    assert page.evaluate("location.hash") == "#task=quadratic"
    page.select_option("#task", "divisibility")
    expect(page.locator("#verdict")).to_have_text("Solved. Classes that look alike have the same label.")
    expect(page.locator("#ceiling")).to_have_text("1")
    assert set(page.locator("#readers td.num").all_text_contents()) == {"1.0000", "0.0000"}
    page.evaluate("location.hash = '#task=astrology'")
    expect(page.locator("#task")).to_have_value("residue")


def test_the_bounds_of_labels_are_those_of_the_theory(still: Page) -> None:
    chance = random.Random(2)
    for _ in range(12):
        m, count = chance.randint(2, 64), chance.randint(0, 12)
        prediction = for_task(predict(m, range(count + 1)), task_named("quadratic"))
        (shown,) = paragraphs(still, f"#m={m}&B={count}&task=quadratic", "#ceiling")
        assert shown == (
            "1" if prediction.solved else f"{prediction.ceiling} = {float(prediction.ceiling):.4f}"
        )
        (below,) = paragraphs(still, f"#m={m}&B={count}&task=quadratic", "#below")
        assert prediction.solved or f"ceiling {prediction.exact_ceiling():.4f}" in below


def test_guessing_is_about_the_labels_that_are_asked_for(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file, "#m=16&B=2&task=quadratic&guess=1")
    expect(page.locator("#guessing")).to_contain_text("Mark the classes whose label cannot be told.")
    for c in (1, 5, 9, 13, 4, 12):
        page.locator("#guess-chips button").nth(c).click()
    page.click("#reveal")
    expect(page.locator("#guess-result")).to_have_text("Every class right.")


@pytest.fixture(scope="module")
def still(browser: Browser, explorer_file: Path) -> Iterator[Page]:
    """One page for many questions."""
    page = browser.new_page()
    yield Opened(page).go(explorer_file)
    page.close()


def paragraphs(page: Page, fragment: str, selector: str) -> list[str]:
    page.evaluate(f"location.hash = '{fragment}'")
    page.wait_for_function("() => new Promise((done) => requestAnimationFrame(() => done(true)))")
    return page.locator(selector).all_text_contents()


def test_the_why_of_a_class_is_that_of_the_theory(still: Page) -> None:
    chance = random.Random(1)
    for _ in range(25):
        m, count = chance.randint(2, 64), chance.randint(0, 32)
        c = chance.randrange(m)
        shown = paragraphs(still, f"#m={m}&B={count}&c={c}", "#why-text p:not(.muted)")
        wanted = explain_class(Problem(m, range(count + 1)), c).sentences
        known = [sentence for sentence in wanted if not sentence.startswith("To check by hand")]
        assert shown[: len(known)] == known, (m, count, c)


def test_the_why_of_a_number_is_that_of_the_theory(still: Page) -> None:
    chance = random.Random(2)
    for digits in (1, 3, 6, 9, 12, 15):
        m, count, n = chance.randint(2, 64), chance.randint(0, 32), chance.randrange(1, 10**digits)
        shown = paragraphs(still, f"#m={m}&B={count}&n={n}", "#n-text p")
        assert shown == list(explain_number(Problem(m, range(count + 1)), n).sentences), (m, count, n)


def test_the_law_and_the_bounds_are_those_of_the_theories(still: Page) -> None:
    chance = random.Random(3)
    for m, count in [(16, 2), (7, 8), *((chance.randint(2, 64), chance.randint(0, 32)) for _ in range(12))]:
        question = Problem(m, range(count + 1))
        [law] = paragraphs(still, f"#m={m}&B={count}", "#law")
        assert law == law_of(question)
        first = predict(m, question.offsets)
        shown = f"ceiling {first.exact_ceiling():.4f}, loss floor {first.exact_loss_floor():.4f} nats"
        [below] = still.locator("#below").all_text_contents()
        assert below == ("ceiling 1, loss floor 0" if first.solved else shown)
        rows = still.locator("#theories tr:not(.claim-row)").all()[1:]
        for theory, row in zip(theories().values(), rows, strict=True):
            prediction = theory.predict(question)
            assert prediction is not None
            bounds = f"{prediction.exact_ceiling():.4f}", f"{prediction.exact_loss_floor():.4f}"
            assert row.locator("td.num").all_text_contents() == [f"{prediction.distinguishable}", *bounds]


@pytest.mark.parametrize("n", [1, 720_720, 999_983, 2**31 - 1, 10**12 + 39, 2**53 - 1])
def test_the_grid_multiplies_back(still: Page, n: int) -> None:
    """The product of the exponents that are shown is the number again, in every row."""
    still.evaluate(f"location.hash = '#B=8&n={n}'")
    still.wait_for_selector(f"#grid svg[aria-label='Prime exponents of {n} and its 8 successors']")
    rows = still.evaluate(
        """() => {
          const texts = [...document.querySelectorAll('#grid text')].map((t) =>
            ({ x: +t.getAttribute('x'), y: +t.getAttribute('y'), text: t.textContent }));
          const heads = texts.filter((t) => t.y < 20);
          return [...new Set(texts.filter((t) => t.y > 20).map((t) => t.y))].map((y) => ({
            cells: texts.filter((t) => t.y === y).map((t) =>
              [heads.find((h) => Math.abs(h.x - t.x) < 0.1)?.text ?? 'number', t.text]),
          }));
        }"""
    )
    assert len(rows) == 9
    for offset, row in enumerate(rows):
        product = 1
        for column, text in row["cells"][1:]:
            if column == "larger primes":
                for factor in filter(None, text.split(" · ")):
                    base, _, power = factor.partition("^")
                    product *= int(base) ** int(power or 1)
            else:
                product *= int(column) ** int(text)
        assert product == int(row["cells"][0][1]) == n + offset


@pytest.mark.parametrize(
    "text", ["0", "-5", "9007199254740992", "1e5", "abc", "", "<script>alert(1)</script>"]
)
def test_what_is_no_number_is_said(opened: Opened, explorer_file: Path, text: str) -> None:
    page = opened.go(explorer_file)
    page.fill("#n", text)
    expect(page.locator("#n-error")).to_contain_text("give a whole number from 1")
    expect(page.locator("#grid")).to_be_empty()


def test_guess_first_hides_the_answer(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file, "#m=11&B=8")
    page.check("#guess")
    for part in ("#verdict", "#law", "#pattern", "#window", "#why-text", "#n-text", "#map-picture"):
        expect(page.locator(part)).to_be_hidden()
    page.click("#guess-chips button:nth-child(2)")
    page.click("#guess-chips button:nth-child(4)")
    page.click("#reveal")
    expect(page.locator("#guess-result")).to_have_text(
        "1 of 2 such classes found; missed: 2; marked by mistake: 3."
    )
    expect(page.locator("#verdict")).to_be_visible()
    page.focus("#m")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#verdict")).to_be_hidden()


def test_the_map_leads_to_a_place(opened: Opened, explorer_file: Path) -> None:
    page = opened.go(explorer_file)
    page.locator("#map-picture svg").click(position={"x": 30 + 14 * (16 - 2) + 7, "y": 8 + 14 * (32 - 2) + 7})
    assert page.evaluate("location.hash") == "#m=16&B=2"
    page.click("#dispute button")
    assert page.evaluate("location.hash").startswith("#m=25&B=2")


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1600, "light")])
def test_nothing_sticks_out(browser: Browser, explorer_file: Path, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = Opened(context.new_page()).go(explorer_file, "#m=64&B=32&n=9007199254740991")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    context.close()


def test_every_control_has_a_name(opened: Opened, explorer_file: Path) -> None:
    opened.go(explorer_file)
    assert opened.nameless() == []
