"""OpenDocument texts are read as Word documents are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.docx import DocxLoader
from polyhop.documents.loaders.odt import OdtLoader
from polyhop.errors import DocumentError
from polyhop.types import Document
from tests.worlds.docx import paragraph, write_docx
from tests.worlds.odf import SPACES, cell, p, row, style, table, write_odf

BOLD = style("B", "text", 'fo:font-weight="bold"')
HIDDEN = style("V", "text", 'text:display="none"')
RAISED = style("R", "text", 'style:text-position="super 58%"')


def load(file: Path) -> Document:
    (item,) = OdtLoader().load(file, file.as_posix())
    assert isinstance(item, Document)
    return item


def h(text: str) -> str:
    """A heading."""
    return f'<text:h text:outline-level="1">{text}</text:h>'


def span(text: str, kind: str) -> str:
    """Text in a style."""
    return f'<text:span text:style-name="{kind}">{text}</text:span>'


def listed(*items: str) -> str:
    """A list of items, each with paragraphs."""
    return f"<text:list>{''.join(f'<text:list-item>{item}</text:list-item>' for item in items)}</text:list>"


def note(text: str, kind: str = "footnote") -> str:
    """A note."""
    return (
        f'<text:note text:note-class="{kind}"><text:note-citation>1</text:note-citation>'
        f"<text:note-body>{p(text)}</text:note-body></text:note>"
    )


def test_what_word_and_opendocument_say_alike_is_read_alike(tmp_path: Path) -> None:
    numbered = "<w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr>"
    rows = (("Vessel", "Fee", "Town"), ("Cutter", "35", "Fennick"))
    word_rows = "".join(f"<w:tr>{''.join(f'<w:tc>{paragraph(one)}</w:tc>' for one in each)}</w:tr>" for each in rows)
    items = "".join(f"<w:p>{numbered}<w:r><w:t>{item}</w:t></w:r></w:p>" for item in ("rye", "oats"))
    word = write_docx(
        tmp_path / "a.docx",
        f"{paragraph('Mills', 'H')}{paragraph('It grinds:')}{items}<w:tbl>{word_rows}</w:tbl>{paragraph('End.')}",
        styles='<w:style w:styleId="H"><w:name w:val="heading 1"/></w:style>',
    )
    body = (
        h("Mills") + p("It grinds:") + listed(p("rye"), p("oats")) + table(*(row(*each) for each in rows)) + p("End.")
    )
    (expected,) = DocxLoader().load(word, "a")
    for suffix in (".odt", ".fodt"):
        document = load(write_odf(tmp_path / f"a{suffix}", body))
        assert (document.text, document.title, document.headings) == (expected.text, expected.title, expected.headings)


def test_headings_are_sections_and_the_title_is_the_title_paragraph(tmp_path: Path) -> None:
    styles = style("Title", "paragraph", parent_style_name="Heading") + style("Heading", "paragraph")
    styles += style("Subtitle", "paragraph", parent_style_name="Heading")
    own = style("P1", "paragraph", parent_style_name="Title")
    body = p("The tide mill", "P1") + p("Of the Orla", "Subtitle") + h("Grain") + p("Rye.")
    document = load(write_odf(tmp_path / "a.odt", body, styles=styles, automatic=own, title="Draft"))
    assert document.text == "The tide mill\n\nOf the Orla\n\nGrain\n\nRye."
    assert document.title == "The tide mill"
    assert [document.text[start:end] for start, end in document.headings] == ["The tide mill", "Grain"]
    assert load(write_odf(tmp_path / "b.odt", h("Grain"), title=" Mill book ")).title == "Mill book"


def test_headings_within_a_table_of_contents_are_none(tmp_path: Path) -> None:
    styles = style("Contents", "paragraph", parent_style_name="Heading") + style("Heading", "paragraph")
    index = f"<text:table-of-content><text:index-body>{p('Contents', 'Contents')}</text:index-body>"
    document = load(write_odf(tmp_path / "a.odt", f"{index}</text:table-of-content>{h('Grain')}", styles=styles))
    assert [document.text[start:end] for start, end in document.headings] == ["Grain"]


def test_items_within_items_each_have_a_dash_and_paragraphs_behind_one_have_none(tmp_path: Path) -> None:
    body = listed(p("Moor") + listed(p("at the quay")), p("Pay") + p("in cash."))
    assert load(write_odf(tmp_path / "a.odt", body)).text == "- Moor\n- at the quay\n- Pay\n\nin cash."


def test_cells_that_span_columns_and_rows_count_in_each(tmp_path: Path) -> None:
    names = row("Mill", cell("Built", attributes='table:number-columns-spanned="2"'), cell(covered=True))
    body = table(
        f"<table:table-header-rows>{names}</table:table-header-rows>",
        row(cell("Orla", attributes='table:number-rows-spanned="2"'), "1742", "1801"),
        row(cell("Orla", covered=True), cell("never", attributes='table:number-columns-repeated="2"')),
    )
    assert load(write_odf(tmp_path / "a.odt", body)).text == (
        "Mill: Orla; Built: 1742; Built: 1801\nMill: Orla; Built: never"
    )


def test_bold_letters_name_columns(tmp_path: Path) -> None:
    body = table(row(cell(span("Mill", "B")), cell(span("Built", "B"))), row("Orla", "1742"))
    assert load(write_odf(tmp_path / "a.odt", body, automatic=BOLD)).text == "Mill: Orla; Built: 1742"


def test_a_cell_that_is_repeated_a_billion_times_costs_nothing(tmp_path: Path) -> None:
    body = table(row("Orla", cell("x", attributes='table:number-columns-repeated="999999999"')))
    assert len(load(write_odf(tmp_path / "a.odt", body)).text) < 1000


def test_notes_stand_behind_the_text_and_those_at_the_end_behind_those_of_pages(tmp_path: Path) -> None:
    body = f"<text:p>It{note('At the end.', 'endnote')} turns{note('Twice.')} daily.</text:p>" + p("Done.")
    assert load(write_odf(tmp_path / "a.odt", body)).text == "It turns daily.\n\nDone.\n\nTwice.\n\nAt the end."


@pytest.mark.parametrize("inline", [True, False])
def test_deleted_text_is_not_read_wherever_it_is_written(tmp_path: Path, inline: bool) -> None:
    gone = "" if inline else p("not ")
    region = f'<text:changed-region text:id="c1"><text:deletion>{gone}</text:deletion></text:changed-region>'
    region += '<text:changed-region text:id="c2"><text:insertion/></text:changed-region>'
    change = '<text:{0} text:change-id="{1}"/>'
    deleted = (
        f"{change.format('change-start', 'c1')}not {change.format('change-end', 'c1')}"
        if inline
        else change.format("change", "c1")
    )
    added = f"{change.format('change-start', 'c2')}so {change.format('change-end', 'c2')}"
    body = f"<text:tracked-changes>{region}</text:tracked-changes><text:p>It is {deleted}{added}old.</text:p>"
    assert load(write_odf(tmp_path / "a.odt", body)).text == "It is so old."


@pytest.mark.parametrize(
    "unseen",
    [
        span("(intern)", "V"),
        "<office:annotation><dc:creator>A</dc:creator><text:p>really?</text:p></office:annotation>",
        '<text:hidden-text text:is-hidden="true">x</text:hidden-text>',
        "<text:ruby><text:ruby-text>oh</text:ruby-text></text:ruby>",
        "<draw:frame><draw:image><office:binary-data>aGVsbG8=</office:binary-data></draw:image></draw:frame>",
        "<draw:frame><svg:title xmlns:svg='svg'>a picture</svg:title></draw:frame>",
        f"<draw:frame><draw:object><office:document>{p('A chart')}</office:document></draw:object></draw:frame>",
    ],
)
def test_what_nobody_sees_in_the_text_is_left_out(tmp_path: Path, unseen: str) -> None:
    file = write_odf(tmp_path / "a.odt", f"<text:p>Keep{unseen} it.</text:p>", automatic=HIDDEN)
    assert load(file).text == "Keep it."


def test_hidden_sections_and_running_heads_are_left_out(tmp_path: Path) -> None:
    body = p("Rye.") + f'<text:section text:name="S" text:display="none">{p("secret")}</text:section>'
    master = f"<style:master-page><style:header>{p('Confidential')}</style:header></style:master-page>"
    for suffix in (".odt", ".fodt"):
        assert load(write_odf(tmp_path / f"a{suffix}", body, master=master)).text == "Rye."


def test_spaces_are_those_that_are_shown(tmp_path: Path) -> None:
    body = "<text:p>  One\n   word<text:s text:c='2'/>and<text:tab/>tab<text:line-break/>line </text:p>"
    assert load(write_odf(tmp_path / "a.odt", body)).text == "One word  and\ttab\nline"


def test_powers_are_no_further_digits(tmp_path: Path) -> None:
    file = write_odf(tmp_path / "a.odt", f"<text:p>10{span('6', 'R')} gulls</text:p>", automatic=RAISED)
    assert load(file).text == "10^6 gulls"


def test_text_boxes_stand_apart_from_the_paragraph_that_they_are_in(tmp_path: Path) -> None:
    box = f"<draw:frame><draw:text-box>{p('In a box.')}</draw:text-box></draw:frame>"
    assert load(write_odf(tmp_path / "a.odt", f"<text:p>Before{box} after.</text:p>")).text == (
        "Before\n\nIn a box.\n\nafter."
    )


def test_formulas_are_read_as_people_type_them(tmp_path: Path) -> None:
    half = "<math:math><math:mfrac><math:mi>a</math:mi><math:mn>2</math:mn></math:mfrac></math:math>"
    inner = f"<text:p>So <draw:frame><draw:object>{half}</draw:object></draw:frame>.</text:p>"
    assert load(write_odf(tmp_path / "a.fodt", inner)).text == "So a/2."
    part = {"Object 1/content.xml": half.replace("<math:math>", f"<math:math {SPACES}>")}
    outer = '<text:p>So <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.</text:p>'
    assert load(write_odf(tmp_path / "a.odt", outer, parts=part)).text == "So a/2."
    chart = {"Object 1/content.xml": f"<office:document-content {SPACES}>{p('no')}</office:document-content>"}
    assert load(write_odf(tmp_path / "b.odt", outer, parts=chart)).text == "So ."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is encrypted, or an old .doc file"),
        (b"PK\x03\x04 broken", "is damaged, or not an OpenDocument text"),
        (b"", "is damaged, or not an OpenDocument text"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.odt").write_bytes(content)
    with pytest.raises(DocumentError, match=reason) as caught:
        load(tmp_path / "a.odt")
    assert caught.value.remedy


def test_a_file_with_a_password_is_refused_as_encrypted(tmp_path: Path) -> None:
    entry = "<m:file-entry><m:encryption-data/></m:file-entry>"
    manifest = {"META-INF/manifest.xml": f'<m:manifest xmlns:m="m">{entry}</m:manifest>'}
    with pytest.raises(DocumentError, match="is encrypted"):
        load(write_odf(tmp_path / "a.odt", p("x"), parts=manifest))


def test_a_package_without_content_is_damaged(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    with pytest.raises(DocumentError, match="no content"):
        load(tmp_path / "a.odt")


@pytest.mark.parametrize("suffix", [".odt", ".fodt"])
def test_entities_and_what_is_too_large_are_refused(tmp_path: Path, suffix: str) -> None:
    file = write_odf(tmp_path / f"a{suffix}", p("x" * 5000))
    with pytest.raises(DocumentError, match="more than 2,000 bytes"):
        list(OdtLoader(largest=2000).load(file, "a"))
    (tmp_path / "b.fodt").write_text('<!DOCTYPE a [<!ENTITY x "ha">]><a>&x;</a>')
    with pytest.raises(DocumentError, match="entities"):
        load(tmp_path / "b.fodt")


def test_what_the_system_does_not_hand_out_is_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.fodt").mkdir()
    with pytest.raises(OSError, match=r"directory|denied"):
        load(tmp_path / "a.fodt")


def test_elements_that_are_nested_without_end_are_read(tmp_path: Path) -> None:
    for name in ("text:span", "text:list", "draw:frame", "text:p", "table:table", "text:section", "math:math"):
        deep = f"<{name}>" * 20_000 + p("low") + f"</{name}>" * 20_000
        load(write_odf(tmp_path / "a.fodt", f"{p('high')}{deep}"))


@given(cut=st.floats(0, 0.99))
def test_a_flat_file_that_is_cut_anywhere_is_refused(cut: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = write_odf(tmp_path_factory.getbasetemp() / "cut.fodt", h("Mill") + p("Rye."))
    content = file.read_bytes()
    file.write_bytes(content[: int(cut * len(content))])
    with pytest.raises(DocumentError, match="damaged"):
        load(file)
