"""A user asks, reads each hop, looks at the sentence in its document, and asks on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.worlds.browser import ask, opened
from tests.worlds.documents import BRIDGE
from tests.worlds.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route


def test_a_citation_opens_its_document_at_the_sentence(page: Page) -> None:
    ask(page, BRIDGE)
    assert page.locator(".worded").inner_text().startswith("Pellingrove")
    assert page.locator(".hop").count() == 2
    quoted = page.locator(".hop .quotation").first
    sentence = quoted.locator(".quote").inner_text()
    quoted.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".source mark")
    assert page.locator(".source mark").inner_text() == sentence
    assert page.locator(".source h2").inner_text() == quoted.locator(".quote-from span").last.inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".source").is_hidden()
    assert page.evaluate("document.activeElement.classList.contains('quotation')")  # reading goes on where it was


def test_each_thing_that_is_asked_stands_above_its_answer(page: Page) -> None:
    ask(page, "How high is Harrowmere Lighthouse, and where was its architect born?")
    parts = page.locator(".worded.parts p")
    assert parts.count() == 2
    assert parts.first.inner_text().startswith("How high is Harrowmere Lighthouse?")
    assert "Pellingrove" in parts.last.inner_text()
    assert parts.last.get_by_role("button").count() > 0  # its own sources


def test_each_thing_that_is_asked_tells_how_sure_its_answer_is(page: Page) -> None:
    ask(page, "How high is Harrowmere Lighthouse, and what is the capital of Mars?")
    high, capital = page.locator(".worded.parts p").all()
    assert high.inner_text().endswith("% confidence")
    assert capital.inner_text().strip().endswith("Not found in these documents")
    assert page.locator(".result > .confidence").count() == 0, "there is none that holds for both"


def test_the_pages_of_a_pdf_are_leafed_through(page: Page) -> None:
    page.locator(".views a[data-view=documents]").click()
    page.get_by_role("button", name="Academy of Asperlow", exact=True).click()
    page.locator(".source-page img[alt='Page 1 of Academy of Asperlow']").wait_for()
    page.get_by_role("button", name="Next page").focus()
    page.keyboard.press("Enter")
    page.locator(".source-page img[alt='Page 2 of Academy of Asperlow']").wait_for()
    assert page.get_by_role("button", name="Next page").is_disabled()
    assert page.evaluate("document.activeElement.title") == "Previous page"  # it was the last: the focus goes back


def test_each_hop_is_announced_as_it_is_settled(page: Page) -> None:
    page.evaluate(
        """() => {
          window.heard = [];
          const place = document.getElementById("announcements");
          const hear = (one) => one.addedNodes.forEach((each) => window.heard.push(each.textContent));
          new MutationObserver((all) => all.forEach(hear)).observe(place, { childList: true });
        }"""
    )
    ask(page, BRIDGE)
    page.locator("#announcements", has_text="Answer: Pellingrove").wait_for(state="attached")
    heard = page.evaluate("window.heard")
    assert any(words.startswith("Hop 1: Who is the architect") for words in heard), heard
    assert page.locator("#announcements").get_attribute("aria-live") == "polite"


def test_a_follow_up_is_sent_with_what_was_said_before(page: Page) -> None:
    bodies: list[dict[str, object]] = []
    page.on("request", lambda sent: bodies.append(json.loads(sent.post_data or "{}")) if "/ask" in sent.url else None)
    ask(page, BRIDGE)
    ask(page, "When was she born?")
    assert "history" not in bodies[0]
    assert bodies[1]["history"] == [
        {"role": "user", "content": BRIDGE},
        {"role": "assistant", "content": "Pellingrove"},
    ]
    assert page.locator(".turn").count() == 2
    page.get_by_role("button", name="New thread").click()
    assert page.locator(".turn").count() == 0
    page.get_by_text("Earlier threads (1)").click()
    page.locator(".threads li button").first.click()
    assert page.locator(".turn").count() == 2


def test_a_question_is_asked_as_it_was_written_where_it_was_taken_for_a_follow_up(page: Page) -> None:
    bodies: list[dict[str, object]] = []
    page.on(
        "request", lambda sent: bodies.append(json.loads(sent.post_data or "{}")) if "/v1/ask" in sent.url else None
    )
    ask(page, BRIDGE)
    ask(page, "When was she born?")
    page.get_by_role("button", name="Ask as written").click()
    page.locator(".turn").nth(2).locator(".answer[aria-busy=false]").wait_for()
    assert (bodies[2]["question"], "history" in bodies[2]) == ("When was she born?", False)
    assert page.get_by_role("button", name="Ask as written").count() == 1, "nothing was read into it this time"


def test_what_is_not_found_brings_the_closest_quotations(page: Page) -> None:
    ask(page, "Which football club won the cup in 1987?")
    assert page.locator(".not-found").is_visible()
    assert page.get_by_text("What came closest").is_visible()
    assert page.locator(".hop").count() == 0, "no hop only asks the question again"
    numbers = page.locator(".rest .quotation .chip").all_inner_texts()
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    page.locator(".rest .quotation").first.click()
    page.wait_for_selector(".source mark")


def test_two_strategies_stand_side_by_side(page: Page) -> None:
    page.get_by_role("button", name="Compare").click()
    page.select_option("#strategy", "paths")
    page.select_option("#strategy-two", "bm25")
    page.fill("#question", BRIDGE)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".answer[aria-busy=false]").nth(1).wait_for()
    assert page.locator(".answers.side .answer-by").all_inner_texts() == ["paths", "bm25"]
    tops = page.locator(".answers.side .answer").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert tops[0] == tops[1]


def test_a_chosen_strategy_stays_chosen_in_other_views(page: Page) -> None:
    page.get_by_role("button", name="Compare").click()
    page.select_option("#strategy", "paths")
    page.select_option("#strategy-two", "bm25")
    page.locator(".views a[data-view=documents]").click()
    page.locator(".drop").wait_for()
    with page.expect_response("**/v1/strategies"):
        page.locator(".views a[data-view=ask]").click()
    page.wait_for_load_state("networkidle")
    assert [page.input_value("#strategy"), page.input_value("#strategy-two")] == ["paths", "bm25"]


def test_settings_count_a_thread_that_came_since_they_were_shown(page: Page) -> None:
    page.locator(".views a[data-view=settings]").click()
    page.get_by_text("0 threads with answers").wait_for()
    page.locator(".views a[data-view=ask]").click()
    ask(page, BRIDGE)
    page.locator(".views a[data-view=settings]").click()
    page.get_by_text("1 thread with answers").wait_for()
    assert page.get_by_role("button", name="Forget all threads").is_enabled()


def test_an_answer_can_be_stopped_and_asked_again(page: Page) -> None:
    page.route("**/v1/ask", lambda route: None)  # a server that never answers
    page.fill("#question", BRIDGE)
    page.press("#question", "Enter")
    page.get_by_role("button", name="Stop").click()
    assert page.locator(".result").inner_text() == "Stopped."
    assert page.input_value("#question") == BRIDGE, "to be changed, or asked again"
    page.unroute("**/v1/ask")
    ask(page, BRIDGE)
    assert page.locator(".worded").inner_text().startswith("Pellingrove")


def test_a_question_sent_while_another_is_answered_is_asked_after_it(page: Page) -> None:
    held: list[Route] = []
    page.route("**/v1/ask", lambda route: route.continue_() if held else held.append(route))  # the first is held
    page.fill("#question", BRIDGE)
    page.press("#question", "Enter")
    page.get_by_role("button", name="Stop").wait_for()
    page.fill("#question", "How high is Harrowmere Lighthouse?")
    page.press("#question", "Enter")
    page.get_by_text("This is asked as soon as the answer above is there").wait_for()
    assert page.locator(".turn").count() == 1
    held[0].continue_()
    page.locator(".turn .asked", has_text="How high").wait_for()
    page.locator(".turn:last-child .worded").wait_for()
    assert page.input_value("#question") == ""
    assert page.locator(".waits").inner_text() == ""


def test_a_question_that_waits_and_is_changed_waits_no_longer(page: Page) -> None:
    page.route("**/v1/ask", lambda route: None)  # a server that never answers
    page.fill("#question", BRIDGE)
    page.press("#question", "Enter")
    page.fill("#question", "How high is it")
    page.press("#question", "Enter")
    page.get_by_text("This is asked as soon as").wait_for()
    page.type("#question", "?")
    assert page.locator(".waits").inner_text() == ""
    page.get_by_role("button", name="Stop").click()
    assert page.locator(".turn").count() == 1
    assert page.input_value("#question") == "How high is it?"


def test_a_question_under_way_is_still_there_when_the_page_is_loaded_anew(page: Page) -> None:
    page.route("**/v1/ask", lambda route: None)  # a server that never answers
    page.fill("#question", BRIDGE)
    page.press("#question", "Enter")
    page.get_by_role("button", name="Stop").wait_for()
    page.reload()
    page.locator("#question").wait_for()
    assert page.input_value("#question") == BRIDGE
    page.unroute("**/v1/ask")
    page.press("#question", "Enter")
    page.locator(".worded", has_text="Pellingrove").wait_for()
    page.reload()
    page.locator(".worded", has_text="Pellingrove").wait_for()
    assert page.input_value("#question") == "", "it was answered"


def test_a_connection_that_breaks_off_says_what_to_do_and_keeps_the_question(page: Page) -> None:
    page.evaluate("""() => {
        const broken = () => new ReadableStream({ start: (body) => body.error(new TypeError("network error")) });
        window.fetch = async () => new Response(broken());
    }""")
    page.fill("#question", BRIDGE)
    page.press("#question", "Enter")
    page.locator(".result").get_by_text("The connection to the server broke off.").wait_for()
    assert "See whether it is still running, and ask again." in page.locator(".result").inner_text()
    assert page.input_value("#question") == BRIDGE


def test_the_answer_to_a_further_question_is_not_below_the_composer(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, width=390, height=844) as page:
        for question in (BRIDGE, "Who designed Brisk Bridge?"):
            ask(page, question)
        answer, composer = page.locator(".turn:last-child .answer").bounding_box(), page.locator(".dock").bounding_box()
        assert answer is not None
        assert composer is not None
        assert answer["y"] + 120 < composer["y"], "its words can be read"


def test_a_thread_goes_on_when_the_page_is_loaded_anew(page: Page) -> None:
    bodies: list[dict[str, object]] = []
    page.on(
        "request", lambda sent: bodies.append(json.loads(sent.post_data or "{}")) if "/v1/ask" in sent.url else None
    )
    ask(page, BRIDGE)
    page.reload()
    page.locator(".turn .worded", has_text="Pellingrove").wait_for()
    ask(page, "When was she born?")
    assert bodies[1]["history"], "it follows what was asked before"
    page.get_by_role("button", name="New thread").click()
    page.reload()
    page.get_by_text("Earlier threads (1)").wait_for()
    assert page.locator(".turn").count() == 0


def test_two_tabs_may_add_to_one_thread(page: Page) -> None:
    turns = """async () => {
        const m = await import("/page/parts/threads.js");
        const thread = { id: "t", workspace: "", turns: [] };
        m.keep(thread, { question: "Who?", answers: [] });
        m.keep(thread, { question: "Where?", answers: [] });
        return m.threads("")[0].turns.map((turn) => turn.question);
    }"""
    assert page.evaluate(turns) == ["Who?", "Where?"]


def test_a_link_brings_a_question_that_is_asked_when_its_reader_wants(page: Page) -> None:
    ask(page, BRIDGE)
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="New thread").click()
    page.goto(link)
    page.wait_for_function("document.getElementById('question').value")
    assert page.input_value("#question") == BRIDGE
    assert page.locator(".turn").count() == 0
    page.press("#question", "Enter")
    page.locator(".worded", has_text="Pellingrove").wait_for()


def test_a_long_question_leaves_room_for_its_answer(page: Page) -> None:
    ask(page, "Where was the architect of Harrowmere Lighthouse born? " * 60)
    place = page.locator(".result").bounding_box()
    assert place is not None
    assert place["y"] < 400


def test_an_answer_is_copied_with_its_citations(page: Page) -> None:
    ask(page, BRIDGE)
    page.get_by_role("button", name="Copy as Markdown").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"### {BRIDGE}\n\n**Pellingrove**[^1]")
    assert "1. Who is the architect of Harrowmere Lighthouse? **Edda Marrish**" in copied
    assert "[^1]: Harrowmere Lighthouse, characters 180 to 319:" in copied


def test_the_trace_tells_every_decision(page: Page) -> None:
    ask(page, BRIDGE)
    page.get_by_role("button", name="Trace").click()
    assert "Decisions" in page.locator(".trace").inner_text()
    assert "bge-small" in page.locator(".trace").inner_text()


def test_the_facts_of_an_answer_are_drawn_and_tabulated(browser: Browser, served: Served) -> None:
    with opened(browser, served.url) as page:
        page.select_option("#strategy", "stepchain")
        ask(page, BRIDGE)
        page.locator(".actions").get_by_role("button", name="Graph").click()
        page.locator(".node").first.focus()
        assert page.locator(".near-facts strong").inner_text()
        before = page.evaluate("document.activeElement.getAttribute('aria-label')")
        for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.classList.contains('node')"), before
        assert page.locator(".edge.walked").count() > 0
        drawn = page.locator(".fact-table tbody tr.walked").first.inner_text()
        assert "Harrowmere Lighthouse" in drawn
        page.locator(".fact-table tbody tr.walked button").first.click()
        page.wait_for_selector(".source mark")


def test_a_narrow_screen_parts_no_word_of_a_button(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, width=360, height=740) as page:
        page.evaluate("for (const one of ['stop', 'send']) document.querySelector(`.${one}`).hidden = one === 'send'")
        stop = page.locator(".stop").bounding_box()
        compare = page.get_by_role("button", name="Compare").bounding_box()
        assert stop is not None
        assert compare is not None
        assert stop["height"] <= compare["height"] + 2


def test_a_narrow_screen_shows_all_of_it(browser: Browser, served: Served) -> None:
    with opened(browser, served.url, width=390, height=844) as page:
        ask(page, BRIDGE)
        for view in ("ask", "documents", "graph", "measure", "settings"):
            page.goto(f"{served.url}/#/{view}")
            page.locator("section.view:not([hidden]) h1").wait_for(state="attached")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
