"""Presentations are read slide by slide, each a page, with their notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.documents.loaders.pptx import PptxLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.pptx import DRAWING, KINDS, said, shape, table, write_pptx

TITLE = shape(said("The tide mill"), place="ctrTitle")


def load(file: Path) -> list[Document | Skipped]:
    return list(PptxLoader().load(file, file.as_posix()))


def only(file: Path) -> Document:
    (document,) = load(file)
    assert isinstance(document, Document)
    return document


def test_slides_are_pages_in_the_order_in_which_they_are_shown(tmp_path: Path) -> None:
    second = shape(said("It stands on the Orla."), place="subTitle") + shape(said("Where"), place="title")
    document = only(write_pptx(tmp_path / "a.pptx", second, TITLE, order=[2, 1]))
    assert document.text == "The tide mill\n\nWhere\n\nIt stands on the Orla."
    assert document.title == "The tide mill"
    assert [document.text[at:][:5] for at in document.pages] == ["The t", "Where"]
    assert [document.text[start:end] for start, end in document.headings] == ["The tide mill", "Where"]


@pytest.mark.parametrize(
    ("own", "title"),
    [("Mills of the Orla", "Mills of the Orla"), ("PowerPoint-Präsentation", "The tide mill"), ("", "The tide mill")],
)
def test_the_title_is_the_files_own_unless_the_program_gave_it(tmp_path: Path, own: str, title: str) -> None:
    assert only(write_pptx(tmp_path / "a.pptx", TITLE, title=own)).title == title


def test_a_file_without_any_title_is_named_after_itself(tmp_path: Path) -> None:
    assert only(write_pptx(tmp_path / "tide_mill.pptx", shape(said("Rye.")))).title == "tide mill"


def test_items_have_marks_and_paragraphs_have_none(tmp_path: Path) -> None:
    items = shape(
        said("rye"), said("oats", '<a:pPr lvl="1"/>'), said("more", "<a:pPr><a:buNone/></a:pPr>"), place="body"
    )
    marked = shape(said("One.", "<a:pPr><a:buChar/></a:pPr>"))
    plain = shape(said("A line."), "<a:p><a:r><a:t>Two</a:t></a:r><a:br/><a:r><a:t>lines</a:t></a:r></a:p>")
    document = only(write_pptx(tmp_path / "a.pptx", items + marked + plain + shape(said("Alone."), place="body")))
    assert document.text == "• rye\n  • oats\nmore\n\n• One.\n\nA line.\nTwo\nlines\n\nAlone."


@pytest.mark.parametrize(
    ("baseline", "text"), [("30000", "10^6 gulls"), ("30%", "10^6 gulls"), ("0", "106 gulls"), ("-25000", "106 gulls")]
)
def test_powers_are_no_further_digits(tmp_path: Path, baseline: str, text: str) -> None:
    runs = f'<a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="{baseline}"/><a:t>6</a:t></a:r><a:r><a:t> gulls</a:t></a:r>'
    assert only(write_pptx(tmp_path / "a.pptx", shape(f"<a:p>{runs}</a:p>"))).text == text


def test_rows_of_tables_have_the_names_of_their_columns(tmp_path: Path) -> None:
    spanned = f'<a:tc gridSpan="2"><a:txBody>{said("free")}</a:txBody></a:tc>'
    rows = table(
        ("Vessel", "Fee", "Town"),
        (f'<a:tc rowSpan="2"><a:txBody>{said("Cutter")}</a:txBody></a:tc>', "35", "Fennick"),
        (f'<a:tc vMerge="1"><a:txBody>{said("x")}</a:txBody></a:tc>', spanned, '<a:tc hMerge="1"/>'),
    )
    assert only(write_pptx(tmp_path / "a.pptx", rows)).text == (
        "Vessel: Cutter; Fee: 35; Town: Fennick\nVessel: Cutter; Fee: free; Town: free"
    )
    assert only(write_pptx(tmp_path / "b.pptx", table(("Owner", "Voss"), ("Built", "1742"), head=False))).text == (
        "Owner: Voss\nBuilt: 1742"
    )


def test_notes_stand_below_their_slide(tmp_path: Path) -> None:
    notes = shape(said("3"), place="sldNum") + shape(said("Say who built it."), place="body")
    document = only(write_pptx(tmp_path / "a.pptx", TITLE, shape(said("End.")), notes={1: notes}))
    assert document.text == "The tide mill\n\nNotes: Say who built it.\n\nEnd."


def test_what_every_slide_has_is_left_out(tmp_path: Path) -> None:
    number = '<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld><a:fld type="x"><a:t>kept</a:t></a:fld></a:p>'
    choice = f"<mc:AlternateContent xmlns:mc='mc'><mc:Choice>{shape(said('once'))}</mc:Choice>"
    twice = f"{choice}<mc:Fallback>{shape(said('once'))}</mc:Fallback></mc:AlternateContent>"
    slide = shape(said("Confidential"), place="ftr") + shape(said("2031"), place="dt") + shape(number) + twice
    assert only(write_pptx(tmp_path / "a.pptx", slide)).text == "kept\n\nonce"


def test_a_diagram_has_its_text_in_another_part(tmp_path: Path) -> None:
    frame = '<p:graphicFrame><dgm:relIds xmlns:dgm="dgm" r:dm="r9"/></p:graphicFrame>'
    relation = f'<Relationship Id="r9" Type="{KINDS}/diagramData" Target="../diagrams/d.xml"/>'
    points = "".join(f"<dgm:pt><dgm:t>{said(text)}</dgm:t></dgm:pt>" for text in ("Grind", "Bake"))
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": f"<Relationships>{relation}</Relationships>",
        "ppt/diagrams/d.xml": f'<dgm:dataModel xmlns:dgm="dgm" xmlns:a="{DRAWING}">{points}</dgm:dataModel>',
    }
    assert only(write_pptx(tmp_path / "a.pptx", TITLE + frame, parts=parts)).text == "The tide mill\n\nGrind\nBake"


def test_a_hidden_slide_is_left_out_and_named(tmp_path: Path) -> None:
    file = write_pptx(tmp_path / "a.pptx", TITLE, shape(said("secret")), shape(said("End.")), hidden=2)
    document, skipped = load(file)
    assert isinstance(document, Document)
    assert document.text == "The tide mill\n\nEnd."
    assert document.text[document.pages[2] :] == "End."
    assert isinstance(skipped, Skipped)
    assert (skipped.uri, skipped.reason) == (f"{file.as_posix()}#2", "is a hidden slide; show it, and it is read")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is encrypted, or an old .ppt file"),
        (b"PK\x03\x04 broken", "is damaged, or not a presentation"),
    ],
)
def test_a_file_that_is_no_presentation_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.pptx").write_bytes(content)
    with pytest.raises(DocumentError, match=reason):
        load(tmp_path / "a.pptx")


def test_formulas_are_read_as_people_type_them(tmp_path: Path) -> None:
    space = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    parts = "".join(f"<m:{name}><m:r><a:rPr/><m:t>{n}</m:t></m:r></m:{name}>" for name, n in (("num", 1), ("den", 2)))
    formula = f"<m:oMathPara {space}><m:oMath><m:f>{parts}</m:f></m:oMath></m:oMathPara>"
    slide = shape(f"<a:p><a:r><a:t>At </a:t></a:r>{formula}<a:r><a:t> of it.</a:t></a:r></a:p>")
    assert only(write_pptx(tmp_path / "a.pptx", slide)).text == "At 1/2 of it."
