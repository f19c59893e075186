"""PDF files are read with their words whole; those without text are refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.cli.ask import place
from polyhop.documents.loaders.page_contents import without_contents
from polyhop.documents.loaders.page_furniture import without_furniture
from polyhop.documents.loaders.pdf import PdfLoader
from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.loaders.pdf_text import paged_text
from polyhop.engine import Polyhop
from polyhop.errors import DocumentError
from polyhop.reading.citations import citations_of
from polyhop.reading.reader import Quote
from polyhop.types import Document, Span
from tests.worlds.settings import QUICK

ENCRYPTION = "<< /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >>".format("41" * 32)


def pdf(
    pages: Sequence[Sequence[str]],
    title: str = "",
    encryption: str = "",
    *,
    matrix: str = "1 0 0 1 0 0",
    turned: int = 0,
    fields: Sequence[str] = (),
    font: str = "",
) -> bytes:
    """A PDF written by hand: each page a list of lines, which the matrix moves, and shown turned by so many degrees.

    ``fields`` are those of a form, each on every page; ``font``: what is said of the font beside its name.
    """
    entries = " ".join(f"{5 + 2 * len(pages) + number} 0 R" for number in range(len(fields)))
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {f'/AcroForm << /Fields [{entries}] >>' if fields else ''} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >>",
    ]
    for number, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        content = f"{matrix} cm BT /F1 12 Tf 72 720 Td 14 TL {shown} ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {turned} /Annots [{entries}] "
            "/Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects += [f"<< /Title ({title}) >>", *([encryption] if encryption else []), *fields]
    file, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(file))
        file += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R /Info {4 + 2 * len(pages)} 0 R"
    if encryption:
        trailer += f" /Encrypt {len(objects)} 0 R /ID [<00> <00>]"
    start = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return file + f"{start}trailer\n<< {trailer} >>\nstartxref\n{len(file)}\n%%EOF".encode("latin-1")


def load(file: Path, content: bytes) -> Document:
    file.write_bytes(content)
    (document,) = PdfLoader().load(file, file.as_posix())
    return document


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


WIDE = "The old tide mill stands where the river Orla meets the grey sea at"


def lines(page: str, size: float = 10.0, left: float = 50.0) -> list[PageLine]:
    """Lines below each other, each of its own length."""
    return [
        PageLine(text=text, left=left, right=left + 0.5 * size * len(text), bottom=700 - 1.2 * size * number, size=size)
        for number, text in enumerate(page.split("\n"))
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("re-\npaired", "repaired"),
        ("Jean-\nPaul", "Jean-Paul"),
        ("a well-known mill, a well-\nknown ferry", "a well-known mill, a well-known ferry"),
        ("1742-\n1911", "1742-1911"),
        (f"{WIDE}\nFenn harbour.\nIt grinds rye.", f"{WIDE} Fenn harbour.\nIt grinds rye."),
        (f"{WIDE} six.\nFenn harbour is small.", f"{WIDE} six. Fenn harbour is small."),
        (f"{WIDE}\n• Rye\n• Oats", f"{WIDE}\n• Rye\n• Oats"),
        (f"{WIDE}\n31.4 ells.", f"{WIDE} 31.4 ells."),
        (f"{WIDE}\n1.1 Rye\n1.2 Oats", f"{WIDE}\n1.1 Rye\n1.2 Oats"),
        ("Rye\nOats\nBarley", "Rye\nOats\nBarley"),
        ("潮汐磨坊在奥拉河上由丽娜修\n好了。", "潮汐磨坊在奥拉河上由丽娜修好了。"),
    ],
)
def test_lines_that_only_the_page_parted_are_joined(page: str, text: str) -> None:
    assert paged_text([lines(page)]).text == text


def test_sentences_and_words_go_on_in_the_next_column_and_on_the_next_page() -> None:
    left = lines(f"{WIDE}\nFenn harbour, and its wheel is of oak and turned by the wa-")
    right = lines(f"ter of both tides. The keeper of the mill opens the gate and\n{WIDE}", left=400)
    read = paged_text([[*left, *right], lines("the lock. Nobody else may.")])
    assert read.text == (
        f"{WIDE} Fenn harbour, and its wheel is of oak and turned by the water of both tides. "
        f"The keeper of the mill opens the gate and {WIDE} the lock. Nobody else may."
    )
    assert read.text[read.begins[1] :] == "the lock. Nobody else may."


def test_a_column_is_as_wide_as_it_is_beside_another_one_whatever_stands_above_both() -> None:
    """An abstract reaches across two columns; a line of theirs that begins with a capital or a number goes on."""
    abstract = replace(lines(f"{WIDE} {WIDE}.")[0], bottom=740)
    left = lines(f"{WIDE}\nFenn harbour, and its wheel of oak has been turned since the year\n1742 by both.")
    right = lines(f"{WIDE}\n{WIDE}", left=400)
    read = paged_text([[abstract, *left, *right]])
    wheel = f"{WIDE} Fenn harbour, and its wheel of oak has been turned since the year 1742 by both."
    assert read.text == f"{WIDE} {WIDE}.\n\n{wheel}\n\n{WIDE} {WIDE}"


def test_a_page_without_text_begins_where_the_next_one_does() -> None:
    read = paged_text([lines("One."), [], lines("Three.")])
    assert (read.text, read.begins) == ("One.\n\nThree.", (0, 6, 6))


def test_headings_have_larger_or_bolder_letters() -> None:
    heading = [*lines("Of the repair of the mill\nand its wheel", size=16)]
    bold = [replace(line, bold=True, bottom=500) for line in lines("The keepers")]
    below = [replace(line, bottom=line.bottom - 212) for line in lines(f"{WIDE}\nFenn harbour.")]
    read = paged_text([[*heading, *lines(WIDE)[:1], *bold, *below]])
    assert [read.text[mark.start : mark.end] for mark in read.headings] == [
        "Of the repair of the mill and its wheel",
        "The keepers",
    ]
    assert read.text.split("\n\n") == [
        "Of the repair of the mill and its wheel",
        WIDE,
        "The keepers",
        f"{WIDE} Fenn harbour.",
    ]


def test_items_whose_numbers_are_larger_than_their_words_are_no_headings(tmp_path: Path) -> None:
    items = ("Undo the four screws of the gate and take off its cover.", "Let the water of the mill out.")
    larger = [f") Tj /F1 14 Tf ({at}.) Tj /F1 12 Tf ( {item}" for at, item in enumerate(items, start=1)]
    read = load(tmp_path / "mill.pdf", pdf([["The mill of Fenn stands by the sea.", *larger]]))
    assert read.headings == ()
    assert f"1. {items[0]}\n2. {items[1]}" in read.text


BODY = (
    "It stands on the Orla.",
    "It was built in 1742.",
    "The wheel is of oak.",
    "It turns at night.",
    "Rye is ground.",
)


def bound(number: int, body: str) -> list[str]:
    """A page of a book: heads take turns, and pages are numbered at the bottom."""
    head = "The Mills of the Orla" if number % 2 else "Lena Voss"
    return [head, "", "", body, *BODY[:2], "", "", f"- {number} -"]


def test_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    pages = [bound(number, body) for number, body in enumerate(BODY, start=7)]
    document = load(tmp_path / "mills.pdf", pdf(pages))
    assert "Mills of" not in document.text
    assert "Lena Voss" not in document.text
    assert "- 8 -" not in document.text
    assert document.text.count("built in 1742") == len(BODY) + 1
    starts = [document.text[place:] for place in document.pages]
    assert [text.startswith(body) for text, body in zip(starts, BODY, strict=True)] == [True] * len(BODY)


def test_numbers_that_do_not_count_pages_stay(tmp_path: Path) -> None:
    pages = [[f"{year} tons", "", "", "Rye.", "Oats."] for year in (1742, 1911, 1650)]
    assert [f"{year} tons" in load(tmp_path / "a.pdf", pdf(pages)).text for year in (1742, 1911, 1650)] == [True] * 3


@pytest.mark.parametrize(
    ("edge", "kept"),
    [
        ("Page 1", False),
        ("- page 1 of 1 -", False),
        ("1 / 1", False),
        ("Seite 1 von 1", False),
        ("Page 4", True),
        ("1 of 12", True),
        ("Gate 1", True),
        ("1", True),
    ],
)
def test_the_number_of_an_only_page_is_left_out(edge: str, *, kept: bool) -> None:
    """With a word that tells it, or with how many there are: a number alone may say anything."""
    page = [PageLine(text=text, bottom=bottom, size=10) for text, bottom in (("Oak.", 500), ("Rye.", 488), (edge, 40))]
    assert [line.text for line in without_furniture([page])[0]] == ["Oak.", "Rye.", *[edge] * kept]


def test_roman_numbers_count_pages_too() -> None:
    said = {"iii": "One.", "iv": "Two."}
    pages = [
        [PageLine(text=text, bottom=500, size=10), PageLine(text=f"page {number}", bottom=40, size=10)]
        for number, text in said.items()
    ]
    assert [[line.text for line in page] for page in without_furniture(pages)] == [["One."], ["Two."]]


@pytest.mark.parametrize("edge", ["İL", "ı", "İ"])
def test_turkish_letters_are_no_roman_numbers(edge: str) -> None:
    page = [PageLine(text="Oak.", bottom=500, size=10), PageLine(text=edge, bottom=40, size=10)]
    assert without_furniture([page]) == [page]


def test_a_running_head_above_nothing_but_a_picture_is_left_out() -> None:
    def page(number: int, *said: str) -> list[PageLine]:
        body = [PageLine(text=text, bottom=600 - 12 * row, size=10) for row, text in enumerate(said)]
        return [PageLine(text=f"Mill notes {number} / 9", bottom=800, size=10), *body]

    left = without_furniture([page(1, "Rye."), page(2, "Oats."), page(3), page(4, "Barley.")])
    assert [[line.text for line in page] for page in left] == [["Rye."], ["Oats."], [], ["Barley."]]


def test_lines_alone_on_their_pages_stay() -> None:
    pages = [[PageLine(text=f"Chapter {number}", bottom=400, size=20)] for number in (1, 2, 3)]
    assert without_furniture(pages) == pages


def test_pages_that_say_nothing_else_keep_what_repeats() -> None:
    pages = [[PageLine(text="Draft", bottom=700, size=10), PageLine(text=f"{n}", bottom=40, size=10)] for n in (1, 2)]
    assert [[line.text for line in page] for page in without_furniture(pages)] == [["Draft", "1"], ["Draft", "2"]]


def lines_left(*pages: Sequence[str]) -> list[list[str]]:
    return [[line.text for line in page] for page in without_contents([[*map(line_of, page)] for page in pages])]


def line_of(text: str) -> PageLine:
    return PageLine(text=text)


def test_contents_that_the_document_says_again_are_left_out() -> None:
    contents = [
        "The Mills of the Orla",
        "Contents",
        "1 Water 1",
        "1.1 The weir and the gate . . . . . . 1",
        "1.2 How the wheel is turned when the",
        "tide is low ........... 3",
        "2 Grain 4",
        "2.1 Rye . . . . . . . . . . . . . . . 4",
    ]
    body = [
        "1 Water",
        "1.1 The weir and the gate",
        "It is of oak.",
        "1.2 How the wheel is turned when the",
        "tide is low",
    ]
    rest = ["At night.", "2 Grain", "2.1 Rye", "It is ground first."]
    assert lines_left(contents, body, rest) == [["The Mills of the Orla"], body, rest]


@pytest.mark.parametrize(
    "prices",
    [
        ["Tea ..... 2", "Rye bread ..... 1", "Oats ..... 3"],  # numbers fall, as those of pages do not
        ["Coffee ..... 2", "Cake ..... 3", "Plums ..... 4"],  # nothing says again what the entries say
    ],
)
def test_lists_with_leading_dots_that_are_no_contents_stay(prices: list[str]) -> None:
    menu = ["At the mill", *prices, "Tea", "Rye bread", "Oats"]
    assert lines_left(menu) == [menu]


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
