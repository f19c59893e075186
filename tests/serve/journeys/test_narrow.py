"""A user has a telephone: tables scroll, and their words stay whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.worlds.browser import ask, opened
from tests.worlds.documents import BRIDGE
from tests.worlds.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

JOB = {"id": "j", "kind": "eval", "state": "done", "about": ["hybrid"], "created": "2031-05-02T10:00:00.000+00:00"}
FIGURES = ("held", "f1", "em", "quoted", "abstained", "seconds_p50", "seconds_p95")
REPORT = {"strategies": {name: {"n": 12, **dict.fromkeys(FIGURES, 0.5)} for name in ("hybrid", "stepchain")}}
# The words of the tables that stand on more than one line; a hyphen is where a word may be parted.
PARTED = """() => {
  const found = [];
  for (const table of document.querySelectorAll("section.view:not([hidden]) .scrolls table")) {
    const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      if (range.getClientRects().length > 1) found.push(word[0]);
    }
  }
  return found;
}"""


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """The page of the world on a telephone."""
    with opened(browser, served.url, width=390, height=844) as page:
        yield page


def test_the_table_of_figures_scrolls_and_parts_no_word(page: Page) -> None:
    def told(content: dict[str, Any]) -> Any:
        return lambda route: reply(route, content)

    def reply(route: Route, content: dict[str, Any]) -> None:
        route.fulfill(content_type="application/json", body=json.dumps(content))

    page.route("**/v1/jobs", told({"jobs": [JOB]}))
    page.route("**/v1/jobs/j/result", told(REPORT))
    page.locator(".views a[data-view=measure]").click()
    table = page.get_by_role("group", name="Figures")
    table.wait_for()
    assert page.evaluate(PARTED) == []
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)  # it scrolls smoothly
    assert table.evaluate("one => one.scrollLeft") > 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_in_a_low_window_nothing_lies_over_an_answer(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, width=640, height=430) as page:
        ask(page, BRIDGE)
        quote = page.locator(".hop .quotation").first
        quote.scroll_into_view_if_needed()
        covered = """one => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          return !one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
        }"""
        assert not quote.evaluate(covered)
        assert page.locator(".dock").evaluate("one => getComputedStyle(one).position") == "static"


def test_the_narrowest_screen_parts_no_word_of_the_frame(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, width=320, height=700) as page:
        heights = page.locator(".views a span").evaluate_all("all => all.map((one) => one.offsetHeight)")
        assert len(set(heights)) == 1, "each name stands on one line"
        compare = page.get_by_role("button", name="Compare").bounding_box()
        send = page.get_by_role("button", name="Ask", exact=True).bounding_box()
        assert compare is not None
        assert send is not None
        assert abs(compare["y"] - send["y"]) < 8, "the composer has one row of controls"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    "title", ["Report on the weirs of the upper valley and all that was built there. " * 12, "Weir" * 200]
)
def test_a_long_title_leaves_room_for_the_sentence(page: Page, title: str) -> None:
    def entitled(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "title": title})

    page.set_viewport_size({"width": 375, "height": 667})
    page.route("**/v1/documents/**", entitled)
    ask(page, BRIDGE)
    page.locator(".hop .quotation").first.click()
    page.wait_for_selector(".source mark")
    seen = """one => {
      const [{ left, top, bottom }] = one.getClientRects();
      return one.contains(document.elementFromPoint(left + 4, (top + bottom) / 2));
    }"""
    assert page.locator(".source mark").evaluate(seen)
    assert page.locator(".source h2").get_attribute("title") == title, "all of it is there for who points at it"
    page.get_by_role("button", name="Close the source").click()
    assert page.locator(".source").is_hidden()


def test_the_tables_of_settings_part_no_word(page: Page) -> None:
    page.locator(".views a[data-view=settings]").click()
    page.get_by_role("group", name="Strategies").wait_for()
    assert page.evaluate(PARTED) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
