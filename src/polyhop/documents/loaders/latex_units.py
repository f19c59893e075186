"""Numbers with units as LaTeX's siunitx has them, as people type them: 19.8 mm, 5 V to 9 V, 0.02/cm, 12°."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from polyhop.documents.loaders.latex_tokens import TexToken, TexTokens

Said = Callable[[Sequence[TexToken]], str]  # what tokens of a formula say


class _Shape(NamedTuple):
    """How many arguments of a command are numbers, whether a unit follows, and what a list of numbers is parted by."""

    numbers: int
    has_unit: bool = False
    parted: str = ""


QUANTITIES: Final[Mapping[str, _Shape]] = {
    "num": _Shape(1),
    **dict.fromkeys(("SI", "qty"), _Shape(1, has_unit=True)),
    **dict.fromkeys(("si", "unit"), _Shape(0, has_unit=True)),
    "numrange": _Shape(2),
    **dict.fromkeys(("SIrange", "qtyrange"), _Shape(2, has_unit=True)),
    "numlist": _Shape(1, parted=";"),
    **dict.fromkeys(("SIlist", "qtylist"), _Shape(1, has_unit=True, parted=";")),
    "ang": _Shape(1),
}
_PREFIXES: Final = dict(
    re.findall(
        r"(\w+)=(\S+)",
        "quecto=q ronto=r yocto=y zepto=z atto=a femto=f pico=p nano=n micro=µ milli=m centi=c deci=d deca=da deka=da "
        "hecto=h kilo=k mega=M giga=G tera=T peta=P exa=E zetta=Z yotta=Y ronna=R quetta=Q "
        "kibi=Ki mebi=Mi gibi=Gi tebi=Ti pebi=Pi exbi=Ei",
    )
)
_UNITS: Final = dict(
    re.findall(
        r"(\w+)=(\S+)",
        "ampere=A candela=cd kelvin=K kilogram=kg gram=g metre=m meter=m mole=mol second=s becquerel=Bq celsius=°C "
        "degreeCelsius=°C coulomb=C farad=F gray=Gy hertz=Hz henry=H joule=J katal=kat lumen=lm lux=lx newton=N ohm=Ω "
        "pascal=Pa radian=rad siemens=S sievert=Sv steradian=sr tesla=T volt=V watt=W weber=Wb day=d hour=h minute=min "
        "hectare=ha litre=L liter=L tonne=t degree=° arcminute=′ arcsecond=″ percent=% astronomicalunit=au bel=B "
        "decibel=dB dalton=Da atomicmassunit=u electronvolt=eV neper=Np angstrom=Å barn=b knot=kn nauticalmile=M "
        "micron=µm byte=B",
    )
)
_POWERS: Final = {"squared": "^2", "cubed": "^3", "square": "^2", "cubic": "^3"}
_BEFORE: Final = frozenset(("square", "cubic"))  # powers that stand before what they are of
_MICRO: Final = re.compile(r"u(?=(?:g|m|s|mol|[AlLVWJFHCN]|Pa)$)")  # \um, \us ...: micrometres, microseconds
_EXPONENT: Final = re.compile(r"(?:(?<=[\d.)])|^)[eEdD]([+-]?\d+)$")
_PRODUCT: Final = re.compile(r"\.(?=\w)")
_CLOSE: Final = re.compile(r"[%′″/]|°(?![CF])")  # what stands right behind a number
_ANGLE: Final = ("°", "′", "″")


def quantity(name: str, read: TexTokens, said: Said) -> str | None:
    """What a command of siunitx says; None where its name stands for something else, such as large brackets.

    ``read`` stands behind the command. Definitions of the source are put in; ``said`` reads what is in a number.
    """
    shape = QUANTITIES[name]
    bracketed = read.option()
    first = read.group()
    if first is None:
        read.push(() if bracketed is None else [TexToken("mark", "["), *bracketed, TexToken("mark", "]")])
        return None
    option = "".join(token.text for token in bracketed or ())
    given = [first]
    while len(given) < shape.numbers:
        given.append(read.argument())
    numbers = [said(read.put_in(tokens)) for tokens in given[: shape.numbers]]
    if name == "ang":
        degrees = zip(map(_number, numbers[0].split(";")), _ANGLE, strict=False)
        return "".join(f"{number}{sign}" for number, sign in degrees if number)
    if shape.parted:
        numbers = numbers[0].split(shape.parted)
    if name == "unit" and option and "=" not in option:
        numbers = [option]  # the package units has its number there
    unit = _unit(read, given, shape, said) if shape.has_unit else ""
    counted = [_with_unit(_number(number), unit) for number in numbers]
    if shape.numbers == 2:
        return " to ".join(counted)
    return " and ".join(filter(None, (", ".join(counted[:-1]), *counted[-1:]))) if counted else _with_unit("", unit)


def _unit(read: TexTokens, given: Sequence[Sequence[TexToken]], shape: _Shape, said: Said) -> str:
    tokens: Sequence[TexToken] = given[0]
    if shape.numbers:
        read.option()  # a sign to stand before the number
        tokens = read.group() or ()
    return _Unit(said).of(read.put_in(tokens))


def _number(typed: str) -> str:
    """A number as people type it; whatever has no digit stays as it is."""
    if not any(map(str.isdecimal, typed)):
        return typed.strip()
    close = "".join(typed.split()).replace("+-", "±")
    power = _EXPONENT.search(close)
    if power:
        mantissa = close[: power.start()]
        close = f"{mantissa}{'×' if mantissa else ''}10^{power[1].removeprefix('+')}"
    return re.sub(r"(?<=\d)±(?=\d)", " ± ", re.sub(r"(?<=\d)x(?=\d)", " × ", close))


def _with_unit(number: str, unit: str) -> str:
    if not number:
        return f"1{unit}" if unit.startswith("/") else unit
    return f"{number}{'' if _CLOSE.match(unit) else ' '}{unit}".rstrip()


@dataclass(slots=True)
class _Unit:
    """A unit that is being read: its parts above the stroke, and those below it."""

    said: Said
    above: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    _is_below: bool = False
    _was_below: bool = False
    _prefix: str = ""
    _power: str = ""
    _goes_on: bool = False  # whether letters that follow belong to the part before them

    def of(self, tokens: Sequence[TexToken]) -> str:
        """The unit that tokens are."""
        read = TexTokens("")
        read.push(tokens)
        for token in read:
            if token.kind == "command":
                self._command(token, read)
                self._goes_on = False
            elif token.kind in ("text", "verbatim"):
                self._letters(token.text)
            elif token.kind == "space" or token.text == "~":
                self._goes_on = False
        below = self.below[0] if len(self.below) == 1 else f"({' '.join(self.below)})"
        return " ".join(self.above) + (f"/{below}" if self.below else "")

    def _command(self, token: TexToken, read: TexTokens) -> None:
        name = token.text
        if name == "per":
            self._is_below = True
        elif name in _PREFIXES:
            self._prefix += _PREFIXES[name]
        elif name in _BEFORE:
            self._power = _POWERS[name]
        elif name in _POWERS:
            self._behind(_POWERS[name])
        elif name == "raiseto":
            self._power = f"^{self.said(read.argument())}"
        elif name == "tothe":
            self._behind(f"^{self.said(read.argument())}")
        elif name == "of":
            self._behind(f"({self.said(read.argument())})")
        elif symbol := _UNITS.get(name) or _MICRO.sub("µ", self.said([token]).strip()):
            self._place(symbol)

    def _letters(self, text: str) -> None:
        """Units that are typed as they are: "kg.m/s^2"."""
        parted = _PRODUCT.sub(" ", text)
        if self._goes_on or text.startswith("^"):
            self._behind(parted)
        else:
            self._place(parted)
        self._goes_on = True

    def _place(self, symbol: str) -> None:
        (self.below if self._is_below else self.above).append(f"{self._prefix}{symbol}{self._power}")
        self._goes_on = False
        self._was_below, self._is_below, self._prefix, self._power = self._is_below, False, "", ""

    def _behind(self, mark: str) -> None:
        parts = self.below if self._was_below else self.above
        if parts:
            parts[-1] += mark
        else:
            parts.append(mark)
