"""A real Chromium, and what the journeys do in it again and again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first takes half the time
ELSEWHERE = "polyhop.test"  # this machine, by a name that a browser takes for another's
QUIET = (  # nothing of its own goes into the network, and it starts for root too
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1",
)
WAIT = 60_000  # milliseconds until something is wrong


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=[*QUIET])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, url: str, *, width: int = 1280, height: int = 840) -> Iterator[Page]:
    """The page of a server, in a browser that has never been there; fails where a script does."""
    context = browser.new_context(viewport={"width": width, "height": height}, service_workers="block")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(WAIT)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    page.goto(url)
    page.wait_for_selector("main h1", state="attached")
    yield page
    context.close()
    assert wrong == []


def ask(page: Page, question: str) -> None:
    """Ask in the page, and wait until the answer is whole."""
    answers = page.locator(".answer[aria-busy=false]").count()
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.locator(".answer[aria-busy=false]").nth(answers).wait_for()
