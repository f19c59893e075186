"""From bytes to text: encodings are recognised offline, binary content is refused, control characters are removed."""

from __future__ import annotations

import codecs
import io
import re
from functools import partial
from pathlib import Path
from typing import BinaryIO, TextIO

from polyhop.errors import DocumentError

_BLOCK = 1 << 20  # bytes read at a time
_SAMPLE = 1 << 16  # bytes that a guess is based on
_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = (  # the commonest first: the order breaks ties between codecs that explain a text equally well
    *("cp1252", "cp1250", "cp1251", "koi8_r", "koi8_u", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
    *("iso8859_2", "cp874", "cp932", "euc_jp", "euc_jis_2004", "gb18030", "big5", "cp949", "cp866"),
)
_LABELS = {  # names that only browsers know
    **dict.fromkeys(("x-sjis", "windows-31j"), "cp932"),
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "windows-949": "cp949",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859_8",
}
_READ_AS = {  # what programs write under a narrower name, and browsers read as that (WHATWG, Encoding Standard)
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    "iso8859-9": "cp1254",
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_SEVEN_BITS = ("iso2022", "hz", "utf-7")  # how the names of codecs begin that write all letters in ASCII
_KOREAN = b"\x1b$)C"  # announces ISO-2022-KR
_MOST_UNEXPLAINED = 3  # bytes of damage, with which a declared encoding is still believed
_CONTROL_BYTES = bytes(set(range(0x20)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"
_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SOFT_HYPHEN = re.compile("\xad(?:[ \t]*\n[ \t]*(?=\\w))?")
_LATIN_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl", "st", "st")
_LIGATURES = {0xFB00 + number: letters for number, letters in enumerate(_LATIN_LIGATURES)}
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def clean(text: str) -> str:
    r"""Text with every line break as ``\n`` and letters where ligatures were, as people read it.

    Control characters, soft hyphens with the line break after one, stray byte order marks and surrogates go.
    """
    text = _UNWANTED.sub("", _BREAK.sub("\n", text))
    return text if text.isascii() else _SOFT_HYPHEN.sub("", text).translate(_LIGATURES)


def decode(data: bytes, hint: str | None = None) -> str:
    """Clean text from bytes; ``hint`` is the encoding that the content itself declares, believed where it fits.

    Raises DocumentError for binary content.
    """
    return clean(data.decode(detect(io.BytesIO(data), hint), errors="replace"))


def read_text(path: Path) -> str:
    """The clean text of a file. Raises DocumentError for binary content, and OSError."""
    with path.open("rb") as stream:
        encoding = detect(stream)  # binary content, which may be large, is refused before all of it is read
    return clean(path.read_bytes().decode(encoding, errors="replace"))


def open_text(path: Path) -> TextIO:
    r"""A file as a stream of text with ``\n`` between lines, for formats that are read line by line.

    Only the line breaks are normalised: what is taken out of a line is for ``clean``.
    Raises DocumentError for binary content, and OSError.
    """
    with path.open("rb") as stream:
        encoding = detect(stream)
    return path.open(encoding=encoding, errors="replace", newline=None)


def detect(stream: BinaryIO, hint: str | None = None) -> str:
    """The name of a codec for a seekable stream of bytes.

    A byte order mark decides; then a hint at letters that are written in ASCII; then valid UTF-8; then any other hint;
    then a guess from the surroundings of the first byte that is not UTF-8. Raises DocumentError for binary content.
    """
    head = stream.read(_SAMPLE)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    wide = _unmarked_wide(head)
    if wide:
        return wide
    ascii_only = _of_seven_bits(hint, head) if head.isascii() else None
    if ascii_only:
        return ascii_only
    _refuse_binary(head, valid=True)  # whatever follows
    stream.seek(0)
    sample = _not_utf8(stream)
    _refuse_binary(head, valid=sample is None)
    if sample is None:
        return "utf-8"
    return _fitting(hint, sample) or _guess(sample)


def _of_seven_bits(hint: str | None, head: bytes) -> str | None:
    """An encoding that writes its letters in ASCII: the declared one, or what an escape sequence tells."""
    declared = _fitting(hint, head)
    if declared and declared.startswith(_SEVEN_BITS):
        return declared
    if _KOREAN in head:
        return "iso2022_kr"
    return "iso2022_jp" if b"\x1b$" in head else None


def _unmarked_wide(head: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: in text of mostly Latin letters every second (or all but one) byte is 0."""
    half = len(head) // 4
    if half < 2:
        return None
    zeros = [head[offset::4].count(0) / half for offset in range(4)]
    low, high = 0.1, 0.7
    for encoding, empty in (
        ("utf-32-le", (1, 2, 3)),
        ("utf-32-be", (0, 1, 2)),
        ("utf-16-le", (1, 3)),
        ("utf-16-be", (0, 2)),
    ):
        if all(zeros[i] > high if i in empty else zeros[i] < low for i in range(4)):
            try:
                text = head[: half * 4].decode(encoding)
            except UnicodeDecodeError:
                continue
            return encoding if sum(map(str.isprintable, text)) > len(text) * high else None
    return None


def _not_utf8(stream: BinaryIO) -> bytes | None:
    """The surroundings of the first byte that UTF-8 does not explain, or None where it explains all."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = b""
    for block in iter(partial(stream.read, _BLOCK), b""):
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            return (before[-_SAMPLE:] + block)[: len(before) + error.start + _SAMPLE][-2 * _SAMPLE :]
        before = block[-_SAMPLE:]
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return before
    return None


def _refuse_binary(head: bytes, *, valid: bool) -> None:
    """A few stray control characters pass in valid UTF-8; other encodings are only guessed, so that fewer may pass."""
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls > (max(8, len(head) // 10) if valid else len(head) // 50):
        raise DocumentError("is binary, not text", remedy="Give it the suffix of its real format, or leave it out.")


def _fitting(hint: str | None, sample: bytes) -> str | None:
    """The codec for a declared encoding, if there is one and it explains the sample.

    Bytes beyond ASCII prove a declaration of ASCII wrong: a few are read as browsers read them, many tell more.
    """
    if not hint:
        return None
    try:
        declared = codecs.lookup(_LABELS.get(hint.lower(), hint)).name
        codec = _READ_AS.get(declared, declared)
        odd = _unexplained(sample, declared if declared == "ascii" else codec)
    except (LookupError, ValueError):  # no codec of that name, or none for texts
        return None
    return codec if odd <= _MOST_UNEXPLAINED else None


def _guess(sample: bytes) -> str:
    repaired = sample.decode("utf-8", errors="replace")
    odd = repaired.count("\ufffd")
    if sum(character > "\x7f" for character in repaired) > 4 * odd + 4:
        return "utf-8"  # damaged here and there, but nothing else produces so many valid sequences
    from charset_normalizer import from_bytes  # imported when used: start-up time

    if len(sample) < 4096:  # its statistics want more than a few words
        sample = (sample + b"\n") * (1 + 4096 // len(sample))
    matches = from_bytes(sample, cp_isolation=list(_LEGACY)) or from_bytes(sample)
    known = {codec: rank for rank, codec in enumerate(_LEGACY)}
    ranked = sorted(
        (round(match.chaos, 2) - round(match.coherence, 1) / 10, known.get(match.encoding, len(known)), match.encoding)
        for match in matches
    )
    return ranked[0][2] if ranked else "cp1252"


def _unexplained(sample: bytes, encoding: str) -> int:
    return sample.decode(encoding, errors="replace").count("\ufffd")
