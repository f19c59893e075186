"""PDF files are read with their words whole; those without text are refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.cli.ask import place
from polyhop.documents.loaders.pdf import PdfLoader
from polyhop.engine import Polyhop
from polyhop.errors import DocumentError
from polyhop.reading.citations import citations_of
from polyhop.reading.reader import Quote
from polyhop.types import Span
from tests.worlds.pdf import load, pdf
from tests.worlds.settings import QUICK

ENCRYPTION = "<< /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >>".format("41" * 32)


def test_pdf_pages_are_parted_and_words_mended(tmp_path: Path) -> None:
    pages = [["The mill was repaired by the carpen-", "ter Lena Voss.", "It grinds rye."], ["Page two."]]
    document = load(tmp_path / "mill.pdf", pdf(pages, title="Mill notes"))
    assert document.title == "Mill notes"
    assert document.text == "The mill was repaired by the carpenter Lena Voss.\nIt grinds rye.\n\nPage two."


@pytest.mark.parametrize(
    ("matrix", "turned"),
    [("0 1 -1 0 792 0", 0), ("0 1 -1 0 792 0", 90), ("-1 0 0 -1 612 792", 180), ("0 -1 1 0 -180 792", 270)],
)
def test_pdf_lines_that_are_turned_are_read_like_others(tmp_path: Path, matrix: str, turned: int) -> None:
    """As wide tables are, which some programs set from the bottom of the page to its top."""
    prose = ["The cutter of Ada Brisk pays thirty-five crowns a year for the", "pier, and that of Piet Rook forty."]
    rows = [") Tj 40 Tw (Year Mill Loom", "2021 41.2 38.9", "2022 44.8 45.0"]
    for page in (prose, rows):
        upright = load(tmp_path / "a.pdf", pdf([page])).text
        assert load(tmp_path / "a.pdf", pdf([page], matrix=matrix, turned=turned)).text == upright
    assert upright == "Year: 2021; Mill: 41.2; Loom: 38.9\nYear: 2022; Mill: 44.8; Loom: 45.0"


@pytest.mark.parametrize(
    ("before", "rise", "raised", "text"),
    [
        ("About 10", 5, "6", "About 10^6 gulls"),
        ("About 10", 5, "-3", "About 10^-3 gulls"),
        ("About 10", -3, "6", "About 106 gulls"),
        ("About 10", 0, "6", "About 106 gulls"),
        ("About m", 5, "2", "About m2 gulls"),
    ],
)
def test_pdf_numbers_that_are_raised_are_no_further_digits(
    tmp_path: Path, before: str, rise: int, raised: str, text: str
) -> None:
    line = f"{before}) Tj {rise} Ts /F1 8 Tf ({raised}) Tj 0 Ts /F1 12 Tf ( gulls"
    assert load(tmp_path / "a.pdf", pdf([[line]])).text == text
    row = f"Year) Tj 0 Ts 40 0 Td ({line}"
    assert load(tmp_path / "a.pdf", pdf([[row]])).text == f"Year {text}"


@pytest.mark.parametrize("rise", [8, -5])
def test_pdf_lines_go_on_behind_letters_that_are_set_far_above_or_below(tmp_path: Path, rise: int) -> None:
    line = f"In H) Tj {rise} Ts /F1 8 Tf (2) Tj 0 Ts /F1 12 Tf (O) Tj ( there is salt"
    assert load(tmp_path / "a.pdf", pdf([[line]])).text == "In H2O there is salt"


def test_pdf_columns_whose_words_run_from_right_to_left_are_columns(tmp_path: Path) -> None:
    letters = "/Encoding << /Differences [97 /afii57664 /afii57665 /afii57666] >>"
    font = f"{letters} /FirstChar 65 /LastChar 99 /Widths [{'600 ' * 35}]"
    rows = [f"{name}) Tj 200 0 Td ({said}) Tj -200 -20 Td (" for name, said in (("ADA", "abc"), ("OTTO", "cba"))]
    text = load(tmp_path / "a.pdf", pdf([rows], font=font)).text
    assert text == "ADA: גבא\nOTTO: אבג"


@pytest.mark.parametrize(
    "title",
    [
        "",
        "untitled",
        "Microsoft Word - draft.docx",
        r"\(anonymous\)",
        "PowerPoint-Präsentation",
        "Présentation PowerPoint",
    ],
)
def test_pdf_without_a_real_title_is_named_by_its_first_line(tmp_path: Path, title: str) -> None:
    assert load(tmp_path / "a.pdf", pdf([["The Orla Mill", "Built in 1742."]], title=title)).title == "The Orla Mill"


def test_columns_no_wider_than_what_is_in_them_are_columns(tmp_path: Path) -> None:
    """Programs that fit columns to their cells leave little more than the height of a letter between."""
    rows = [") Tj 11.4 Tw (Year Mill Loom", "2021 41.2 38.9", "2022 44.8 45.0"]  # points added to each space
    assert load(tmp_path / "a.pdf", pdf([rows])).text == (
        "Year: 2021; Mill: 41.2; Loom: 38.9\nYear: 2022; Mill: 44.8; Loom: 45.0"
    )


FIELD = "<< /Type /Annot /Subtype /Widget /T (f{}) /F {} /Rect [{}] {} >>"
YES = "/FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes << >> /Off << >> >> >>"


@pytest.mark.parametrize(
    ("flags", "place", "said", "text"),
    [
        (4, "150 718 300 734", "/FT /Tx /V (Ada Brisk)", "Owner: Ada Brisk\nA lamp"),
        (4, "20 718 60 734", "/FT /Tx /V (Ada Brisk)", "Ada Brisk Owner:\nA lamp"),
        (4, "150 718 300 734", "/FT /Tx", "Owner:\nA lamp"),
        (2, "150 718 300 734", "/FT /Tx /V (hidden)", "Owner:\nA lamp"),
        (4, "50 704 60 716", YES, "Owner:\n[x] A lamp"),
        (4, "50 704 60 716", YES.replace("/Yes /AS /Yes", "/Off /AS /Off"), "Owner:\n[ ] A lamp"),
        (4, "150 718 300 734", "/FT /Ch /Ff 131072 /Opt [[(a) (Ada)] [(b) (Piet)]] /V (b)", "Owner: Piet\nA lamp"),
        (4, "150 600 300 650", "/FT /Tx /Ff 4096 /V (To be\\rseen)", "Owner:\nA lamp\n\nTo be seen"),
        (4, "150 718 300 734", "/FT /Btn /Ff 65536 /MK << /CA (Send) >>", "Owner:\nA lamp"),
    ],
)
def test_pdf_forms_are_read_as_they_are_filled_in(tmp_path: Path, flags: int, place: str, said: str, text: str) -> None:
    content = pdf([["Owner:", "A lamp"]], fields=[FIELD.format(1, flags, place, said)])
    assert load(tmp_path / "a.pdf", content).text == text


def test_pdf_values_beside_each_other_stand_behind_their_names(tmp_path: Path) -> None:
    fields = [
        FIELD.format(n, 4, f"{left} 718 {left + 50} 734", f"/FT /Tx /V (v{n})") for n, left in ((2, 280), (1, 120))
    ]
    content = pdf([[") Tj 150 Tw (Owner: Town:"]], fields=fields)
    assert load(tmp_path / "a.pdf", content).text == "Owner: v1 Town: v2"


def test_pdf_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no text") as refusal:
        load(tmp_path / "scan.pdf", pdf([[], []]))
    assert "OCR" in refusal.value.remedy


def test_pdf_that_is_encrypted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="encrypted"):
        load(tmp_path / "secret.pdf", pdf([["secret"]], encryption=ENCRYPTION))


@pytest.mark.parametrize("content", [b"", b"no pdf", b"%PDF-1.4\n" + bytes(100)])
def test_pdf_that_is_damaged_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentError, match="damaged"):
        load(tmp_path / "a.pdf", content)


def test_pdf_that_is_missing_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        list(PdfLoader().load(tmp_path / "none.pdf", "none.pdf"))


def test_items_whose_numbers_are_larger_than_their_words_are_no_headings(tmp_path: Path) -> None:
    items = ("Undo the four screws of the gate and take off its cover.", "Let the water of the mill out.")
    larger = [f") Tj /F1 14 Tf ({at}.) Tj /F1 12 Tf ( {item}" for at, item in enumerate(items, start=1)]
    read = load(tmp_path / "mill.pdf", pdf([["The mill of Fenn stands by the sea.", *larger]]))
    assert read.headings == ()
    assert f"1. {items[0]}\n2. {items[1]}" in read.text


def test_citations_name_the_page(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    pages = [["The Orla Mill", "It stands on the Orla."], ["The keeper of the mill was Ada Brisk."]]
    (tmp_path / "docs" / "mill.pdf").write_bytes(pdf(pages))
    (tmp_path / "docs" / "ferry.txt").write_text("Otto Fell rows the ferry.")
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(tmp_path / "docs", layers=["text"])
        with engine.view() as view:
            rows = {row.title: row.id for row in view.record.documents()}
            text = view.record.document(rows["The Orla Mill"]).text
            quoted = Quote(view.record.passages(view.record.numbers().tolist())[1], text.index("Ada"), len(text))
            (citation,) = citations_of([quoted], view.record)
            assert view.record.page_of(Span(rows["ferry"], 0, 4)) is None
    assert (citation.quote, citation.page) == ("Ada Brisk.", 2)
    assert citation.to_dict()["page"] == 2
    assert place("mill.pdf", citation.span, citation.where).startswith("mill.pdf, page 2 [")
