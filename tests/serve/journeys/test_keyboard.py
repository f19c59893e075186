"""Everything that the page does, done with the keyboard alone: the focus is always somewhere, and can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from polyhop.engine import Polyhop
from tests.worlds.browser import opened
from tests.worlds.documents import ALIASES, HARBOUR, write
from tests.worlds.serving import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS = (1280, 390)
VIEWS = ("ask", "documents", "graph?entity=Ada+Brisk", "measure", "settings")
FOCUS = """() => {
  const held = document.activeElement;
  if (held === document.body) return "";
  const label = held.getAttribute("aria-label") || [...(held.labels ?? [])].map((one) => one.textContent).join(" ");
  return (label || held.textContent || held.id || "").trim();
}"""
# Whether the control in focus is drawn as such, by itself or by what it stands in, and whether any of it can be seen.
SEEN = """() => {
  const held = document.activeElement;
  const styles = [held, held.closest(".composer"), held.querySelector("rect")].filter(Boolean).map(getComputedStyle);
  const ring = (one) => one.outlineStyle !== "none" || one.boxShadow !== "none" || one.strokeWidth === "3px";
  const ringed = styles.some(ring);
  const box = held.getBoundingClientRect();
  let free = 0;
  for (const x of [0.1, 0.5, 0.9]) for (const y of [0.05, 0.3, 0.5, 0.7, 0.95]) {
    const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
    if (top && top !== document.documentElement && (held.contains(top) || top.contains(held))) free += 1;
  }
  return { ringed, free };
}"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server to be changed at will."""
    folder = tmp_path_factory.mktemp("kept")
    rows = "".join(f'{{"id": "r{row}", "text": "Nan Soller landed at Tarn on day {row}."}}\n' for row in range(70))
    documents = write(folder / "documents", {**HARBOUR, **ALIASES, "days.jsonl": rows})
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(documents, layers=("text", "parsekg", "facts", "questions"))
    with serving(folder / "polyhop.index", layers=("text",)) as served:
        yield served


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Browser, kept: Served) -> Iterator[Page]:
    """Its page, at the width of a desk and of a telephone."""
    with opened(browser, kept.url, width=request.param) as page:
        yield page


def go(page: Page, view: str) -> None:
    """Open a view, whose controls are there then."""
    page.goto(f"{page.url.split('#')[0]}#/{view}")
    page.locator("section.view:not([hidden]) h1").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.locator("#main").focus()


