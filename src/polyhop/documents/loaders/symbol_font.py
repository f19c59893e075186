"""Signs that only their font gives a meaning, as word processors write them."""

from __future__ import annotations

import re
from typing import Final

_SYMBOL: Final = {  # what the font Symbol has in the places of Latin letters and signs
    **dict(zip(b"ABCDEFGHIKLMNOPQRSTUVWXYZ", "ΑΒΧΔΕΦΓΗΙΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(b"abcdefghijklmnopqrstuvwxyz", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(zip(b" !%&()+,-./0123456789:;<=>?[]_{|}", " !%&()+,-./0123456789:;<=>?[]_{|}", strict=True)),
    **dict(zip(b"\xa3\xa5\xac\xad\xae\xaf\xb0\xb1\xb3\xb4\xb7\xb8\xb9\xba\xbb", "≤∞←↑→↓°±≥×•÷≠≡≈", strict=True)),
}
_OF_ITS_FONT: Final = range(0xF000, 0xF100)  # characters that only their font gives a meaning


def symbol(code: str, font: str) -> str:
    """The character of a symbol; of those that are none without their font, the letters and signs of Symbol."""
    number = int(code, 16) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else 0
    place = number - _OF_ITS_FONT.start if number in _OF_ITS_FONT else number
    if font == "Symbol":
        return _SYMBOL.get(place, "")
    return chr(number) if number and number not in _OF_ITS_FONT else ""
