"""What a number in a spreadsheet is to people, by its format: a date, an amount with its currency, a share."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from itertools import groupby
from typing import Final

GENERAL: Final = "General"
BUILT_IN: Final[Mapping[int, str]] = {
    0: GENERAL,
    1: "0",
    2: "0.00",
    **dict.fromkeys((3, 37, 38), "#,##0"),
    **dict.fromkeys((4, 39, 40), "#,##0.00"),
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "d/m/yy h:mm",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    **dict.fromkeys((14, 15, 16, *range(27, 32), 36, *range(50, 55), 57, 58), "d/m/yy"),  # East Asian ones among them
    **dict.fromkeys((*range(32, 36), 55, 56), "h:mm"),
}
_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>[hms]+)\]|\[[^\]]*\]'
    r"|(?P<general>General)|(?P<other>E[+-][0#?]+|@|[?#0 ]+/[?#0\d ]+)|(?P<half>AM/PM|A/P)|(?P<part>y+|e+|m+|d+|h+|s+)"
    r"|(?P<places>[0#?]+,*|\.(?=[0#?])|(?<=[0#?,])\.)|(?P<percent>%)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_DAY: Final = 86_400  # seconds
_LAST_DAY: Final = 2_958_466  # the day after 9999-12-31
_NO_DAY: Final = 60  # 29 February 1900, which there never was
_FIRST_1900: Final = date(1899, 12, 30)
_FIRST_1904: Final = date(1904, 1, 1)
_EXACT: Final = 1e15  # whole numbers below are exact
_MOST_PLACES: Final = 30  # on each side of the point
_MOST_POWERS: Final = 60  # of ten that a number is scaled by
_ROOM: Final = Context(prec=200)  # digits: more than all of these together
_MOST_SECTIONS: Final = 4  # of a code that are told apart
_CONDITION: Final = re.compile(r"(?:\[[^\]<>=]*\])*\[(?P<relation>[<>]=?|=|<>)(?P<limit>-?\d{1,20}(?:\.\d{1,20})?)\]")
_HOLDS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A format code, taken apart; ``parts`` are the letters of dates, ``decimals`` None where none are set."""

    parts: frozenset[str] = frozenset()
    elapsed: bool = False
    digits: int = 0  # before the point that are shown in any case
    between: tuple[tuple[int, str], ...] = ()  # what stands among them, by how many places are to the right of it
    decimals: int | None = None
    least: int = 0  # decimals that are shown in any case
    grouped: bool = False
    scale: int = 0  # powers of ten
    before: str = ""
    behind: str = ""
    condition: tuple[str, float] | None = None  # for numbers that meet it: a relation, and what they are compared with
    otherwise: NumberFormat | None = None

    @property
    def is_date(self) -> bool:
        """Whether numbers of this format are days or times."""
        return bool(self.parts) or self.elapsed

    def shown(self, value: float, *, from_1904: bool = False) -> str:
        """A number as it is shown."""
        if self.condition and self.otherwise and not _HOLDS[self.condition[0]](value, self.condition[1]):
            return self.otherwise.shown(value, from_1904=from_1904)
        if self.is_date:
            return self._moment(value, from_1904) or plain_number(value)
        if self.decimals is None or abs(value) >= _EXACT:
            return plain_number(value)
        exact = Decimal(f"{abs(value):.15g}").scaleb(self.scale)
        rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_UP, _ROOM)
        whole, _, decimals = f"{rounded:f}".partition(".")
        fraction = decimals[: self.least] + decimals[self.least :].rstrip("0")
        written = f"{self._placed(whole)}.{fraction}" if fraction else self._placed(whole)
        return f"{'-' if value < 0 else ''}{self.before.lstrip()}{written}{self.behind.rstrip()}"

    def _placed(self, whole: str) -> str:
        """The digits before the point, put from the right into the places that the format has for them."""
        between = dict(self.between)
        written = ""
        for right, digit in enumerate(reversed(whole.zfill(self.digits))):
            if right:
                written = f"{',' if self.grouped and right % 3 == 0 else ''}{between.get(right, '')}{written}"
            written = digit + written
        return written

    def _moment(self, value: float, from_1904: bool) -> str:
        if not 0 <= value < _LAST_DAY:
            return ""
        seconds = min(round(value * _DAY), _LAST_DAY * _DAY - 1)
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
    """The format of a code, which has one for each condition, or one for positive numbers and others for the rest."""
    form: NumberFormat | None = None
    for section in reversed(_sections(code)):
        condition = _CONDITION.match(section)
        below, form = form, _of_section(section)
        if condition:
            form = replace(form, condition=(condition["relation"], float(condition["limit"])), otherwise=below)
    return form or NumberFormat()


def _sections(code: str) -> list[str]:
    ends = [token.start() for token in _TOKEN.finditer(code) if token["plain"] == ";"][:_MOST_SECTIONS]
    begins = [0, *(end + 1 for end in ends)]
    return [code[begin:end] for begin, end in zip(begins, [*ends, len(code)], strict=True)]


def _of_section(code: str) -> NumberFormat:
    parts: list[str] = []
    places = ""  # for digits, with the point and commas
    literals: list[tuple[int, str]] = []  # each with how much of the places stands before it
    elapsed = False
    percents = 0
    for token in _TOKEN.finditer(code):
        if token["general"] or token["other"]:
            return NumberFormat()
        elapsed = elapsed or bool(token["elapsed"])
        if token["elapsed"] or token["part"]:
            parts.append((token["elapsed"] or token["part"])[0].lower())
        percents += bool(token["percent"])
        said = token["quoted"] or token["escaped"] or token["currency"] or token["percent"] or token["plain"] or ""
        if token["places"] and not (token["places"] == "." and "." in places):
            places += token["places"]
        elif said:
            literals.append((len(places), said))
    if parts:
        return NumberFormat(parts=frozenset(_told_apart(parts)), elapsed=elapsed)
    return _of_places(places, literals, 2 * percents) if places else NumberFormat()


def _of_places(written: str, literals: Sequence[tuple[int, str]], scale: int) -> NumberFormat:
    """The format with these places for digits, and the literals before, among and behind those."""
    before_point, _, behind_point = written.partition(".")
    whole, fraction = before_point.rstrip(","), behind_point.rstrip(",")
    thousands = len(before_point) - len(whole) + len(behind_point) - len(fraction)
    places, decimals = whole.replace(",", ""), fraction.replace(",", "")[:_MOST_PLACES]
    among = [(len(whole[at:].replace(",", "")), said) for at, said in literals if 0 < at < len(whole)]
    return NumberFormat(
        digits=min(len(places) - places.find("0"), _MOST_PLACES) if "0" in places else 0,
        between=tuple(
            (right, "".join(said for _, said in group)) for right, group in groupby(among, operator.itemgetter(0))
        ),
        decimals=len(decimals),
        least=decimals.rfind("0") + 1,
        grouped="," in whole,
        scale=max(-_MOST_POWERS, min(scale - 3 * thousands, _MOST_POWERS)),
        before="".join(said for at, said in literals if at == 0),
        behind="".join(said for at, said in literals if at and at >= len(whole)),
    )


def _told_apart(parts: list[str]) -> list[str]:
    """The letters, with those for months apart from those for minutes, which stand by hours or seconds."""
    around = ["", *("y" if part == "e" else part for part in parts), ""]
    return [
        "month" if part == "m" and around[at - 1] != "h" and around[at + 1] != "s" else part
        for at, part in enumerate(around)
        if part
    ]
