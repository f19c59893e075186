"""Word documents are read as people see them: tables with gaps, changes that were tracked, formulas."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from polyhop.documents.loaders.docx import DocxLoader
from polyhop.errors import DocumentError
from tests.worlds.docx import paragraph, write_docx
from tests.worlds.loaded import load, only

MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def row(*cells: str, properties: str = "") -> str:
    """A row of a table."""
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in cells)}</w:tr>"


def test_docx_rows_that_begin_or_end_within_the_table_keep_their_columns(tmp_path: Path) -> None:
    rows = (
        row("Name", "Built", "Town", "Grain"),
        row("1742", "Fenn", properties="<w:gridBefore w:val='1'/><w:gridAfter w:val='1'/>"),
        row("Orla", "rye", properties="<w:gridBefore w:val='2'/>"),
        row("Ferry", "1900", properties="<w:gridAfter w:val='2'/>"),
    )
    file = write_docx(tmp_path / "mill.docx", f"<w:tbl>{''.join(rows)}</w:tbl>")
    assert only(DocxLoader(), file).text == "Built: 1742; Town: Fenn\nTown: Orla; Grain: rye\nName: Ferry; Built: 1900"


def test_docx_properties_from_before_a_tracked_change_do_not_count(tmp_path: Path) -> None:
    """What was a heading, an item, raised or a wide cell, and is none any more."""
    was = "<w:pPr><w:pStyle w:val='H'/><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr>"
    run = "<w:rPr><w:rPrChange><w:rPr><w:vertAlign w:val='superscript'/></w:rPr></w:rPrChange></w:rPr>"
    runs = f"<w:r><w:t>In 1</w:t></w:r><w:r>{run}<w:t>7</w:t></w:r>"
    body = f"<w:p><w:pPr><w:pPrChange>{was}</w:pPrChange></w:pPr>{runs}</w:p>"
    wide = "<w:tcPr><w:tcPrChange><w:tcPr><w:gridSpan w:val='2'/></w:tcPr></w:tcPrChange></w:tcPr>"
    second = row("Orla mill", "1742", "Fenn").replace("<w:tc>", f"<w:tc>{wide}", 1)
    head = row("Name", "Built", "Town")
    file = write_docx(
        tmp_path / "mill.docx",
        f"{body}<w:tbl>{head}{second}</w:tbl>",
        styles='<w:style w:styleId="H"><w:name w:val="heading 1"/></w:style>',
    )
    document = only(DocxLoader(), file)
    assert document.text == "In 17\n\nName: Orla mill; Built: 1742; Town: Fenn"
    assert (document.title, document.headings) == ("mill", ())


def m(name: str, *inner: str, properties: str = "") -> str:
    """An element of a formula; what is no element in it is a run."""
    parts = (each if each.startswith("<") else f"<m:r><m:t>{each}</m:t></m:r>" for each in inner)
    return f"<m:{name}>{properties}{''.join(parts)}</m:{name}>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (m("sSup", m("e", "10"), m("sup", "6")), "10^6"),
        (m("sSup", m("e", "a"), m("sup", "n+1")), "a^(n+1)"),
        (m("sSubSup", m("e", "x"), m("sub", "1"), m("sup", "2")), "x1^2"),
        (m("f", m("num", "1"), m("den", "2")), "1/2"),
        (m("f", m("num", "mass"), m("den", "2c")), "mass/(2c)"),
        ("x=" + m("f", m("num", "a+b"), m("den", "2.5")), "x=(a+b)/2.5"),
        (m("f", m("num", m("d", m("e", "a+b"))), m("den", "2")), "(a+b)/2"),
        (m("rad", m("deg"), m("e", "2")), "√2"),
        (m("rad", m("deg", "3"), m("e", "x+1")), "3√(x+1)"),
        ("f" + m("d", m("e", "x"), m("e", "y"), properties="<m:dPr><m:begChr m:val='['/></m:dPr>"), "f[x|y)"),
        (
            m(
                "nary",
                m("sub", "i=1"),
                m("sup", "n"),
                m("e", "i"),
                properties="<m:naryPr><m:chr m:val='∑'/></m:naryPr>",
            ),
            "∑_(i=1)^n i",
        ),
        (m("func", m("fName", "sin"), m("e", "x")), "sin x"),
        (m("m", m("mr", m("e", "1"), m("e", "2")), m("mr", m("e", "3"), m("e", "4"))), "1, 2; 3, 4"),
        ("5" + m("del", "6"), "5"),
        (m("e", "a") * 3 + "<m:e>" * 60 + m("e", "b") + "</m:e>" * 60, "aaab"),
    ],
)
def test_docx_formulas_are_read_as_people_type_them(tmp_path: Path, formula: str, text: str) -> None:
    written = m("oMath", *filter(None, re.split("(?=<)", formula, maxsplit=1))).replace(
        "<m:oMath>", f"<m:oMath {MATH}>"
    )
    assert only(DocxLoader(), write_docx(tmp_path / "a.docx", paragraph("So ", extra=written))).text == f"So {text}"


def test_docx_styles_are_what_they_are_based_on(tmp_path: Path) -> None:
    """Templates of offices have their own for headings and items."""
    style = '<w:style w:styleId="{0}"><w:name w:val="{1}"/><w:basedOn w:val="{2}"/><w:pPr>{3}</w:pPr></w:style>'
    item = "<w:numPr><w:numId w:val='4'/></w:numPr>"
    styles = (
        style.format("H1", "heading 1", "Normal", item)
        + style.format("Haus", "Kapitel Haus", "H1", "")
        + style.format("Inhalt", "TOC Heading", "H1", "")
        + style.format("Punkt", "Aufzählung", "Normal", item)
        + style.format("PunktEng", "Aufzählung eng", "Punkt", "")
        + style.format("Kreis", "A circle", "Kreis", "")
    )
    body = ("Inhalt", "Haus", "Punkt", "PunktEng", "Kreis")
    file = write_docx(tmp_path / "a.docx", "".join(paragraph(f"In {name}", name) for name in body), styles=styles)
    document = only(DocxLoader(), file)
    assert document.text == "In Inhalt\n\nIn Haus\n\n- In Punkt\n- In PunktEng\n\nIn Kreis"
    assert document.title == "In Haus"
    assert [document.text[start:end] for start, end in document.headings] == ["In Haus"]


def test_docx_leaves_out_how_words_are_pronounced_and_text_that_is_hidden(tmp_path: Path) -> None:
    run = "<w:r>{}<w:t>{}</w:t></w:r>"
    above, below = run.format("", "とうきょう"), run.format("", "東京")
    ruby = f"<w:r><w:ruby><w:rt>{above}</w:rt><w:rubyBase>{below}</w:rubyBase></w:ruby></w:r>"
    hidden = run.format("<w:rPr><w:vanish/></w:rPr>", "(intern)")
    shown = run.format("<w:rPr><w:vanish w:val='0'/></w:rPr>", "。")
    file = write_docx(tmp_path / "a.docx", paragraph("今日は", extra=ruby + hidden + shown))
    assert only(DocxLoader(), file).text == "今日は東京。"


def test_docx_leaves_out_what_is_struck_out_also_without_tracked_changes(tmp_path: Path) -> None:
    """As ``~~`` in Markdown and ``<s>`` on a web page."""
    run = "<w:r><w:rPr>{}</w:rPr><w:t xml:space='preserve'>{}</w:t></w:r>"
    struck = run.format("<w:strike/>", " six") + run.format("<w:vanish w:val='0'/><w:dstrike/>", " old")
    kept = run.format("<w:strike w:val='0'/>", " five gates") + run.format(
        "<w:rPrChange><w:strike/></w:rPrChange>", "."
    )
    file = write_docx(tmp_path / "a.docx", paragraph("It has", extra=struck + kept))
    assert only(DocxLoader(), file).text == "It has five gates."


def test_docx_a_subtitle_is_no_heading_whatever_its_style_is_based_on(tmp_path: Path) -> None:
    style = '<w:style w:styleId="{0}"><w:name w:val="{1}"/><w:basedOn w:val="{2}"/></w:style>'
    styles = style.format("T", "Title", "") + style.format("S", "Subtitle", "T")
    file = write_docx(tmp_path / "a.docx", paragraph("Of the Orla", "S") + paragraph("Mills", "T"), styles=styles)
    document = only(DocxLoader(), file)
    assert document.title == "Mills"
    assert [document.text[start:end] for start, end in document.headings] == ["Mills"]


def box(*paragraphs: str) -> str:
    """A run with a text box, which is said twice."""
    said = "".join(paragraphs)
    return f"<w:r><w:Choice>{said}</w:Choice><w:Fallback>{said}</w:Fallback></w:r>"


def test_docx_a_paragraph_keeps_its_own_style_beside_a_text_box(tmp_path: Path) -> None:
    styles = "".join(f'<w:style w:styleId="H{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2))
    fares = paragraph("Fares", "H1").replace("<w:r>", f"{box(paragraph('Boxed note'))}<w:r>", 1)
    body = paragraph("A cart pays two.", extra=box(paragraph("Tolls", "H2"), paragraph("By day.")))
    item = "<w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr><w:r><w:t>Rye</w:t></w:r>"
    listed = f"<w:p>{item}{box(paragraph('Of Fenn.'))}</w:p>"
    file = write_docx(tmp_path / "mill.docx", fares + body + paragraph("Wait.") + listed, styles=styles)
    document = only(DocxLoader(), file)
    assert document.text == "Boxed note\n\nFares\n\nA cart pays two.\n\nTolls\n\nBy day.\n\nWait.\n\n- Rye\n\nOf Fenn."
    assert [document.text[start:end] for start, end in document.headings] == ["Fares", "Tolls"]
    assert document.title == "Fares"


def test_docx_keeps_paragraphs_tables_and_notes(tmp_path: Path) -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    table = row.format(paragraph("Name"), paragraph("Built")) + row.format(paragraph("Orla mill"), paragraph("1742"))
    edits = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:br/><w:t>new</w:t></w:r></w:ins>"
    note = '<w:footnote w:type="separator"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>'
    file = write_docx(
        tmp_path / "mill.docx",
        paragraph("The mill & its keeper", "Titel") + paragraph("Lena Voss.", extra=edits) + f"<w:tbl>{table}</w:tbl>",
        styles='<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>',
        footnotes=f"{note}<w:footnote>{paragraph('See the ledger.')}</w:footnote>",
        endnotes=f"<w:endnote w:type='normal'>{paragraph('It burned.')}</w:endnote>",
    )
    document = only(DocxLoader(), file)
    assert document.title == "The mill & its keeper"
    assert document.text == (
        "The mill & its keeper\n\nLena Voss.\nnew\n\nName: Built\nOrla mill: 1742\n\nSee the ledger.\n\nIt burned."
    )


@pytest.mark.parametrize(
    ("font", "code", "character"),
    [
        ("Symbol", "F06D", "μ"),
        ("Symbol", "F0B1", "±"),
        ("Symbol", "F02B", "+"),
        ("Symbol", "F0FF", ""),
        ("Times New Roman", "2264", "≤"),
        ("Wingdings", "F0FC", ""),
        ("Times New Roman", "-1", ""),
    ],
)
def test_docx_symbols_are_the_characters_that_they_show(tmp_path: Path, font: str, code: str, character: str) -> None:
    symbol = f'<w:r><w:sym w:font="{font}" w:char="{code}"/><w:t>m</w:t></w:r>'
    assert only(DocxLoader(), write_docx(tmp_path / "a.docx", paragraph("5 ", extra=symbol))).text == f"5 {character}m"


@pytest.mark.parametrize(
    ("before", "position", "raised", "text"),
    [
        ("10", "superscript", "6", "10^6 gulls"),
        ("10", "superscript", "-3", "10^-3 gulls"),
        ("10", "subscript", "6", "106 gulls"),
        ("10", "baseline", "6", "106 gulls"),
        ("m", "superscript", "2", "m2 gulls"),
        ("2", "superscript", "nd", "2nd gulls"),
        ("10", "superscript", "", "10 gulls"),
    ],
)
def test_docx_powers_are_no_further_digits(tmp_path: Path, before: str, position: str, raised: str, text: str) -> None:
    run = f'<w:r><w:rPr><w:vertAlign w:val="{position}"/></w:rPr><w:t>{raised}</w:t></w:r>'
    behind = '<w:r><w:t xml:space="preserve"> gulls</w:t></w:r>'
    assert only(DocxLoader(), write_docx(tmp_path / "a.docx", paragraph(before, extra=run + behind))).text == text


def test_docx_items_have_a_dash_and_are_lines(tmp_path: Path) -> None:
    row = "<w:p><w:pPr>{}<w:numPr><w:numId w:val='{}'/></w:numPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>"
    rows = row.format("", 3, "oats") + row.format("", 0, "No more.") + row.format("<w:pStyle w:val='H'/>", 1, "2 Fees")
    style = '<w:style w:styleId="{}"><w:name w:val="{}"/></w:style>'
    styles = style.format("Liste", "List Bullet") + style.format("H", "heading 1")
    body = paragraph("Bring:") + paragraph("rye", "Liste") + rows
    file = write_docx(tmp_path / "mill.docx", body, styles=styles)
    assert only(DocxLoader(), file).text == "Bring:\n\n- rye\n- oats\n\nNo more.\n\n2 Fees"


def test_docx_rows_that_begin_with_a_merged_cell_keep_their_lines(tmp_path: Path) -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    merged = "<w:tcPr><w:vMerge/></w:tcPr><w:p/>"
    table = row.format(paragraph("Orla mill"), paragraph("rye")) + row.format(merged, paragraph("oats")) * 2
    file = write_docx(tmp_path / "mill.docx", paragraph("Grain") + f"<w:tbl>{table}</w:tbl>")
    assert only(DocxLoader(), file).text == "Grain\n\nOrla mill: rye\nOrla mill: oats\nOrla mill: oats"


def test_docx_title_is_the_first_heading_in_any_language(tmp_path: Path) -> None:
    file = write_docx(
        tmp_path / "mill.docx",
        paragraph("Intro.") + paragraph("Die Mühle", "berschrift1"),
        styles='<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>',
    )
    assert only(DocxLoader(), file).title == "Die Mühle"


def test_docx_text_boxes_are_read_once(tmp_path: Path) -> None:
    box = (
        '<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback>'
        "</mc:AlternateContent></w:r>"
    ).format(paragraph("In a box."))
    file = write_docx(tmp_path / "mill.docx", paragraph("Before.", extra=box))
    assert only(DocxLoader(), file).text == "Before.\n\nIn a box."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 broken", "is damaged"),
        (b"", "is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is encrypted"),
    ],
)
def test_docx_that_is_none_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        load(DocxLoader(), tmp_path / "mill.docx", content)


def test_docx_with_broken_xml_or_without_a_body_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="XML"):
        only(DocxLoader(), write_docx(tmp_path / "mill.docx", "<w:p>"))
    with zipfile.ZipFile(tmp_path / "other.docx", "w") as archive:
        archive.writestr("mimetype", "something else")
    with pytest.raises(DocumentError, match="not a Word document"):
        only(DocxLoader(), tmp_path / "other.docx")


def test_docx_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    file = write_docx(tmp_path / "bomb.docx", paragraph("x" * 3_000_000))
    with pytest.raises(DocumentError, match="unpacks"):
        load(DocxLoader(largest=1_000_000), file)


def test_docx_cut_short_is_refused(tmp_path: Path) -> None:
    file = write_docx(tmp_path / "mill.docx", paragraph("x"))
    with pytest.raises(DocumentError):
        load(DocxLoader(), tmp_path / "short.docx", file.read_bytes()[:-30])
