"""Rich Text Format is read as Word documents are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.rtf import RtfLoader
from polyhop.errors import DocumentError
from polyhop.types import Document
from tests.worlds.rtf import rows, write_rtf


def load(file: Path) -> Document:
    (item,) = RtfLoader().load(file, file.as_posix())
    assert isinstance(item, Document)
    return item


def text(tmp_path: Path, body: str, **more: str) -> str:
    return load(write_rtf(tmp_path / "a.rtf", body, **more)).text


def test_headings_are_sections_and_the_title_is_the_title_paragraph(tmp_path: Path) -> None:
    body = r"\pard\s2 The tide mill\par\pard\s1 Grain\par\pard\s0 Rye.\par"
    document = load(write_rtf(tmp_path / "a.rtf", body, info=r"{\title Draft}{\author A. Brisk}"))
    assert document.text == "The tide mill\n\nGrain\n\nRye."
    assert document.title == "The tide mill"
    assert [document.text[start:end] for start, end in document.headings] == ["The tide mill", "Grain"]
    assert load(write_rtf(tmp_path / "b.rtf", "Rye.", info=r"{\title Mill book}")).title == "Mill book"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (r"caf\'e9 \'80", "café €"),
        (r"\f1 \'cc\'e5\'eb\'fc", "Мель"),
        (r"{\f2 \'93\'8c\'8b\'9e}\'e9", "東京é"),
        (r"\f5 p\'f8\'edli\'9a", "příliš"),
        (r"\u26481?\u20140?.", "東京."),
        (r"\u8364\'80 x", "€ x"),
        (r"\uc2\u26481\'93\'8c!", "東!"),
        (r"{\uc0\u26481}\u20140?!", "東京!"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"\u8211\par Next", "–\n\nNext"),
        (r"\ldblquote a\rdblquote\emdash b\~c\_d\-e", "“a”—b\u00a0c-de"),
        ("\\{a\\}\\\\ b\r\nc", "{a}\\ bc"),
        (r"one\line two\tab three", "one\ntwo\tthree"),
        (r"{\f3 a\'b7}\u-4000?", "α•"),
        (r"{\f3 \u-3999?}{\f4 \u-4000?}", "α"),
    ],
)
def test_letters_are_those_of_the_code_pages_and_of_unicode(tmp_path: Path, written: str, said: str) -> None:
    assert text(tmp_path, written) == said


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (r"\ansi\ansicpg1250", "ř"),
        (r"\ansi\ansicpg1251", "ш"),
        (r"\ansi", "ø"),
        (r"\ansi\ansicpg99999", "ø"),
        (r"\mac", "¯"),
        (r"\pc", "°"),
    ],
)
def test_a_font_without_letters_of_its_own_has_those_of_the_file(tmp_path: Path, head: str, said: str) -> None:
    assert text(tmp_path, r"\f9 \'f8", head=head) == said


@pytest.mark.parametrize(
    "unseen",
    [
        r"{\v (intern)}",
        r"{\deleted gone}",
        r"{\*\unknown {text} more}",
        r"{\pict\pngblip 89504e47}",
        "{\\pict\\bin5 }}}}}}",
        r"{\*\annotation really?}",
        r"{\header Confidential\par}",
        r"{\xe{\v Index}}",
        r"{\*\bkmkstart a}{\*\bkmkend a}",
        r"{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}}{\shprslt twice}}",
    ],
)
def test_what_nobody_sees_in_the_text_is_left_out(tmp_path: Path, unseen: str) -> None:
    assert text(tmp_path, f"Keep{unseen} it.") == "Keep it."


def test_of_a_field_its_result_is_read(tmp_path: Path) -> None:
    field = r'{\field{\*\fldinst HYPERLINK "http://example.org/"}{\fldrslt the page}}'
    assert text(tmp_path, f"See {field}.") == "See the page."


def test_hidden_text_ends_where_it_is_switched_off(tmp_path: Path) -> None:
    assert text(tmp_path, r"a\v b\v0 c\deleted d\plain e") == "ace"


def test_powers_are_no_further_digits(tmp_path: Path) -> None:
    assert text(tmp_path, r"10{\super 6} gulls, 10{\up6 3}, H{\sub 2}O") == "10^6 gulls, 10^3, H2O"


def test_items_have_the_number_that_is_shown_or_a_dash(tmp_path: Path) -> None:
    bullet, number = r"{\listtext\pard\plain\f3 \'b7\tab}\ls1 ", r"{{\listtext\pard {0}.\tab}}\ls2 "
    body = (
        rf"\pard {bullet}rye\par{bullet}oats\par\pard {number.format(1)}Moor\par{number.format('2a')}Pay\par\pard End."
    )
    assert text(tmp_path, body) == "- rye\n- oats\n1. Moor\n2a. Pay\n\nEnd."
    assert text(tmp_path, r"\pard\s3 rye\par\pard{\pntext o\tab}oats\par") == "- rye\n- oats"


def test_rows_of_tables_have_the_names_of_their_columns(tmp_path: Path) -> None:
    assert text(tmp_path, f"Fees\\par{rows(('Vessel', 'Fee', 'Town'), ('Cutter', '35', 'Fennick'))}End.") == (
        "Fees\n\nVessel: Cutter; Fee: 35; Town: Fennick\n\nEnd."
    )
    bold = rows((r"{\b Mill}", r"{\b Built}"), ("Orla", "1742"))
    assert text(tmp_path, bold) == "Mill: Orla; Built: 1742"
    marked = rows(("Mill", "Built"), before=r"\trhdr") + rows(("Orla", "1742"))
    assert text(tmp_path, marked) == "Mill: Orla; Built: 1742"


def test_the_edges_of_cells_tell_which_columns_they_span(tmp_path: Path) -> None:
    names = rows(("Quay", "Fees"), widths=(1000, 3010), before=r"\trhdr")
    body = names + rows(("", "Plan", "Paid"), before=r"\trhdr") + rows(("North", "5", "6"), widths=(1005, 2000, 3000))
    assert text(tmp_path, body) == "Quay: North; Fees, Plan: 5; Fees, Paid: 6"


def test_cells_that_go_on_with_others_say_what_those_say(tmp_path: Path) -> None:
    def cells(*marks: str) -> str:
        return "".join(rf"{mark}\cellx{1000 * (number + 1)}" for number, mark in enumerate(marks))

    def row(shape: str, *said: str) -> str:
        return "".join((rf"\trowd{shape}", *(rf"\pard\intbl {one}\cell" for one in said), r"\row"))

    body = row(cells("", "", ""), "Mill", "Built", "Town")
    body += row(cells(r"\clvmgf", "", ""), "Orla", "1742", "Fenn")
    body += row(cells(r"\clvmrg", r"\clmgf", r"\clmrg"), "", "unknown", "")
    assert text(tmp_path, body) == "Mill: Orla; Built: 1742; Town: Fenn\nMill: Orla; Built: unknown; Town: unknown"


def test_tables_with_a_blank_line_between_them_are_two(tmp_path: Path) -> None:
    first, second = rows(("Mill", "Built", "Town"), ("Orla", "1742", "Fenn")), rows(("Ada", "Brisk", "Keeper"))
    assert text(tmp_path, rf"{first}\par{second}") == "Mill: Orla; Built: 1742; Town: Fenn\n\nAda | Brisk | Keeper"


def test_a_table_within_a_cell_is_read_there(tmp_path: Path) -> None:
    shape = r"\trowd\cellx1000\cellx2000"
    within = "".join(
        rf"\pard\intbl\itap2 {one}\nestcell {other}\nestcell{{\*\nesttableprops{shape}\nestrow}}{{\nonesttables\par}}"
        for one, other in (("{\\b Mill}", "{\\b Built}"), ("Orla", "1742"))
    )
    body = rf"{shape}\pard\intbl Outer\cell{within}\pard\intbl\cell\row\pard End."
    assert text(tmp_path, body) == "Outer: Mill: Orla; Built: 1742\n\nEnd."


def test_notes_stand_behind_the_text_and_those_at_the_end_behind_those_of_pages(tmp_path: Path) -> None:
    end = r"{\super\chftn}{\footnote\ftnalt\pard\plain {\super\chftn} At the end.}"
    foot = r"{\footnote\pard\plain Twice.\par}"
    body = rows((f"Mill{end}", f"Built{foot}"), ("Orla", "1742"), before=r"\trhdr")
    assert text(tmp_path, body) == "Mill | Built\nOrla | 1742\n\nTwice.\n\nAt the end."


def test_a_text_box_in_a_cell_does_not_end_the_table(tmp_path: Path) -> None:
    box = r"{\shp{\*\shpinst{\shptxt\pard\plain In a box.\par}}}"
    assert text(tmp_path, rows((f"Orla{box}", "1742"))) == "Orla In a box.: 1742"
    assert text(tmp_path, f"Before{box} after.") == "Before\n\nIn a box.\n\nafter."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is damaged, or not Rich Text Format"),
        (b"PK\x03\x04", "is damaged, or not Rich Text Format"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is an old .doc file"),
        (b"{\\rtf1 a" + b"{" * 100_000, "groups within one another"),
        (b"{\\rtf1 {\\b a", "ends within a group"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.rtf").write_bytes(content)
    with pytest.raises(DocumentError, match=reason) as caught:
        load(tmp_path / "a.rtf")
    assert caught.value.remedy


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="more than 10 bytes"):
        list(RtfLoader(largest=10).load(write_rtf(tmp_path / "a.rtf", "Rye."), "a"))


def test_what_stands_behind_the_last_group_is_no_text(tmp_path: Path) -> None:
    file = write_rtf(tmp_path / "a.rtf", "Rye.")
    file.write_bytes(file.read_bytes() + b"\0\0 {\\b more}")
    assert load(file).text == "Rye."


@given(cut=st.floats(0, 0.999))
def test_a_file_that_is_cut_anywhere_is_refused(cut: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = write_rtf(tmp_path_factory.getbasetemp() / "cut.rtf", rows(("Mill", "1742")) + "End.")
    content = file.read_bytes()
    file.write_bytes(content[: int(cut * len(content))])
    with pytest.raises(DocumentError):
        load(file)


WORDS = ("cell", "row", "nestcell", "nestrow", "trowd", "cellx9", "intbl", "itap3", "pard", "par", "clmrg", "clvmrg")
PIECES = (
    *(f"\\{word} " for word in WORDS),
    "a",
    "{",
    "}",
    r"{\footnote ",
    r"{\shp{\*\shpinst{\shptxt ",
    r"\u-9?",
    r"\'e9",
)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_order_of_words_loses_no_letter(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    """Whatever stands where it should not, what is written is read."""
    body, depth = "", 0
    for piece in pieces:
        if piece == "}" and not depth:
            continue
        depth += piece.count("{") - piece.count("}")
        body += piece
    read = text(tmp_path_factory.getbasetemp(), f"a{body}{'}' * depth}z")
    assert "a" in read
    assert "z" in read
