"""Passages know under which headings they begin, in whatever format their document came."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loaders.html import HtmlLoader
from polyhop.documents.loaders.markdown import MarkdownLoader
from polyhop.documents.sections import Sections
from polyhop.settings import Chunking
from polyhop.types import Document

LONG = " ".join(f"Buoy {number} is lit by night." for number in range(60))
MARKDOWN = f"""# The harbour of Fennick

{LONG}

## Fares

{LONG}

### Children

{LONG}

## Piers

{LONG}
"""
HTML = f"""<title>The harbour of Fennick</title><h1>The Harbour of Fennick<a href="#top">¶</a></h1><p>{LONG}</p>
<h2>Fares <a class="headerlink" href="#fares">¶</a></h2><p>{LONG}</p>
<h3>Children</h3><p>{LONG}</p><h2>Piers</h2><p>{LONG}</p>"""


def told(document: Document, tokens: int = 64) -> list[tuple[str, ...]]:
    """The sections of its passages, each once, in order."""
    passages = cut(document, Chunking(tokens=tokens, overlap=0))
    return list(dict.fromkeys(passage.section for passage in passages))


def loaded(loader: HtmlLoader | MarkdownLoader, folder: Path, content: str) -> Document:
    path = folder / "harbour"
    path.write_text(content, encoding="utf-8")
    (document,) = loader.load(path, "harbour")
    return document


@pytest.mark.parametrize(("loader", "content"), [(MarkdownLoader(), MARKDOWN), (HtmlLoader(), HTML)])
def test_a_passage_knows_its_headings(loader: HtmlLoader | MarkdownLoader, content: str, tmp_path: Path) -> None:
    """The title is not repeated, and a heading ends what is under one as high."""
    assert told(loaded(loader, tmp_path, content)) == [(), ("Fares",), ("Fares", "Children"), ("Piers",)]


def test_a_passage_that_begins_with_a_heading_is_under_those_above_it(tmp_path: Path) -> None:
    document = loaded(MarkdownLoader(), tmp_path, MARKDOWN)
    at = document.text.index("### Children") + len("### ")
    assert Sections.of(document).at(at) == ("Fares",)
    assert Sections.of(document).at(at + len("Children") + 1) == ("Fares", "Children")


def test_signs_behind_headings_are_not_read(tmp_path: Path) -> None:
    assert "¶" not in loaded(HtmlLoader(), tmp_path, HTML).text


def test_headings_whose_depth_nobody_tells_stand_beside_each_other() -> None:
    text = "Fares\n\nA day costs four crowns.\n\nChildren\n\nThey pay half."
    places = tuple((text.index(name), text.index(name) + len(name)) for name in ("Fares", "Children"))
    document = Document(id="a", text=text, title="Harbour", headings=places)
    assert Sections.of(document).at(text.index("They")) == ("Children",)
    assert Sections.of(document).at(0) == ()


@given(st.lists(st.tuples(st.sampled_from(["Ada", "Boats", "Quay"]), st.integers(1, 6)), max_size=12), st.data())
def test_a_section_is_the_headings_still_open(headings: list[tuple[str, int]], data: st.DataObject) -> None:
    """As a naive walk back over all headings finds them, three at most."""
    text, places = "", []
    for name, _ in headings:
        places.append((len(text), len(text) + len(name)))
        text += f"{name}\nIt is wet.\n"
    levels = tuple(level for _, level in headings)
    document = Document(id="a", text=text + "End.", title="x", headings=tuple(places), levels=levels)
    number = data.draw(st.integers(-1, len(headings) - 1))
    open_ones: list[str] = []
    highest = 7
    for name, level in reversed(headings[: number + 1]):
        if level < highest:
            open_ones.insert(0, name)
            highest = level
    place = places[number][1] + 1 if number >= 0 else 0
    if number >= 0:
        assert Sections.of(document).at(place) == tuple(open_ones[-3:])
