"""A user reads an answer while a language model writes it, sees that it is a draft, and then what was checked."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.worlds.browser import opened
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import Played, says, streamed
from tests.worlds.serving import with_a_language_model

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SENTENCES = ("Harrowmere Lighthouse was designed by Edda Marrish.", "She was born in Pellingrove in 1271.")
QUOTES = (
    "Harrowmere Lighthouse was designed by the architect Edda Marrish",
    "Edda Marrish was born in Pellingrove in 1271",
)
HELD = 30.0  # seconds until something is wrong


def answer(prompt: str) -> Played:
    """Two sentences, each with the passage that says it."""
    passages = prompt.split("<<<PASSAGE ")[1:]
    support = [
        {"passage": number, "quote": quote}
        for quote in QUOTES
        for number, passage in enumerate(passages, 1)
        if quote in passage
    ]
    parts = [{"text": text, "support": [number]} for number, text in enumerate(SENTENCES, 1)]
    return streamed(says(json.dumps({"support": support, "found": True, "shape": "text", "answer": parts})), at=5)


def test_the_words_appear_as_a_draft_before_they_are_checked(browser: Browser, world_index: Path) -> None:
    seen = threading.Event()

    def script(request: dict[str, Any]) -> Played:
        whole = answer(request["messages"][1]["content"])
        half = len(whole.pieces) - 9  # a part of the second sentence is left

        def go_on(number: int) -> None:
            assert number < half or seen.wait(HELD)

        return replace(whole, go_on=go_on)

    with with_a_language_model(world_index, script) as (served, _), opened(browser, served.url) as page:
        page.select_option("#strategy", "paths")
        page.fill("#question", BRIDGE)
        page.press("#question", "Enter")
        draft = page.locator(".answer[aria-busy=true] .draft")
        draft.get_by_text("She was born").wait_for()
        assert draft.inner_text().startswith(SENTENCES[0])
        assert page.get_by_text("A draft, not checked").is_visible()
        assert page.locator(".worded").count() == 0
        seen.set()
        page.locator(".answer[aria-busy=false]").wait_for()
        assert page.locator(".draft").count() == 0
        worded = page.locator(".worded.prose p")
        assert [one.locator("span").first.inner_text() for one in worded.all()] == list(SENTENCES)
        assert page.locator(".worded .chip").count() == len(SENTENCES), "each sentence with its source"


def test_a_draft_that_is_stopped_says_that_it_was_not_checked(browser: Browser, world_index: Path) -> None:
    stopped = threading.Event()

    def script(request: dict[str, Any]) -> Played:
        whole = answer(request["messages"][1]["content"])
        return replace(whole, go_on=lambda number: number < len(whole.pieces) - 8 or stopped.wait(HELD))

    with with_a_language_model(world_index, script) as (served, _), opened(browser, served.url) as page:
        page.select_option("#strategy", "paths")
        page.fill("#question", BRIDGE)
        page.press("#question", "Enter")
        page.locator(".draft").get_by_text("Harrowmere").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("A draft that was not checked").wait_for()
        stopped.set()
        assert page.locator(".draft").inner_text().startswith("Harrowmere Lighthouse")
