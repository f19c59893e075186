"""Documents that try to do something on the page: all that they ever become is text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from polyhop.engine import Polyhop
from polyhop.types import Document
from tests.worlds.browser import ask, opened
from tests.worlds.serving import Served, serving
from tests.worlds.settings import QUICK

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCRIPT = "<script>window.hacked = 'script'</script>"
HANDLER = "<img src=x onerror=\"window.hacked = 'handler'\">"
OVERRIDE = "\u202e"  # from here on everything would be shown backwards
HOSTILE = (
    Document(
        id="<svg onload=window.hacked=1>.txt",
        title=f"Quillmouth {HANDLER} {OVERRIDE}",
        text=f"The lighthouse of Quillmouth {SCRIPT} was built by Ada Brisk {HANDLER} in 1841. {OVERRIDE}It is white.",
    ),
    Document(
        id="javascript:window.hacked='link'",
        title="</mark></aside><style>*{display:none}</style>Ada Brisk",
        text="Ada Brisk was an engineer. {{constructor.constructor('window.hacked=1')()}} She was born in Fennick.",
    ),
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with such documents."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.index"
    with Polyhop(path, settings=QUICK) as engine:
        engine.add_documents(HOSTILE, layers=("text",))
    with serving(path) as served:
        yield served


def test_what_documents_say_stays_text(browser: Browser, hostile: Served) -> None:
    with opened(browser, hostile.url) as page:
        page.evaluate("localStorage.clear()")
        ask(page, "Who built the lighthouse of Quillmouth?")
        for quotation in page.locator(".quotation:visible").all():
            quotation.click()
            page.wait_for_selector(".source-text")
            page.keyboard.press("Escape")
        page.locator(".quotation").first.click()
        shown = page.locator(".source-text").inner_text()
        assert SCRIPT in shown or "constructor.constructor" in shown
        page.goto(f"{hostile.url}/#/documents")
        page.locator(".listing tbody tr").nth(1).wait_for()
        assert HANDLER in page.locator(".listing").inner_text()
        page.get_by_role("button", name="Delete").first.click()
        assert page.locator("dialog").is_visible()
        page.get_by_role("button", name="Keep").click()
        assert page.evaluate("window.hacked") is None
        made = "main script, main style, main img, main iframe, main a[href^='javascript'], .source script, .source img"
        assert page.locator(made).count() == 0


def test_an_override_in_a_title_turns_nothing_but_itself(browser: Browser, hostile: Served) -> None:
    """Each text of a document is isolated, so that the words of the page around it keep their order."""
    with opened(browser, hostile.url) as page:
        page.goto(f"{hostile.url}/#/documents")
        page.locator(".listing tbody tr").first.wait_for()
        isolated = page.locator(".listing tbody span").evaluate_all(
            "all => all.every((one) => getComputedStyle(one).unicodeBidi.includes('isolate'))"
        )
        assert isolated


def test_the_policy_runs_nothing_that_is_not_the_pages_own(browser: Browser, hostile: Served) -> None:
    """Even if a text became markup, the browser would refuse to run it."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(hostile.url)
        page.wait_for_selector("main h1", state="attached")
        refused = page.evaluate(
            """() => {
              try { document.body.innerHTML = "<img src=x onerror='window.hacked = 1'>"; return "taken"; }
              catch (error) { return error.name; }
            }"""
        )
        assert refused == "TypeError"
        page.evaluate(
            """() => { const made = document.createElement("style"); made.textContent = "body{display:none}";
                       document.head.append(made); }"""
        )
        assert page.evaluate("getComputedStyle(document.body).display") == "block"
