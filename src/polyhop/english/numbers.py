"""Numbers, in digits and in words, and what they measure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

NUMERALS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_TENS: Final = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
_VALUES: Final = {word: float(value) for value, word in enumerate(NUMERALS)} | {
    word: 10.0 * value for value, word in enumerate(_TENS, start=3)
}
_KINDS: Final[dict[str, dict[float, str]]] = {
    "time": {
        1: "s sec second", 60: "min minute", 3600: "h hr hour", 86400: "day", 604800: "week", 1209600: "fortnight",
        2629800: "month", 31557600: "yr year",
    },
    "mass": {1e-6: "mg", 1e-3: "g gram", 1: "kg kilo kilogram", 1e3: "t ton tonne", 0.4536: "lb", 0.02835: "oz"},
    "length": {
        1e-3: "mm", 0.01: "cm", 1: "m metre meter", 1e3: "km", 0.0254: "in inch inche", 0.3048: "ft foot feet",
        1609.3: "mi mile",
    },
    "volume": {1e-3: "ml", 0.01: "cl", 1: "l litre liter"},
    "power": {1: "w watt", 1e3: "kw", 1e6: "mw", 745.7: "hp"},
    "energy": {1: "wh", 1e3: "kwh", 1e6: "mwh"},
    "money": {1: "eur euro usd dollar gbp pound chf franc kroner"},
    "share": {1: "% percent"},
    "heat": {1: "°c degree"},
}  # fmt: skip
_UNITS: Final = {
    name: (kind, factor) for kind, units in _KINDS.items() for factor, names in units.items() for name in names.split()
}
_WORDS: Final = "|".join(_VALUES)
_NUMBER: Final = re.compile(  # not the 16 of "C16"
    rf"(?<![^\W_])(?<!\d\.)\d+(?:,\d{{3}})*(?:\.\d+)?|\b(?:{_WORDS})\b", re.IGNORECASE
)
_ONE: Final = re.compile(r"\ban?\b", re.IGNORECASE)
_UNIT: Final = re.compile(
    rf"(?:\s*(?:to|or|-|–)\s*(?:{_NUMBER.pattern}))?[\s-]*(?P<unit>%|°?[^\W\d_]+)", re.IGNORECASE
)  # "four to six weeks"
_MONEY: Final = ("£", "€", "$")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what it measures, in one unit for each kind; of an unknown unit, the kind is empty."""

    value: float
    kind: str


_BEFORE_RELEASE: Final = r"(?:[-.]?(?:a|b|c|rc|alpha|beta|dev|pre|post)[-.]?\d{0,4})?"  # of what is tried out: "a1"
_VERSION: Final = re.compile(
    rf"(?<![\w.])(?:(?:versions? |releases? |v)(?P<said>\d{{1,4}}\.\d{{1,4}}{_BEFORE_RELEASE})"
    rf"|v?(?P<long>\d{{1,4}}(?:\.\d{{1,4}}){{2,3}}{_BEFORE_RELEASE}))(?!\.?\w)",
    re.IGNORECASE,
)


def number_in(text: str) -> float | None:
    """The first number in a text, such as ``1,204.5`` or ``twelve``; None where there is none."""
    found = _NUMBER.search(text)
    return None if found is None else _value(found.group())


def amount_in(text: str, start: int, end: int) -> Amount | None:
    """The first number of a stretch with its unit, which may stand behind the stretch, or a sign for money before it.

    "A year" is one. None where there is no number.
    """
    found = _NUMBER.search(text, start, end)
    one = found is None
    found = found or _ONE.search(text, start, end)
    if found is None:
        return None
    value = 1.0 if one else _value(found.group())
    unit = _UNIT.match(text, found.end())
    kind, factor = _UNITS.get(_singular(unit["unit"].lower()), ("", 1.0)) if unit else ("", 1.0)
    if one:
        return Amount(factor, kind) if kind == "time" else None
    if text[max(found.start() - 2, 0) : found.start()].strip().endswith(_MONEY):
        kind, factor = "money", 1.0
    return Amount(value * factor, kind)


def amount_apart(one: str, other: str) -> str | None:
    """The difference of the first amounts of two texts, as exact as they are; None where they measure otherwise.

    It has the unit of the first, or of the other, where the first is a bare number.
    """
    amounts = amount_in(one, 0, len(one)), amount_in(other, 0, len(other))
    found = _NUMBER.search(one), _NUMBER.search(other)
    if amounts[0] is None or amounts[1] is None or found[0] is None or found[1] is None:
        return None
    kinds = {amount.kind for amount in amounts if amount is not None and amount.kind}
    if len(kinds) > 1:
        return None
    values = _value(found[0].group()), _value(found[1].group())
    if amounts[0].kind == amounts[1].kind and values[0]:  # "1.2 km", "800 m"
        values = values[0], amounts[1].value / (amounts[0].value / values[0])
    digits = max(len(each.group().partition(".")[2]) for each in found if each is not None)
    said, number = (one, found[0]) if amounts[0].kind or not kinds else (other, found[1])
    unit = _UNIT.match(said, number.end())
    sign = said[: number.start()].strip()[-1:]
    told = f"{sign if sign in _MONEY else ''}{abs(values[0] - values[1]):,.{digits}f}"
    return f"{told} {unit['unit']}".replace(" %", "%") if unit else told


def counted(number: int, things: str) -> str:
    """A number and what it counts, as people write it: "1 document", "2 documents", "1,204 passages".

    ``things``: a regular plural, which stands in the singular behind a 1.
    """
    return f"{number:,} {one(things) if number == 1 else things}"


def one(things: str) -> str:
    """The singular of a regular plural: of the last word, as in "model calls"."""
    return f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")


def _value(word: str) -> float:
    known = _VALUES.get(word.lower())
    return float(word.replace(",", "")) if known is None else known


def _singular(unit: str) -> str:
    return unit if unit in _UNITS else unit.removesuffix("s")


def versions_in(text: str) -> frozenset[str]:
    """The versions that a text names, such as "2.1.0" and the 2.1 of "version 2.1"; 2.1 alone may be an amount."""
    return frozenset(found["said"] or found["long"] for found in _VERSION.finditer(text))


def names_version(text: str, version: str) -> bool:
    """Whether a version stands in a text, and not a longer one that begins or ends like it."""
    return re.search(rf"(?<![\d.]){re.escape(version)}(?!\.?\d)", text) is not None
