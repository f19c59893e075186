"""What an RTF file is made of: groups, control words, and text in the code pages of its fonts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    rb"\\(?:'(?P<byte>[0-9A-Fa-f]{2})|(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?|(?P<sign>.))"
    rb"|(?P<brace>[{}])|(?P<bytes>[^\\{}\r\n]+)",
    re.DOTALL,
)
_CODE_PAGES: Final[Mapping[int, str]] = {  # of the character sets of fonts
    int(number): codec
    for number, codec in re.findall(
        r"(\d+) (\w+)",
        "77 mac_roman, 128 cp932, 129 cp949, 130 johab, 134 gbk, 136 cp950, 161 cp1253, 162 cp1254, 163 cp1258,"
        "177 cp1255, 178 cp1256, 186 cp1257, 204 cp1251, 222 cp874, 238 cp1250, 254 cp437, 255 cp850",
    )
}


class RtfToken(NamedTuple):
    """A control word or sign with its number, a brace, or bytes of text: the others are empty."""

    word: str = ""
    number: int | None = None
    brace: str = ""
    text: bytes = b""


def rtf_tokens(content: bytes) -> Iterator[RtfToken]:
    """The tokens of a file, without the pictures in it that are binary."""
    at = 0
    while found := _TOKEN.search(content, at):
        at = found.end()
        if found["brace"]:
            yield RtfToken(brace=found["brace"].decode())
        elif found["word"]:
            number = int(found["number"]) if found["number"] else None
            if found["word"] == b"bin":
                at += max(0, number or 0)
            yield RtfToken(found["word"].decode(), number)
        elif found["sign"]:
            yield RtfToken(found["sign"].decode("latin-1"))
        else:
            yield RtfToken(text=bytes.fromhex(found["byte"].decode()) if found["byte"] else found["bytes"])


def code_page(number: int) -> str:
    """The codec of a code page; that of Western Europe for one that nobody knows."""
    name = f"cp{number}"
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name


def code_page_of(character_set: int, otherwise: str) -> str:
    """The codec of a font with a character set."""
    return _CODE_PAGES.get(character_set, otherwise)
