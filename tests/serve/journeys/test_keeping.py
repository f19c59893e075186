"""A user looks after the index (merged names, the graph as a file, measuring, jobs) and reads documents of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from polyhop.engine import Polyhop
from tests.worlds.browser import ask, opened
from tests.worlds.documents import ALIASES, write
from tests.worlds.mail import attach, letter
from tests.worlds.pptx import said, shape, write_pptx
from tests.worlds.serving import Served, serving
from tests.worlds.xlsx import rows, write_xlsx

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

ARABIC = "بنيت منارة الساحل في مدينة طرابلس عام 1887."


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of texts with facts, to be changed at will, and of a document of each kind that is shown in its way."""
    folder = tmp_path_factory.mktemp("kept")
    documents = write(
        folder / "documents", {**ALIASES, "tower.txt": ARABIC, "mill.py": "def mill():\n    return 1742\n"}
    )
    title = shape(said("The lamp"), place="title")
    write_pptx(documents / "lamp.pptx", title, shape(said("Piet Rook made the lamp."), place="body"))
    write_xlsx(documents / "fares.xlsx", {"Winter": rows(["Route", "Fare"], ["Tarn to Sarn", 10], head=1)})
    mail = attach(
        letter("The pier is closed on Friday.\n\n> Is it open?", From="Nora Vell <nora@sarn.example>"),
        {"offer.csv": b"Item,Price\nPlanks,900"},
    )
    (documents / "pier.eml").write_bytes(mail.as_bytes())
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(documents, layers=("text", "parsekg", "facts", "questions"))
    with serving(folder / "polyhop.index", layers=("text",)) as served:
        yield served


@pytest.fixture
def page(browser: Browser, kept: Served) -> Iterator[Page]:
    """Its page."""
    with opened(browser, kept.url) as page:
        yield page


def shown(page: Page, question: str) -> Locator:
    """The source panel with the first quotation that answers a question."""
    page.select_option("#strategy", "bm25")
    ask(page, question)
    page.locator(".turn").last.locator(".quotation").first.click()
    page.wait_for_selector(".source mark, .source img")
    return page.locator(".source")


@pytest.mark.parametrize(
    ("question", "where", "words"),
    [
        ("Who made the lamp?", "slide 2", "Piet Rook made the lamp."),
        ("What is the fare from Tarn to Sarn?", "sheet “Winter”", "Tarn to Sarn"),
        ("What does mill return?", "line ", "1742"),
        ("When is the pier closed?", "pier.eml", "The pier is closed on Friday."),
        ("What is the price of planks?", "offer", "Planks"),
    ],
)
def test_a_quotation_says_where_it_stands(page: Page, question: str, where: str, words: str) -> None:
    panel = shown(page, question)
    assert where in panel.locator(".source-head").inner_text()
    assert words in panel.inner_text()


def test_what_runs_from_right_to_left_is_shown_so(page: Page) -> None:
    panel = shown(page, "متى بنيت منارة الساحل؟")
    assert panel.locator("mark").inner_text() == ARABIC
    for place in (".asked", ".hop-question, .quote", ".source mark"):
        side = page.locator(place).last.evaluate(
            """(one) => {
              const range = document.createRange();
              range.selectNodeContents(one);
              const drawn = range.getBoundingClientRect();
              const box = one.closest("div, article, section").getBoundingClientRect();
              return box.right - drawn.right < drawn.left - box.left || getComputedStyle(one).direction === "rtl";
            }"""
        )
        assert side, place
    assert page.evaluate("document.documentElement.dir") == "ltr", "the page itself is in English"


def merged(kept: Served) -> set[str]:
    """All spellings that count as another name."""
    found = kept.client.get("/v1/graph/merges").json()["merges"]
    return {spelling["name"] for merge in found for spelling in merge["spellings"][1:]}


