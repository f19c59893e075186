"""A user looks names up in the graph, and is told where it knows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.worlds.browser import ask
from tests.worlds.documents import BRIDGE

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAME = "Harrowmere Lighthouse"


def look_up(page: Page, name: str, to: str = "") -> None:
    """Have the graph show what is around a name, or the way to another."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Way to").fill(to)
    page.get_by_role("button", name="Show", exact=True).click()


def test_a_name_that_failed_is_asked_for_again(page: Page) -> None:
    page.locator(".views a[data-view=graph]").click()
    page.route("**/v1/graph/entity*", lambda route: route.abort())
    look_up(page, NAME)
    page.locator(".empty", has_text="The server cannot be reached.").wait_for()
    page.unroute("**/v1/graph/entity*")
    look_up(page, NAME)
    page.locator(".node").first.wait_for()


def test_a_graph_that_failed_is_asked_for_when_it_is_shown_again(page: Page) -> None:
    page.locator(".views a[data-view=graph]").click()
    page.route("**/v1/graph/entity*", lambda route: route.abort())
    look_up(page, NAME)
    page.locator(".empty", has_text="The server cannot be reached.").wait_for()
    page.unroute("**/v1/graph/entity*")
    page.locator(".views a[data-view=documents]").click()
    page.locator(".drop").wait_for()
    page.go_back()
    page.locator(".node").first.wait_for()


def test_each_answer_keeps_its_graph(page: Page) -> None:
    drawn: list[str] = []
    other = "before => document.querySelector('.fact-table')?.innerText !== before"
    for number, question in enumerate(("Who designed Harrowmere Lighthouse?", BRIDGE)):
        page.locator(".views a[data-view=ask]").click()
        ask(page, question)
        page.get_by_role("button", name="Graph", exact=True).nth(number).click()
        page.wait_for_function(other, arg=drawn[-1] if drawn else None)
        page.locator(".fact-table").wait_for()
        drawn.append(page.locator(".fact-table").inner_text())
    page.go_back()
    page.go_back()
    page.wait_for_function("before => document.querySelector('.fact-table').innerText === before", arg=drawn[0])
    page.locator(".fact-table").wait_for()


def test_a_name_that_nothing_is_known_of_is_named(page: Page) -> None:
    page.locator(".views a[data-view=graph]").click()
    look_up(page, "Nobody Atall")
    page.locator(".empty", has_text="No facts are known of “Nobody Atall”.").wait_for()


def test_names_without_a_way_between_them_are_told_as_that(page: Page) -> None:
    page.locator(".views a[data-view=graph]").click()
    page.route("**/v1/graph/path*", lambda route: route.fulfill(json={"nodes": [], "edges": []}))
    look_up(page, NAME, "Pellingrove")
    page.locator(".empty", has_text=f"No way is known from “{NAME}” to “Pellingrove”.").wait_for()
