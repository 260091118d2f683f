"""A browser, pages, and runs made up for pictures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from pconv.report.page.build import write_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def explorer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page without any runs."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(path)
    return path


class Opened:
    """A page in the browser that fails the test if it complains or asks for anything."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._asked)

    def _asked(self, request: object) -> None:
        url = str(getattr(request, "url", ""))
        if not url.startswith(("file:", "data:")):
            self.complaints.append(f"asked for {url}")

    def go(self, path: Path, fragment: str = "") -> Page:
        self.page.goto(f"{path.as_uri()}{fragment}")
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    def nameless(self) -> list[str]:
        """Controls and pictures of which a screen reader could say nothing."""
        found: list[str] = self.page.evaluate(
            """() => [...document.querySelectorAll('input, button, select, svg[role=img]')]
              .filter((e) => !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim()))
              .map((e) => e.outerHTML)"""
        )
        return found


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = Opened(context.new_page())
    yield page
    context.close()
    assert page.complaints == []
