"""PDF files that are written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polyhop.documents.loaders.pdf import PdfLoader
from polyhop.types import Document


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
