"""PDF files are read with their words whole; those without text are refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from polyhop.documents.loaders.pdf import PdfLoader, mended
from polyhop.errors import DocumentError
from polyhop.types import Document

ENCRYPTION = "<< /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >>".format("41" * 32)


def pdf(pages: Sequence[Sequence[str]], title: str = "", encryption: str = "") -> bytes:
    """A PDF written by hand: each page a list of lines."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        content = f"BT /F1 12 Tf 72 720 Td 14 TL {shown} ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects += [f"<< /Title ({title}) >>", *([encryption] if encryption else [])]
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


@pytest.mark.parametrize("title", ["", "untitled", "Microsoft Word - draft.docx"])
def test_pdf_without_a_real_title_is_named_by_its_first_line(tmp_path: Path, title: str) -> None:
    assert load(tmp_path / "a.pdf", pdf([["The Orla Mill", "Built in 1742."]], title=title)).title == "The Orla Mill"


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


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("re-\r\npaired", "repaired"),
        ("carpen\x02ter", "carpenter"),
        ("Jean-\nPaul and Jean\x02Luc", "Jean-Paul and Jean-Luc"),
        ("a well-known mill, a well-\nknown ferry", "a well-known mill, a well-known ferry"),
        ("1742-\n1911", "1742-1911"),
        (f"{WIDE}\nFenn harbour.\nIt grinds rye.", f"{WIDE} Fenn harbour.\nIt grinds rye."),
        (f"{WIDE}\n12", f"{WIDE}\n12"),
        ("Rye\nOats\nBarley", "Rye\nOats\nBarley"),
        ("潮汐磨坊在奥拉河上由丽娜修\n好了。", "潮汐磨坊在奥拉河上由丽娜修好了。"),
        ("a\x00b\x07", "ab"),
    ],
)
def test_lines_that_only_the_page_parted_are_joined(page: str, text: str) -> None:
    assert mended(page) == text