def focus(page: Page) -> str:
    """What the control in focus is called; empty where none has it."""
    return str(page.evaluate(FOCUS))


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press Tab until a control of that name has the focus."""
    for _ in range(200):
        page.keyboard.press(key)
        if focus(page).startswith(name):
            return
    raise AssertionError(f"Tab does not lead to {name!r}")


def press(page: Page, name: str) -> None:
    """Go to a control with Tab, and press it."""
    tab_to(page, name)
    page.keyboard.press("Enter")


def asked(page: Page) -> None:
    """A question is asked, and answered."""
    go(page, "ask")
    tab_to(page, "Question")
    page.keyboard.type("Who built the lighthouse of Quillmouth?")
    tab_to(page, "Strategy")
    page.keyboard.type("bm25")
    press(page, "Ask")
    page.locator(".answer[aria-busy=false]").last.wait_for()


def test_tab_leads_through_every_view_and_out_of_it_and_shows_where_it_is(page: Page) -> None:
    asked(page)
    for view in VIEWS:
        go(page, view)
        for key in ("Tab", "Shift+Tab"):
            page.locator("#main").focus()
            names = []
            for _ in range(250):
                page.keyboard.press(key)
                name, seen = page.evaluate(f"[({FOCUS})(), ({SEEN})()]")
                if not name:
                    break
                names.append(name)
                assert seen["ringed"], f"{view}: {name!r} does not show that it has the focus"
                assert seen["free"], f"{view}: {name!r} has the focus where something lies over it"
            assert len(names) < 250, f"no way out of {view}: {names[-5:]}"
            assert names, f"{view} has nothing that Tab leads to"


def test_the_link_past_the_views_stays_in_the_view(page: Page) -> None:
    go(page, "documents")
    page.evaluate("document.activeElement.blur()")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#/documents")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.locator("[aria-current=page]").inner_text().strip() == "Documents"


def test_a_question_is_asked_and_its_sentence_read(page: Page) -> None:
    asked(page)
    assert focus(page) == "Question", "the next one can be asked at once"
    page.locator(".answer .quotation").first.wait_for()
    page.locator("#main").focus()
    tab_to(page, "Source 1")
    chip = focus(page)
    page.keyboard.press("Enter")
    page.locator(".source mark").wait_for()
    assert focus(page) == "Close the source"
    size = page.viewport_size
    covered = size is not None and size["width"] < 1100
    assert page.evaluate("document.querySelector('main').inert") == covered, "what nobody sees cannot be reached"
    page.keyboard.press("Tab")
    assert focus(page).startswith("Text of the document") or "Page" in focus(page)
    page.keyboard.press("Escape")
    assert page.locator(".source").is_hidden()
    assert focus(page) == chip


def test_two_strategies_are_compared(page: Page) -> None:
    go(page, "ask")
    tab_to(page, "Compare")
    page.keyboard.press("Space")
    tab_to(page, "Second strategy", "Shift+Tab")
    page.keyboard.type("dense")
    tab_to(page, "Strategy", "Shift+Tab")
    page.keyboard.type("bm25")
    tab_to(page, "Question", "Shift+Tab")
    page.keyboard.type("Who built the lighthouse of Quillmouth?")
    page.keyboard.press("Enter")
    page.locator(".answers.side .answer[aria-busy=false]").nth(1).wait_for()
    assert page.locator(".answer-by").all_inner_texts() == ["bm25", "dense"]


def test_threads_are_taken_up_and_forgotten(page: Page) -> None:
    asked(page)
    page.locator("#main").focus()
    press(page, "New thread")
    assert focus(page) == "Question"
    page.locator("#main").focus()
    press(page, "Earlier threads")
    tab_to(page, "Forget the thread")
    page.keyboard.press("Enter")
    assert focus(page) in ("Question", "Earlier threads (1)")
    assert not page.evaluate("localStorage.getItem('polyhop.threads')").count("Quillmouth")


def test_files_are_uploaded_and_a_document_is_deleted(page: Page, kept: Served, tmp_path: Path) -> None:
    go(page, "documents")
    (tmp_path / "aldern.txt").write_text("Aldern is a mill.", encoding="utf-8")
    with page.expect_file_chooser() as chooser:  # from before the way there: the browser needs a moment to tell of it
        tab_to(page, "Choose a folder")
        tab_to(page, "Choose files", "Shift+Tab")
        page.keyboard.press("Enter")
    chooser.value.set_files([tmp_path / "aldern.txt"])
    page.locator(".state[data-state=done]").first.wait_for()
    tab_to(page, "Search the documents")
    page.keyboard.type("aldern")
    page.get_by_role("button", name="aldern", exact=True).wait_for()
    page.locator(".listing tbody tr").nth(1).wait_for(state="detached")
    tab_to(page, "Delete aldern")
    page.keyboard.press("Enter")
    assert focus(page) == "Keep", "what cannot be taken back is not the first choice"
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    assert focus(page) == "Delete aldern"
    page.keyboard.press("Enter")
    tab_to(page, "Delete")
    page.keyboard.press("Enter")
    page.get_by_text("No document matches").wait_for()
    assert focus(page) == "Search the documents", "the row is gone, and the focus is not"


def test_more_documents_are_listed_from_where_the_list_ended(page: Page) -> None:
    go(page, "documents")
    press(page, "Show more")
    page.locator(".listing tbody tr").nth(60).wait_for()
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 51


def test_the_graph_is_walked_and_its_sentences_read(page: Page) -> None:
    go(page, "graph")
    tab_to(page, "Name")
    page.keyboard.type("Ada Brisk")
    page.keyboard.press("Enter")
    page.locator("svg.graph .node").first.wait_for()
    page.locator("#announcements", has_text="Around Ada Brisk").wait_for(state="attached")
    tab_to(page, "Ada Brisk")
    assert page.evaluate("document.activeElement.matches('.node')")
    first = focus(page)
    for arrow in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(arrow)
        assert page.evaluate("document.activeElement.matches('.node')")
        if focus(page) != first:
            break
    assert focus(page) != first
    tab_to(page, "Look up")
    page.keyboard.press("Tab")
    fact = focus(page)
    page.keyboard.press("Enter")
    page.locator(".source mark").wait_for()
    page.wait_for_timeout(300)  # the panel has made the drawing narrower, and it is drawn anew
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert focus(page) == fact


def test_questions_are_measured(page: Page) -> None:
    go(page, "measure")
    tab_to(page, "Questions")
    page.keyboard.type("Who built the lighthouse of Quillmouth?")
    tab_to(page, "auto")
    page.keyboard.press("Space")
    tab_to(page, "Measure")
    for name in ("Choose a file", "Make from the documents"):
        tab_to(page, name)
    page.keyboard.press("Enter")
    page.get_by_text("with an answer.").wait_for()
    page.locator("#questions:focus").wait_for()


def test_an_error_stays_until_it_is_put_away(page: Page) -> None:
    go(page, "settings")
    tab_to(page, "As the system")
    page.keyboard.press("ArrowRight")
    assert focus(page) == "Light"
    tab_to(page, "Key")
    page.route("**/v1/forecast", lambda route: route.fulfill(status=503, body='{"error": {"message": "Busy."}}'))
    press(page, "What would the others cost?")
    page.locator(".alert", has_text="Busy.").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".alert").count() == 0
    assert focus(page) == "What would the others cost?"


def test_a_key_is_entered(page: Page) -> None:
    go(page, "settings")
    tab_to(page, "Key")
    page.keyboard.type("made-up")
    page.keyboard.press("Enter")
    page.locator("#announcements", has_text="The key is used").wait_for(state="attached")
    assert page.evaluate("document.activeElement.id") == "main"


def test_whoever_listens_finds_landmarks_and_a_heading_in_every_view(page: Page) -> None:
    for view in VIEWS:
        go(page, view)
        said = page.locator("body").aria_snapshot()
        for landmark in ("- banner:", '- navigation "Views":', "- main:", '- log "Announcements"', "[level=1]"):
            assert landmark in said, f"{view}: {said}"
        assert said.count("[level=1]") == 1, f"{view}: {said}"
