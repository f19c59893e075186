"""OpenDocument presentations are read as those of PowerPoint are: slide by slide, each a page, with their notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.documents.loaders.odp import OdpLoader
from polyhop.documents.loaders.pptx import PptxLoader
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds import pptx
from tests.worlds.odf import p, row, style, table, write_odf


def load(file: Path) -> list[Document | Skipped]:
    return list(OdpLoader().load(file, file.as_posix()))


def only(file: Path) -> Document:
    (document,) = load(file)
    assert isinstance(document, Document)
    return document


def frame(*inner: str, place: str = "", more: str = "") -> str:
    """A frame with paragraphs and lists, in a place of the layout."""
    named = f'presentation:class="{place}"' if place else ""
    return f"<draw:frame {named} {more}><draw:text-box>{''.join(inner)}</draw:text-box></draw:frame>"


def items(*each: str) -> str:
    """A list; an item that begins with < is written as it is."""
    inner = "".join(f"<text:list-item>{one if one.startswith('<') else p(one)}</text:list-item>" for one in each)
    return f"<text:list>{inner}</text:list>"


def slide(*shapes: str, notes: str = "", look: str = "") -> str:
    """A slide with notes, in a style."""
    said = f"<presentation:notes><draw:page-thumbnail/>{notes}</presentation:notes>"
    return f'<draw:page draw:style-name="{look}">{"".join(shapes)}{said}</draw:page>'


TITLE = frame(p("The tide mill"), place="title")


@pytest.mark.parametrize("suffix", [".odp", ".fodp"])
def test_what_powerpoint_and_opendocument_say_alike_is_read_alike(tmp_path: Path, suffix: str) -> None:
    said, shape = pptx.said, pptx.shape
    (expected,) = PptxLoader().load(
        pptx.write_pptx(
            tmp_path / "a.pptx",
            shape(said("The tide mill"), place="title")
            + shape(said("rye"), said("oats", '<a:pPr lvl="1"/>'), place="body"),
            pptx.table(("Vessel", "Fee"), ("Cutter", "35")) + shape(said("A box"), said("of two")),
            notes={1: shape(said("Say who built it."), place="body")},
        ),
        "a",
    )
    headed = table(row("Vessel", "Fee"), row("Cutter", "35"), attributes='table:use-first-row-styles="true"')
    document = only(
        write_odf(
            tmp_path / f"a{suffix}",
            slide(
                frame(items("rye", items("oats")), place="outline"),
                TITLE,
                notes=frame(p("Say who built it."), place="notes"),
            )
            + slide(
                f"<draw:frame>{headed}</draw:frame>",
                f"<draw:custom-shape>{p('A box')}{p('of two')}</draw:custom-shape>",
            ),
        )
    )
    assert isinstance(expected, Document)
    assert document.text == expected.text
    assert (document.title, document.pages, document.headings) == (expected.title, expected.pages, expected.headings)


@pytest.mark.parametrize(
    ("own", "title"), [("Mills", "Mills"), ("PowerPoint-Präsentation", "The tide mill"), ("", "The tide mill")]
)
def test_the_title_is_the_files_own_unless_the_program_gave_it(tmp_path: Path, own: str, title: str) -> None:
    assert only(write_odf(tmp_path / "a.odp", slide(TITLE), title=own)).title == title


def test_what_every_slide_has_and_empty_places_are_left_out(tmp_path: Path) -> None:
    repeated = "".join(frame(p(place), place=place) for place in ("footer", "header", "date-time", "page-number"))
    empty = frame(p("Click to add text"), place="outline", more='presentation:placeholder="true"')
    footer = "<presentation:footer-decl>Confidential</presentation:footer-decl>"
    assert only(write_odf(tmp_path / "a.odp", footer + slide(TITLE, repeated, empty))).text == "The tide mill"


def test_items_have_marks_where_lists_are_and_paragraphs_have_none(tmp_path: Path) -> None:
    body = slide(
        frame(items("rye", "oats")), frame(items("Alone."), place="outline"), frame(p("A"), p("B"), place="outline")
    )
    assert only(write_odf(tmp_path / "a.odp", body)).text == "• rye\n• oats\n\nAlone.\n\nA\nB"


def test_a_hidden_slide_is_left_out_and_named(tmp_path: Path) -> None:
    look = style("dp", "drawing-page", 'presentation:visibility="hidden"', kind="drawing-page")
    body = slide(TITLE) + slide(frame(p("secret")), look="dp") + slide(frame(p("End.")))
    file = write_odf(tmp_path / "a.odp", body, automatic=look)
    document, skipped = load(file)
    assert isinstance(document, Document)
    assert document.text == "The tide mill\n\nEnd."
    assert document.text[document.pages[2] :] == "End."
    assert isinstance(skipped, Skipped)
    assert (skipped.uri, skipped.reason) == (f"{file.as_posix()}#2", "is a hidden slide; show it, and it is read")
