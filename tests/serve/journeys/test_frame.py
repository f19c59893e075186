"""The page around the views: an index with nothing in it, the theme, the keyboard, what is remembered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.worlds.browser import ask, opened
from tests.worlds.documents import BRIDGE
from tests.worlds.serving import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_without_documents_the_page_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "none.index") as served, opened(browser, served.url) as page:
        page.get_by_text("Nothing to ask yet").wait_for()
        page.get_by_role("button", name="Add documents").click()
        page.get_by_text("There are no documents yet.").wait_for()
        assert page.locator(".alert").count() == 0


def test_an_error_is_left_behind_with_its_view(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "none.index") as served, opened(browser, served.url) as page:
        page.locator(".views a[data-view=measure]").click()
        page.get_by_role("button", name="Make from the documents").click()
        shown = page.locator(".alert", has_text="There are no documents yet.")
        shown.wait_for()
        assert "polyhop index" not in shown.inner_text(), "that is for whoever writes commands"
        page.locator(".views a[data-view=documents]").click()
        shown.wait_for(state="detached")


def test_a_view_that_could_not_be_loaded_is_loaded_when_it_is_chosen_again(page: Page) -> None:
    page.route("**/views/graph.js", lambda route: route.abort())
    page.locator(".views a[data-view=graph]").click()
    page.locator(".alert").wait_for()
    page.unroute("**/views/graph.js")
    page.locator(".views a[data-view=settings]").click()
    page.get_by_role("button", name="Use this key").wait_for()
    page.locator(".views a[data-view=graph]").click()
    page.get_by_label("Way to").wait_for()


def test_a_key_with_letters_that_no_key_has_is_not_taken(page: Page) -> None:
    page.locator(".views a[data-view=settings]").click()
    for written, kept in (("polyhop_1\u200b", None), ("Schlüssel", None), (" polyhop_1 \n", "polyhop_1")):
        page.get_by_label("Key", exact=True).fill(written)
        page.get_by_role("button", name="Use this key").click()
        assert page.evaluate("sessionStorage.getItem('polyhop.key')") == kept


def test_where_a_browser_stores_nothing_questions_are_answered_all_the_same(browser: Browser, served: Served) -> None:
    with opened(browser, served.url) as page:
        page.add_init_script(
            """for (const name of ["localStorage", "sessionStorage"])
                 Object.defineProperty(window, name, { get() { throw new DOMException("", "SecurityError"); } });"""
        )
        page.reload()
        ask(page, BRIDGE)
        page.locator(".views a[data-view=settings]").click()
        page.get_by_label("Key", exact=True).fill("polyhop_1")
        page.get_by_role("button", name="Use this key").click()
        page.locator("#announcements", has_text="The key is used").wait_for(state="attached")
        assert page.get_by_label("Key", exact=True).input_value() == "polyhop_1", "until the page is loaded anew"


def test_a_server_that_is_back_is_not_said_to_be_away(page: Page) -> None:
    page.locator(".views a[data-view=settings]").click()
    page.get_by_role("button", name="What would the others cost?").wait_for()
    page.route("**/v1/forecast", lambda route: route.abort())
    page.get_by_role("button", name="What would the others cost?").click()
    page.locator(".alert", has_text="The server cannot be reached.").wait_for()
    page.unroute("**/v1/forecast")
    page.get_by_role("button", name="What would the others cost?").click()
    page.locator(".alert").wait_for(state="detached")


def test_each_view_is_scrolled_as_it_was_left(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, height=400) as page:
        page.locator(".views a[data-view=settings]").click()
        page.get_by_role("group", name="Strategies").wait_for()
        page.evaluate("document.getElementById('main').scrollTop = 300")
        page.locator(".views a[data-view=documents]").click()
        page.locator(".listing tbody tr").first.wait_for()
        assert page.evaluate("document.getElementById('main').scrollTop") == 0
        page.go_back()
        page.get_by_role("group", name="Strategies").wait_for()
        assert page.evaluate("document.getElementById('main').scrollTop") == 300


def test_an_answer_is_printed_without_the_controls(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, height=400) as page:
        page.goto(f"{served.url}/#/settings")
        page.get_by_label("Dark").check()
        page.goto(f"{served.url}/#/ask")
        ask(page, BRIDGE)
        page.locator(".hop .quotation").first.click()
        page.locator(".source mark").wait_for()
        page.emulate_media(media="print")
        for control in (".rail", ".dock", ".actions button", ".source"):
            assert page.locator(control).first.is_hidden(), control
        assert page.locator(".hop .quote").last.is_visible()
        assert page.evaluate(
            "document.getElementById('main').scrollHeight > 400 && getComputedStyle(main).overflow"
        ) == ("visible")
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_all_views_can_be_reached_with_the_keyboard(page: Page) -> None:
    page.goto(page.url.split("#")[0] + "#/documents")  # where nothing takes the focus at once
    page.reload()
    page.locator(".drop").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for view in ("ask", "documents", "graph", "measure", "settings"):
        link = page.locator(f".views a[data-view={view}]")
        link.focus()
        page.keyboard.press("Enter")
        if view != "ask":  # where the question takes the focus
            page.locator("main:focus").wait_for()
        page.locator(f".views a[data-view={view}][aria-current=page]").wait_for()
        page.locator("section.view:not([hidden]) h1").wait_for(state="attached")


def test_every_control_has_a_name(page: Page) -> None:
    for view in ("ask", "documents", "graph", "measure", "settings"):
        page.goto(page.url.split("#")[0] + f"#/{view}")
        page.locator("section.view:not([hidden]) h1").wait_for(state="attached")
        nameless = page.locator("button, input, select, textarea, a").evaluate_all(
            """all => all.filter((one) => {
              const labels = [...(one.labels ?? [])].map((label) => label.textContent).join("");
              return !(one.textContent || one.getAttribute("aria-label") || labels || one.getAttribute("aria-hidden"));
            }).map((one) => one.outerHTML)"""
        )
        assert nameless == []


def test_the_chosen_colours_stay(browser: Browser, served: Served) -> None:
    with opened(browser, served.url) as page:
        light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        page.goto(f"{served.url}/#/settings")
        page.get_by_label("Dark").check()
        page.reload()
        page.wait_for_selector("main h1", state="attached")
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light


def test_nothing_moves_while_the_page_loads(page: Page) -> None:
    """Cumulative layout shift, as browsers measure it; 0.1 and less count as good."""
    page.reload()
    page.get_by_text("documents in this index").wait_for()
    page.wait_for_timeout(500)
    shift = page.evaluate(
        """() => new Promise((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => list.getEntries().forEach((one) => (sum += one.value)))
            .observe({ type: "layout-shift", buffered: true });
          setTimeout(() => resolve(sum), 300);
        })"""
    )
    assert shift < 0.05


def test_the_page_asks_no_other_host(page: Page) -> None:
    hosts: set[str] = set()
    page.on("request", lambda sent: hosts.add(sent.url.split("/")[2]))
    page.reload()
    page.get_by_text("documents in this index").wait_for()
    assert hosts == {page.url.split("/")[2]}
