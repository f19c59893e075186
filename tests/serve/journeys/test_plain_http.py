"""A user opens the page of another machine over plain HTTP, where browsers withhold some of what they can do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from polyhop.engine import Polyhop
from polyhop.serve.keys import READ, KeyRing
from tests.worlds.browser import ELSEWHERE, ask, opened
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page at another machine's name, with a key."""
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "harbour", HARBOUR), layers=("text",))
    with serving(tmp_path / "an.index", host="0.0.0.0", spare=0) as served:  # noqa: S104
        with KeyRing(served.app.state.service.engines.places.keys) as keys:
            written, _ = keys.add("reader", scope=READ)
        with opened(browser, f"http://{ELSEWHERE}:{httpx.URL(served.url).port}/#/settings") as page:
            page.get_by_text("What it holds is told to those with a key.").wait_for()
            page.get_by_label("Key").fill(written)
            page.get_by_role("button", name="Use this key").click()
            page.locator("#announcements", has_text="The key is used").wait_for(state="attached")
            yield page


def pasted(page: Page) -> str:
    """What the clipboard holds."""
    page.fill("#question", "")
    page.focus("#question")
    page.keyboard.press("Control+V")
    return page.input_value("#question")


def test_an_answer_over_plain_http_is_asked_for_and_copied(page: Page) -> None:
    assert not page.evaluate("isSecureContext")
    page.locator(".views a[data-view=ask]").click()
    ask(page, HARBOUR_BRIDGE)
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Copied", "the focus stays where it was"
    assert pasted(page).startswith(f"### {HARBOUR_BRIDGE}\n\n**")
    page.get_by_role("button", name="Trace").click()
    page.get_by_role("button", name="Copy all of it as JSON").click()
    assert json.loads(pasted(page))["question"] == HARBOUR_BRIDGE


def test_threads_over_plain_http_are_kept_apart(page: Page) -> None:
    page.locator(".views a[data-view=ask]").click()
    for begun in range(2):
        ask(page, HARBOUR_BRIDGE)
        page.get_by_role("button", name="New thread").click()
        page.get_by_text(f"Earlier threads ({begun + 1})").wait_for()
