"""What a number in a spreadsheet is to people, by its format: a date, an amount with its currency, a share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Final

GENERAL: Final = "General"
BUILT_IN: Final[Mapping[int, str]] = {
    0: GENERAL,
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    17: "mmm-yy",
    20: "h:mm",
    21: "h:mm:ss",
    22: "d/m/yy h:mm",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    37: "#,##0",
    38: "#,##0",
    39: "#,##0.00",
    40: "#,##0.00",
    **dict.fromkeys((14, 15, 16, *range(27, 32), 36, *range(50, 55), 57, 58), "d/m/yy"),  # East Asian ones among them
    **dict.fromkeys((*range(32, 36), 55, 56), "h:mm"),
}
_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>[hms]+)\]|\[[^\]]*\]'
    r"|(?P<general>General)|(?P<other>E[+-][0#?]+|@|[?#0 ]+/[?#0\d ]+)|(?P<half>AM/PM|A/P)|(?P<part>y+|e+|m+|d+|h+|s+)"
    r"|(?P<number>[0#?](?:[0#?,]*[0#?])?(?P<thousands>,*)(?:\.(?P<decimals>[0#?]*)(?P<more>,*))?)|(?P<percent>%)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_DAY: Final = 86_400  # seconds
_LAST_DAY: Final = 2_958_466  # the day after 9999-12-31
_NO_DAY: Final = 60  # 29 February 1900, which there never was
_FIRST_1900: Final = date(1899, 12, 30)
_FIRST_1904: Final = date(1904, 1, 1)
_EXACT: Final = 1e15  # whole numbers below are exact
_MOST_DECIMALS: Final = 30


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A format code, taken apart; ``parts`` are the letters of dates, ``decimals`` None where none are set."""

    parts: frozenset[str] = frozenset()
    elapsed: bool = False
    decimals: int | None = None
    least: int = 0  # decimals that are shown in any case
    grouped: bool = False
    scale: int = 0  # powers of ten
    before: str = ""
    behind: str = ""

    @property
    def is_date(self) -> bool:
        """Whether numbers of this format are days or times."""
        return bool(self.parts) or self.elapsed

    def shown(self, value: float, *, from_1904: bool = False) -> str:
        """A number as it is shown."""
        if self.is_date:
            return self._moment(value, from_1904) or plain_number(value)
        if self.decimals is None or abs(value) >= _EXACT:
            return plain_number(value)
        exact = Decimal(f"{value:.15g}").scaleb(self.scale)
        rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_UP)
        written = f"{rounded:{',' if self.grouped else ''}f}"
        sure = len(written) - (self.decimals - self.least)
        written = f"{written[:sure]}{written[sure:].rstrip('0')}".removesuffix(".")
        return f"{self.before}{written}{self.behind}".strip()

    def _moment(self, value: float, from_1904: bool) -> str:
        if not 0 <= value < _LAST_DAY:
            return ""
        seconds = round(value * _DAY)
        day, second = divmod(seconds, _DAY)
        clock = f"{second // 3600:02}:{second // 60 % 60:02}" + (f":{second % 60:02}" if "s" in self.parts else "")
        if self.elapsed:
            return f"{seconds // 3600}{clock[2:]}"
        if not self.parts & {"y", "month", "d"}:
            return clock
        if day == 0 and not from_1904:
            return clock if "h" in self.parts else ""
        return " ".join(filter(None, (self._date(day, from_1904), clock if "h" in self.parts else "")))

    def _date(self, day: int, from_1904: bool) -> str:
        if from_1904:
            whole = (_FIRST_1904 + timedelta(days=day)).isoformat() if day < _LAST_DAY - 1462 else ""
        elif day == _NO_DAY:
            whole = "1900-02-29"
        else:
            whole = (_FIRST_1900 + timedelta(days=day + (day < _NO_DAY))).isoformat()
        if "y" in self.parts and "d" not in self.parts:
            return whole[:7] if "month" in self.parts else whole[:4]
        return whole


def plain_number(value: float) -> str:
    """A number as it was entered: whole, or with the fifteen digits that a spreadsheet keeps."""
    return str(int(value)) if float(value).is_integer() and abs(value) < _EXACT else f"{value:.15g}"


@lru_cache(maxsize=1024)  # of a pure function: a workbook has few formats
def number_format(code: str) -> NumberFormat:
    """The format for numbers of a code, which is that for positive ones where it has several."""
    parts: list[str] = []
    literal = ["", ""]  # before and behind the number
    number: re.Match[str] | None = None
    elapsed = False
    percents = 0
    for token in _TOKEN.finditer(code):
        if token["plain"] == ";":
            break
        if token["general"] or token["other"]:
            return NumberFormat()
        elapsed = elapsed or bool(token["elapsed"])
        if token["elapsed"] or token["part"]:
            parts.append((token["elapsed"] or token["part"])[0].lower())
        number = number or (token if token["number"] else None)
        percents += bool(token["percent"])
        said = token["quoted"] or token["escaped"] or token["currency"] or token["percent"] or token["plain"] or ""
        literal[number is not None] += said
    if parts:
        return NumberFormat(parts=frozenset(_told_apart(parts)), elapsed=elapsed)
    if number is None:
        return NumberFormat()
    decimals = (number["decimals"] or "")[:_MOST_DECIMALS]
    return NumberFormat(
        decimals=len(decimals),
        least=decimals.rfind("0") + 1,
        grouped="," in number["number"].partition(".")[0].rstrip(","),
        scale=2 * percents - 3 * len(number["thousands"] + (number["more"] or "")),
        before=literal[0],
        behind=literal[1],
    )


def _told_apart(parts: list[str]) -> list[str]:
    """The letters, with those for months apart from those for minutes, which stand by hours or seconds."""
    around = ["", *("y" if part == "e" else part for part in parts), ""]
    return [
        "month" if part == "m" and around[at - 1] != "h" and around[at + 1] != "s" else part
        for at, part in enumerate(around)
        if part
    ]
