"""A page of a PDF as a picture, with a stretch of its text marked."""

from __future__ import annotations

import struct
import zlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyhop.documents.loaders.pdf import PDFIUM

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

Pixels = NDArray[np.uint8]  # of shape (height, width, 3): red, green, blue
Box = tuple[float, float, float, float]  # left, bottom, right, top, in points from the lower left corner

SCALE = 2.0  # pixels a point: 144 a inch
WIDEST = 4000  # pixels of a side, at most
MARK = np.array([1.0, 0.92, 0.35])  # what a marked pixel is multiplied with: yellow, and text stays black
KNOWN = 0.9  # of the letters of a page as it was read before, that it still has to have
SAMPLE = 40  # letters that are looked up at once


@dataclass(frozen=True)
class DrawnPage:
    """A picture of a page as PNG, and whether the stretch was found on it."""

    png: bytes
    marked: bool


def draw_page(path: Path, index: int, *, said: str, stretch: str, at: float) -> DrawnPage | None:
    """Page ``index`` (from 0) with a stretch of text marked; None where the page does not say what was read of it.

    ``said``: the whole text of the page as it was read; ``at``: where in it the stretch begins, 0 to 1, which decides
    between several places that say the same. Raises OSError and PdfiumError.
    """
    from pypdfium2 import PdfDocument  # imported when used: start-up time

    with PDFIUM, closing(PdfDocument(path)) as document:
        if index >= len(document):
            return None
        with closing(document[index]) as page, closing(page.get_textpage()) as content:
            letters, places = _letters(str(content.get_text_range()))
            if not _is_known(_letters(said)[0], letters):
                return None
            boxes = _boxes(content, _found(_letters(stretch)[0], letters, places, at))
            scale = min(SCALE, WIDEST / max(page.get_size()))
            pixels = _rendered(page, scale)
            height = page.get_height()
            for left, bottom, right, top in boxes:
                rows = slice(max(0, round((height - top) * scale)), max(0, round((height - bottom) * scale)))
                columns = slice(max(0, round(left * scale)), max(0, round(right * scale)))
                pixels[rows, columns] = (pixels[rows, columns] * MARK).astype(np.uint8)
    return DrawnPage(png=as_png(pixels), marked=bool(boxes))


def as_png(pixels: Pixels) -> bytes:
    """A picture in the PNG format."""
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + width * 3), np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )


def _rendered(page: Any, scale: float) -> Pixels:
    bitmap = page.render(scale=scale, rev_byteorder=True)
    return np.array(bitmap.to_numpy()[:, :, :3], np.uint8)


def _letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text, without case, and where each stands: lines and hyphens do not count."""
    found = [
        (letter, place) for place, character in enumerate(text) for letter in character.casefold() if letter.isalnum()
    ]
    return "".join(letter for letter, _ in found), [place for _, place in found]


def _is_known(said: str, letters: str) -> bool:
    """Whether a page still says most of what was read of it, looked up piece by piece."""
    pieces = [said[place : place + SAMPLE] for place in range(0, len(said), SAMPLE)]
    return sum(len(piece) for piece in pieces if piece in letters) >= KNOWN * len(said) / 2 and bool(said)


def _found(stretch: str, letters: str, places: list[int], at: float) -> list[int]:
    """The characters of a page that say a stretch: of several such places that nearest to where it is expected."""
    if not stretch:
        return []
    begins = []
    place = letters.find(stretch)
    while place >= 0:
        begins.append(place)
        place = letters.find(stretch, place + 1)
    if not begins:
        return []
    best = min(begins, key=lambda begin: abs(begin - at * len(letters)))
    return places[best : best + len(stretch)]


def _boxes(content: PdfTextPage, characters: list[int]) -> list[Box]:
    """Where characters stand, those of a line in one box."""
    boxes: list[Box] = []
    for character in characters:
        left, bottom, right, top = content.get_charbox(character, loose=True)
        if boxes and abs(boxes[-1][1] - bottom) < (top - bottom) / 2 and left >= boxes[-1][0]:
            before = boxes[-1]
            boxes[-1] = (before[0], min(before[1], bottom), max(before[2], right), max(before[3], top))
        else:
            boxes.append((left, bottom, right, top))
    return boxes