def test_a_merge_is_undone_and_done_again(page: Page, kept: Served) -> None:
    page.goto(f"{kept.url}/#/graph")
    page.get_by_text("Merged names").click()
    apart = page.locator(".merge button", has_text="Keep apart")
    apart.first.wait_for()
    spelling = str(apart.first.get_attribute("aria-label")).removeprefix("Keep apart: ")
    assert spelling in merged(kept)
    apart.first.click()
    page.get_by_text("Kept apart", exact=True).wait_for()
    assert spelling not in merged(kept)
    page.keyboard.press("Enter")  # the button for the way back has the focus
    page.get_by_text("Kept apart", exact=True).wait_for(state="detached")
    assert spelling in merged(kept)


def test_the_graph_is_looked_after_and_taken_along(page: Page, kept: Served, tmp_path: Path) -> None:
    page.goto(f"{kept.url}/#/graph")
    page.get_by_text("Health", exact=True).click()
    page.get_by_text("What looks wrong").wait_for()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="GraphML").click()
    downloaded.value.save_as(tmp_path / "graph.graphml")
    same = kept.client.get("/v1/graph/export", params={"format": "graphml"}).content
    assert (tmp_path / "graph.graphml").read_bytes() == same


def test_questions_are_made_measured_and_reported(page: Page, kept: Served, tmp_path: Path) -> None:
    page.goto(f"{kept.url}/#/measure")
    page.get_by_role("button", name="Make from the documents").click()
    page.get_by_text("with an answer.").wait_for()
    for value in page.eval_on_selector_all("input[name=strategy]:checked", "all => all.map((one) => one.value)"):
        page.uncheck(f"input[value={value}]")
    page.check("input[value=bm25]")
    page.fill("#questions", '{"question": "Who made the lamp?", "answer": "Piet Rook"}')
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator(".results .plot-place svg").wait_for(timeout=180_000)
    assert "bm25" in page.locator(".results table").inner_text()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the report").click()
    downloaded.value.save_as(tmp_path / "report.html")
    assert "bm25" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_job_is_cancelled_and_goes_on(page: Page, kept: Served, tmp_path: Path) -> None:
    rows_ = "".join(f'{{"id": "r{row}", "text": "Day {row}."}}\n' for row in range(4000))
    (tmp_path / "days.jsonl").write_text(rows_)
    page.goto(f"{kept.url}/#/documents")
    page.set_input_files("#files", [tmp_path / "days.jsonl"])
    assert "days.jsonl" in page.locator(".job").first.inner_text()
    page.locator(".job").get_by_role("button", name="Cancel").first.click()
    page.locator(".state[data-state=cancelled]").first.wait_for()
    page.locator(".job").get_by_role("button", name="Retry").first.click()
    page.locator(".state[data-state=running], .state[data-state=queued]").first.wait_for()
    page.locator(".job").get_by_role("button", name="Cancel").first.click()
    page.locator(".state[data-state=cancelled]").first.wait_for()


def test_settings_say_what_a_layer_would_cost(page: Page, kept: Served) -> None:
    page.goto(f"{kept.url}/#/settings")
    page.get_by_role("button", name="What would the others cost?").click()
    page.get_by_text("no language model").first.wait_for()
    told = page.locator("section.view:not([hidden])").inner_text()
    assert "tree" in told
    assert "polyhop index PATH... --layers" in told, "what makes it can be typed"


def test_settings_say_how_far_a_layer_has_grown(browser: Browser, tmp_path: Path) -> None:
    """No command makes the rest of it unless it is named, so that it is nothing to be done."""
    texts = {"lamp.txt": "Piet Rook made the lamp.", "rook.txt": "Piet Rook was born in Sarn."}
    with Polyhop(tmp_path / "polyhop.index") as engine:
        engine.index(write(tmp_path / "documents", texts), layers=("text", "parsekg"))
        engine.ask("Where was the maker of the lamp born?", strategy="stepchain")
    with serving(tmp_path / "polyhop.index") as served, opened(browser, served.url) as page:
        page.goto(f"{served.url}/#/settings")
        page.get_by_text("grown on demand, 2 of 2 passages so far").wait_for()
