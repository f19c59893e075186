"""Where a quotation stands, in words that fit its kind of document: wherever it is shown."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from polyhop.engine import Polyhop
from polyhop.types import Span
from polyhop.whereabouts import Whereabouts
from tests.worlds.commands import Run
from tests.worlds.documents import write
from tests.worlds.odf import p, row, table, write_odf
from tests.worlds.pptx import said, shape, write_pptx
from tests.worlds.serving import serving
from tests.worlds.xlsx import rows, write_xlsx

PLACES = {
    "deck.pptx": ("Ada Brisk", "slide 2"),
    "fares.xlsx": ("Quillmouth to Sarn", "sheet “Winter”"),
    "harbour.odp": ("Otto Fell", "slide 2"),
    "tides.ods": ("Fenn bar", "sheet “Autumn”"),
    "mill.py": ("return 1742", "line 5"),
    "mill.txt": ("rye", ""),
    "ferry.md": ("4 kr", "under “Dogs”"),
    "quay.md": ("slack water", ""),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of decks, spreadsheets, source code, and texts with and without headings."""
    folder = tmp_path_factory.mktemp("places")
    texts = {
        "mill.py": "import os\n\n\ndef mill():\n    return 1742\n",
        "mill.txt": "It grinds rye.",
        "ferry.md": "# The ferry\n\nIt leaves at noon.\n\n## Fares\n\nBy weight.\n\n### Dogs\n\nA dog pays 4 kr.\n",
        "quay.md": "# The quay\n\nIt is dry at slack water.\n",
    }
    docs = write(folder / "docs", texts)
    title = shape(said("The lighthouse"), place="title")
    write_pptx(docs / "deck.pptx", title, shape(said("Ada Brisk built it."), place="body"))
    fares = {
        "Summer": rows(["Route", "Fare"], ["Quillmouth to Dole", 12], head=1),
        "Winter": rows(["Route", "Fare"], ["Quillmouth to Sarn", 10], head=1),
    }
    write_xlsx(docs / "fares.xlsx", fares)
    slides = ("The harbour", "Otto Fell keeps it.")
    write_odf(
        docs / "harbour.odp", "".join(f"<draw:page><draw:frame>{p(one)}</draw:frame></draw:page>" for one in slides)
    )
    tides = {"Spring": "Sarn bar", "Autumn": "Fenn bar"}
    write_odf(docs / "tides.ods", "".join(table(row(place), name=name) for name, place in tides.items()))
    with Polyhop(folder / "an.index") as engine:
        engine.index(docs, layers=["text"])
        return engine.path


def spans(index: Path) -> dict[str, Span]:
    """Where the words of each document stand."""
    found = {}
    with Polyhop(index) as engine, engine.view() as view:
        for row in view.record.documents():
            name = row.uri.rpartition("/")[2]
            start = view.record.document(row.id).text.index(PLACES[name][0])
            found[name] = Span(row.id, start, start + len(PLACES[name][0]))
    return found


def test_a_stretch_lies_on_a_page_a_slide_a_sheet_a_line_or_under_a_heading(index: Path) -> None:
    found = spans(index)
    with Polyhop(index) as engine, engine.view() as view:
        for name, (_, where) in PLACES.items():
            assert Whereabouts.of(found[name], view.record).where == where, name
            assert Whereabouts.of(Span(found[name].document_id, 0, 1), view.record).where != where or not where


def test_the_terminal_shows_it_of_hops_sources_and_passages(index: Path, run: Run) -> None:
    for question, where in (
        ("Who built the lighthouse?", "deck.pptx, slide 2 ["),
        ("What is the fare from Quillmouth to Sarn?", "fares.xlsx, sheet “Winter” ["),
    ):
        assert where in run("ask", question, "--strategy", "bm25", "--index", str(index)).out
    assert "mill.py, line " in run("search", "return 1742", "--strategy", "bm25", "--index", str(index)).out


def test_the_server_says_it_of_citations_and_of_any_place(index: Path) -> None:
    with serving(index) as served:
        body = {"question": "Who built the lighthouse?", "strategy": "bm25"}
        answer = served.client.post("/v1/ask", json=body).json()["answer"]
        assert [citation["where"] for citation in answer["citations"]][:1] == ["slide 2"]
        for name, span in spans(index).items():
            reply = told(served.client, span)
            assert reply["where"] == PLACES[name][1]


def told(client: httpx.Client, span: Span) -> dict[str, str]:
    """What the server tells of a stretch."""
    reply = client.get(f"/v1/documents/{span.document_id}", params={"start": 0, "at": span.start})
    body: dict[str, str] = reply.json()
    return body
