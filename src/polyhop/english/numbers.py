"""Numbers, in digits and in words, and what they measure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

NUMERALS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT_SCALES: Final = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9}  # of money: "£1.2m"
_VALUES: Final = (
    {word: float(value) for value, word in enumerate(NUMERALS)}
    | {word: 10.0 * value for value, word in enumerate(_TENS, start=2)}
    | _SCALES
)
_CURRENCIES: Final = (  # of ISO 4217, those that are traded most
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "AUD", "CAD", "NZD", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "HKD", "SGD", "KRW", "MXN", "BRL", "ZAR", "ILS", "THB",
)  # fmt: skip
_KINDS: Final[dict[str, dict[float, str]]] = {
    "time": {
        1: "s sec second", 60: "min minute", 3600: "h hr hour", 86400: "day", 604800: "week", 1209600: "fortnight",
        2629800: "month", 31557600: "yr year",
    },
    "mass": {
        1e-6: "mg milligram", 1e-3: "g gram gramme", 1: "kg kilo kilogram kilogramme", 1e3: "t ton tonne", 0.4536: "lb",
        0.02835: "oz ounce",
    },
    "length": {
        1e-3: "mm millimetre millimeter", 0.01: "cm centimetre centimeter", 1: "m metre meter",
        1e3: "km kilometre kilometer", 0.0254: "in inch inche", 0.3048: "ft foot feet", 0.9144: "yd yard",
        1609.3: "mi mile",
    },
    "volume": {1e-3: "ml millilitre milliliter", 0.01: "cl centilitre centiliter", 1: "l litre liter"},
    "power": {1: "w watt", 1e3: "kw kilowatt", 1e6: "mw megawatt", 745.7: "hp"},
    "energy": {1: "wh", 1e3: "kwh", 1e6: "mwh"},
    "money": {1: "euro dollar pound franc kroner"},
    "share": {1: "% percent"},
    "heat": {1: "°c degree"},
}  # fmt: skip
_UNITS: Final = {
    name: (kind, factor) for kind, units in _KINDS.items() for factor, names in units.items() for name in names.split()
} | {code.lower(): ("money", 1.0) for code in _CURRENCIES}
_SCALE_WORDS: Final = "|".join(_SCALES)
_WORDS: Final = rf"(?:(?:{'|'.join(_TENS)})[ -](?:{'|'.join(NUMERALS[1:10])})|{'|'.join(_VALUES)})"
_NUMBER: Final = re.compile(  # not the 16 of "C16"; "two hundred and five" whole, but not "two and five"
    rf"(?<![^\W_])(?<!\d\.)\d+(?:,\d{{3}})*(?:\.\d+)?"
    rf"|\b(?:(?:{_WORDS}[ -])?(?:{_SCALE_WORDS})(?:(?: and)? {_WORDS})*|{_WORDS})\b",
    re.IGNORECASE,
)
_ONE: Final = re.compile(r"\ban?\b", re.IGNORECASE)
_RANGE: Final = rf"(?:\s*(?:to|or|-|–)\s*(?:{_NUMBER.pattern}))?"  # "four to six weeks"
_UNIT: Final = re.compile(rf"{_RANGE}[\s-]*(?P<unit>%|°?[^\W\d_]+)", re.IGNORECASE)
_SCALE: Final = re.compile(rf"{_RANGE}[ -]?(?P<scale>{_SCALE_WORDS})\b", re.IGNORECASE)
_SHORT_SCALE: Final = re.compile(rf"{_RANGE} ?(?P<scale>{'|'.join(_SHORT_SCALES)})\b", re.IGNORECASE)
_EXACT: Final = 1e-6  # of two amounts: as much may be lost of their difference
_MONEY: Final = ("£", "€", "$")
CURRENCY: Final = rf"(?:[{''.join(_MONEY)}]|\b(?:{'|'.join(_CURRENCIES)})(?![^\W\d_])) ?"
"""What tells money before a number: a sign, or a code in capital letters, as a pattern without groups."""

_IN_MONEY: Final = re.compile(CURRENCY + r"\Z")


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
_JOINED: Final = re.compile(r"(?<![\w@/.-])\w+(?:[-_.]\w+)*(?![\w@/])")
_PARTS: Final = re.compile(r"[^\W\d_]+|\d+")
_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")


class _Found(NamedTuple):
    """A number in a text, with the words that multiply it."""

    value: float
    start: int
    end: int
    decimals: int  # that are told of the value


def number_in(text: str) -> float | None:
    """The first number in a text, such as ``1,204.5``, ``1.2 million`` or ``twelve``; None where there is none."""
    found = _find(text, 0, len(text))
    return None if found is None else found.value


def amount_in(text: str, start: int, end: int) -> Amount | None:
    """The first number of a stretch with its unit, which may stand behind the stretch, or as money before it.

    "A year" is one. None where there is no number.
    """
    found = _find(text, start, end)
    one = found is None
    if found is None:
        article = _ONE.search(text, start, end)
        if article is None:
            return None
        found = _Found(1.0, article.start(), article.end(), 0)
    unit = _UNIT.match(text, found.end)
    kind, factor = _UNITS.get(_singular(unit["unit"].lower()), ("", 1.0)) if unit else ("", 1.0)
    if one:
        return Amount(factor, kind) if kind == "time" else None
    if _is_money(text, found.start):
        kind, factor = "money", 1.0
    return Amount(found.value * factor, kind)


def amount_apart(one: str, other: str) -> str | None:
    """The difference of the first amounts of two texts, as exact as they are; None where they measure otherwise.

    It has the unit of the first, or of the other, where the first is a bare number.
    """
    amounts = amount_in(one, 0, len(one)), amount_in(other, 0, len(other))
    found = _find(one, 0, len(one)), _find(other, 0, len(other))
    if amounts[0] is None or amounts[1] is None or found[0] is None or found[1] is None:
        return None
    kinds = {amount.kind for amount in amounts if amount is not None and amount.kind}
    if len(kinds) > 1:
        return None
    values, digits = (found[0].value, found[1].value), max(found[0].decimals, found[1].decimals)
    if amounts[0].kind == amounts[1].kind and values[0]:  # "1.2 km", "800 m"
        values = values[0], amounts[1].value / (amounts[0].value / values[0])
    said, number = (one, found[0]) if amounts[0].kind or not kinds else (other, found[1])
    unit = _UNIT.match(said, number.end)
    money = _IN_MONEY.search(said, 0, number.start)
    sign = "" if money is None else money[0].strip() if money[0].startswith(_MONEY) else money[0]  # "£", "EUR "
    told = f"{sign}{_written(abs(values[0] - values[1]), digits, _EXACT * max(values))}"
    return f"{told} {unit['unit']}".replace(" %", "%") if unit else told


def _written(number: float, digits: int, most: float) -> str:
    """A number with so many digits behind the point, or with more where that would lose more than ``most``."""
    told = f"{number:,.{digits}f}"
    if abs(float(told.replace(",", "")) - number) <= most:
        return told
    return f"{number:,.2f}".rstrip("0").rstrip(".") if number >= 1 else f"{number:.3g}"


def counted(number: int, things: str) -> str:
    """A number and what it counts, as people write it: "1 document", "2 documents", "1,204 passages".

    ``things``: a regular plural, which stands in the singular behind a 1.
    """
    return f"{number:,} {one(things) if number == 1 else things}"


def one(things: str) -> str:
    """The singular of a regular plural: of the last word, as in "model calls"."""
    return f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")


def _find(text: str, start: int, end: int) -> _Found | None:
    """The first number of a stretch; what multiplies it may stand behind the stretch."""
    found = _NUMBER.search(text, start, end)
    if found is None:
        return None
    scale = _SCALE.match(text, found.end())
    if scale is None and _is_money(text, found.start()):
        scale = _SHORT_SCALE.match(text, found.end())
    factor = {**_SCALES, **_SHORT_SCALES}[scale["scale"].casefold()] if scale else 1.0
    decimals = len(found.group().partition(".")[2]) - round(math.log10(factor))
    return _Found(_value(found.group()) * factor, found.start(), (scale or found).end(), max(decimals, 0))


def _is_money(text: str, start: int) -> bool:
    return _IN_MONEY.search(text, max(start - len("EUR "), 0), start) is not None


def _value(number: str) -> float:
    """What a number is, in digits or in words."""
    if number[0].isdigit():
        return float(number.replace(",", ""))
    total = part = 0.0
    for word in number.casefold().replace("-", " ").replace(" and ", " ").split():
        if word == "hundred":
            part = (part or 1.0) * _SCALES[word]
        elif word in _SCALES:
            total, part = total + (part or 1.0) * _SCALES[word], 0.0
        else:
            part += _VALUES[word]
    return total + part


def _singular(unit: str) -> str:
    return unit if unit in _UNITS else unit.removesuffix("s")


def versions_in(text: str) -> frozenset[str]:
    """The versions that a text names, such as "2.1.0" and the 2.1 of "version 2.1"; 2.1 alone may be an amount."""
    return frozenset(found["said"] or found["long"] for found in _VERSION.finditer(text))


def names_version(text: str, version: str) -> bool:
    """Whether a version stands in a text, and not a longer one that begins or ends like it."""
    return re.search(rf"(?<![\d.]){re.escape(version)}(?!\.?\d)", text) is not None


def codes_in(text: str) -> Iterator[re.Match[str]]:
    """What is told from others of its series by a number or a word: "LMP-402", "E3", "2031-014", "gate.max_width".

    Not what has a day, or an age or a decade, such as "under-19" and "mid-1990s".
    """
    return (found for found in _JOINED.finditer(text) if _is_code(found[0]))


def _is_code(said: str) -> bool:
    parts = _PARTS.findall(said)
    words, numbers = [one for one in parts if one.isalpha()], [one for one in parts if not one.isalpha()]
    if len(parts) < 2:
        return False
    if not numbers:
        return ("_" in said or "." in said) and all(len(word) > 1 for word in words)
    longer = any(len(number) > 2 and not _YEAR.fullmatch(number) for number in numbers)
    if not words:
        return longer and "." not in said
    return said[0].isupper() and ("".join(words).isupper() or not any(map(_YEAR.fullmatch, numbers)))


def of_one_series(code: str, other: str) -> bool:
    """Whether two codes are alike but for one number, or one word where they have none: forms of one word are one."""
    ours, theirs = (_PARTS.findall(said.lower()) for said in (code, other))
    differ = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    if len(ours) != len(theirs) or len(ours) < 2 or len(differ) != 1:
        return False
    ((one, another),) = differ
    if any(part.isdecimal() for part in ours):
        return one.isdecimal() and another.isdecimal() and int(one) != int(another)
    return not one.startswith(another) and not another.startswith(one)


def names_code(text: str, code: str) -> bool:
    """Whether a text names a code, however it is joined; or its last name alone, as under "[gate]" in settings."""
    return any(
        re.search(rf"(?<![\w.]){pattern}(?!\d)(?![^\W\d_]{{2}})", text, re.IGNORECASE) is not None
        for said in {code, code.rpartition(".")[2]}
        if not said.isdecimal()
        for pattern in [r"[\W_]{0,2}".join(map(re.escape, _PARTS.findall(said)))]
    )
