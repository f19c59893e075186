"""What the page's modules promise, tried in the browser that runs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.worlds.browser import opened
from tests.worlds.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """The page of the world, one for all: what is called here is handed all it looks at, and leaves nothing behind."""
    with opened(browser, served.url) as page:
        yield page


def call(page: Page, module: str, expression: str, value: Any = None) -> Any:
    """What an expression with the module ``m`` and the value ``v`` comes to."""
    return page.evaluate(
        f"async ([name, v]) => {{ const m = await import(`/page/parts/${{name}}.js`); return ({expression}); }}",
        [module, value],
    )


def test_texts_are_cut_where_python_cuts_them(page: Page) -> None:
    """Offsets count characters; JavaScript counts those beyond the first plane twice."""
    text = "a𐤀b👩🏽‍🚀ç é"
    for start in range(len(text)):
        for end in range(start, len(text) + 1):
            assert call(page, "text", "m.cut(v[0], v[1], v[2])", [text, start, end]) == text[start:end]
    assert call(page, "text", "m.lengthOf(v)", text) == len(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_read_however_they_are_cut_into_pieces(page: Page, end: str) -> None:
    stream = f'event: hop{end}data: {{"found": "Ä"}}{end}{end}: ping{end}{end}data: {{"b":{end}data: 2}}{end}{end}'
    read = """(async () => {
        const bytes = new TextEncoder().encode(v[0]);
        const body = new ReadableStream({
          start(to) {
            for (let at = 0; at < bytes.length; at += v[1]) to.enqueue(bytes.slice(at, at + v[1]));
            to.close();
          },
        });
        const found = [];
        for await (const event of m.eventsOf(body)) found.push(event);
        return found;
      })()"""
    for size in (1, 2, 3, 7, 1000):
        events = call(page, "stream", f"await {read}", [stream, size])
        assert events == [{"name": "hop", "data": {"found": "Ä"}}, {"name": "message", "data": {"b": 2}}]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ('{"question": "Who?", "answer": "Ada"}\n\n{"question": "Where?"}', [("Who?", "Ada"), ("Where?", None)]),
        ('[{"question": "Who?", "answers": ["Ada", "A."]}]', [("Who?", "Ada")]),
        ('question,answer\n"Who, if ""anybody""?",Ada\nWhere?,\n', [('Who, if "anybody"?', "Ada"), ("Where?", None)]),
        ("answer;question\r\nAda;Who?\r\n", [("Who?", "Ada")]),
        ("Who?\n\nWhere, then?\n", [("Who?", None), ("Where, then?", None)]),
        ("\ufeff  ", []),
    ],
)
def test_questions_are_read_as_people_have_them(page: Page, text: str, questions: list[tuple[str, str | None]]) -> None:
    found = call(page, "questions_file", "m.questionsOf(v)", text)
    assert [(one["question"], one.get("answer")) for one in found] == questions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"question": "a"}\n{no', "line 2"),
        ('\n\n{"question": "a"}\n\n{no', "line 5"),
        ('{"question": "a"}\n{"a": 1}', "Row 2 "),
        ('[{"a": 1}]', "Row 1 "),
        ("question,answer\nWho?,Ada\n\n,Piet", "Row 4 "),
        ("\nquestion,answer\n,Piet", "Row 3 "),
        ("[", "JSON"),
    ],
)
def test_what_is_wrong_with_questions_is_said(page: Page, text: str, said: str) -> None:
    message = call(
        page, "questions_file", "(() => { try { m.questionsOf(v); } catch (e) { return e.message; } })()", text
    )
    assert said in message


def test_entities_are_placed_within_the_box_and_apart(page: Page) -> None:
    """The same graph gives the same picture."""
    boxes = [{"width": 60 + 13 * (at % 7), "height": 28} for at in range(24)]
    links = [[0, at] for at in range(1, 12)] + [[at, at + 12] for at in range(12)]
    room = {"width": 900, "height": 540}
    places = call(page, "layout", "m.placed(v[0], v[1], v[2])", [boxes, links, room])
    assert places == call(page, "layout", "m.placed(v[0], v[1], v[2])", [boxes, links, room])
    for at, (place, box) in enumerate(zip(places, boxes, strict=True)):
        assert box["width"] / 2 <= place["x"] <= room["width"] - box["width"] / 2
        assert box["height"] / 2 <= place["y"] <= room["height"] - box["height"] / 2
        for other, beside in zip(places[:at], boxes[:at], strict=True):
            across = abs(place["x"] - other["x"]) >= (box["width"] + beside["width"]) / 2
            assert across or abs(place["y"] - other["y"]) >= box["height"]


def test_no_name_lies_on_a_link_that_was_walked(page: Page) -> None:
    boxes = [{"width": 90, "height": 28}] * 12
    links = [[0, 1, 260], *[[0, at, 0] for at in range(2, 12)]]
    places = call(page, "layout", "m.placed(v[0], v[1], v[2])", [boxes, links, {"width": 900, "height": 540}])
    first, last = places[0], places[1]
    for step in range(101):
        x = first["x"] + (last["x"] - first["x"]) * step / 100
        y = first["y"] + (last["y"] - first["y"]) * step / 100
        assert not any(abs(one["x"] - x) < 45 and abs(one["y"] - y) < 14 for one in places[2:])


def test_a_hop_is_a_step_where_it_says_more_than_the_citations(page: Page) -> None:
    span = {"document_id": "d", "start": 0, "end": 40}
    asks = {"question": "Who?", "status": "resolved", "sentences": [span]}
    cited, item = {"span": span}, {"span": {**span, "start": 9, "end": 12}}
    steps = "m.stepsOf([v[0]], 'Who?', v[1]).length"
    assert call(page, "hop", steps, [asks, [cited]]) == 0, "its sentence is quoted anyway"
    assert call(page, "hop", steps, [asks, [item]]) == 1, "it has the sentence around an item of a list"
    assert call(page, "hop", steps, [{**asks, "found": "Ada"}, [cited]]) == 1
    assert call(page, "hop", steps, [{**asks, "status": "unresolved"}, [item]]) == 0


def test_markdown_shows_words_of_others_as_they_are(page: Page) -> None:
    span = {"document_id": "d", "start": 0, "end": 9}
    answer = {
        "question": "Who is *she*?",
        "text": "<b>[Ada](x)</b>",
        "confidence": 0.5,
        "citations": [{"span": span, "quote": "a `b`\n# c", "title": "_T_", "uri": "t.txt", "where": "page 3"}],
        "evidence": {"hops": [], "strategy": "auto"},
    }
    written = call(page, "markdown", "m.asMarkdown(v)", answer)
    assert r"**\<b\>\[Ada\](x)\</b\>**[^1]" in written
    assert r"[^1]: \_T\_, page 3: “a \`b\` \# c” (t.txt)" in written


def test_files_are_sent_in_portions_that_a_request_can_carry(page: Page) -> None:
    sizes = [1, 47e6, 2e6, 90e6, 1, *[10] * 150]
    portions = call(
        page,
        "dropped",
        "m.portions(v.map((size) => ({ file: { size } }))).map((p) => p.map((f) => f.file.size))",
        sizes,
    )
    assert [one for portion in portions for one in portion] == sizes
    assert all(len(portion) <= 100 and (len(portion) == 1 or sum(portion) <= 48e6) for portion in portions)


def test_what_descriptions_mark_is_shown_as_code(page: Page) -> None:
    text = "With ``alpha`` 0.8 this is <Doc2Query>."
    shown = "((one) => (one.append(...m.withCode(v)), one.innerHTML))(document.createElement('p'))"
    marked = call(page, "code_spans", shown, text)
    assert marked == "With <code>alpha</code> 0.8 this is &lt;Doc2Query&gt;."
    assert call(page, "code_spans", "m.plain(v)", text) == "With alpha 0.8 this is <Doc2Query>."


def test_no_view_shows_the_marks_of_descriptions(page: Page) -> None:
    for view in ("ask", "measure", "settings"):
        page.locator(f".views a[data-view={view}]").click()
        place = page.locator("section.view:not([hidden])")
        place.get_by_text("d2q").first.wait_for(state="attached")
        assert "``" not in place.evaluate("one => one.innerHTML")
