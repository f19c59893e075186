"""Formulas of office files (Office Math) and web pages (MathML) on one line, as people type them: 10^6, (a+b)/2, √2.

Without that their parts would stand side by side, and a half would be read as 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.archives import Attributes, PartEvents
from polyhop.documents.raised import MARK, needs_mark

FORMULA: Final = "oMath"  # the element that one is
_LEFT_OUT: Final = frozenset(("del", "moveFrom", "phant", "mphantom", "annotation", "annotation-xml"))  # or not shown
_UNSEEN: Final = {0x2061: " ", **dict.fromkeys(range(0x2062, 0x2065), "")}  # signs of functions, products and lists
_TOKENS: Final = frozenset(("mi", "mn", "mo", "mtext", "ms"))
_PLACES: Final[Mapping[str, tuple[str, ...]]] = {  # what the elements in one of MathML are, by their places
    "f": ("num", "den"),
    "sSub": ("e", "sub"),
    "sSup": ("e", "sup"),
    **dict.fromkeys(("sSubSup", "munderover"), ("e", "sub", "sup")),
    "limLow": ("e", "lim"),
    "m": ("mr",),
    "mr": ("e",),
}
_OFFICE: Final = {  # what the elements of MathML are called in Office Math
    "mfrac": "f",
    "msub": "sSub",
    "msup": "sSup",
    "msubsup": "sSubSup",
    "munder": "limLow",
    "mtable": "m",
    "mtr": "mr",
}
_SIGNS: Final = frozenset(("chr", "begChr", "endChr", "sepChr"))
_DEEPEST: Final = 50  # elements within one another that are told apart: a bound on what is copied


@dataclass(slots=True)
class _Element:
    """An element that has begun: what the elements in it say, by their names, and the signs that it sets."""

    name: str
    parts: list[tuple[str, str]] = field(default_factory=list)
    signs: dict[str, str] = field(default_factory=dict)

    def said(self) -> str:
        """What it says."""
        if self.name in _LEFT_OUT:
            return ""
        return _WRITTEN.get(self.name, _Element.all)(self)

    def all(self) -> str:
        """Its parts, one behind the other."""
        return "".join(text for _, text in self.parts)

    def each(self, name: str) -> list[str]:
        """What its parts of a name say."""
        return [text for part, text in self.parts if part == name]

    def one(self, name: str) -> str:
        """The same as one text, in brackets where it has several terms."""
        text = "".join(self.each(name)).strip()
        single = not text or text.isalpha() or text.strip(".,0123456789") == "" or _is_bracketed(text)
        return text if single else f"({text})"

    def base(self) -> str:
        """What an index or a power stands behind."""
        return "".join(self.each("e"))


class FormulaText(PartEvents):
    """Reads what is in a formula of an office file."""

    def __init__(self) -> None:
        self._open = [_Element(FORMULA)]
        self._deeper = 0

    def text(self) -> str:
        """All of it."""
        return _seen(self._open[0])

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if len(self._open) == _DEEPEST:
            self._deeper += 1
        elif name in _SIGNS and len(self._open) > 1:
            self._open[-2].signs[name] = attributes.get("val", "")  # of what the properties are that it stands in
            self._open.append(_Element(name))
        else:
            self._open.append(_Element(name))

    def end(self, name: str) -> None:
        """An element ends."""
        if self._deeper:
            self._deeper -= 1
        elif len(self._open) > 1:
            ended = self._open.pop()
            self._open[-1].parts.append((ended.name, ended.said()))

    def data(self, text: str) -> None:
        """Text within an element."""
        if self._open[-1].name == "t" or self._deeper:
            self._open[-1].parts.append(("", text))


@dataclass
class TextWithFormulas(PartEvents):
    """Reads paragraphs of office files, and formulas in them by themselves; each kind says what other elements mean."""

    _text: list[str] = field(default_factory=list, init=False)  # of the paragraph
    _raised: bool = field(default=False, init=False)  # whether the run is, until it says something
    _in_run: bool = field(default=False, init=False)
    _in_text: bool = field(default=False, init=False)
    _skipping: list[str] = field(default_factory=list, init=False)  # elements that are left out
    _formula: FormulaText | None = field(default=None, init=False)  # that is open

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        (self._starts if self._formula is None else self._formula.start)(name, attributes)

    def end(self, name: str) -> None:
        """An element ends."""
        if self._formula is None:
            self._ends(name)
        elif name == FORMULA:
            self._text.append(self._formula.text())
            self._formula = None
        else:
            self._formula.end(name)

    def data(self, text: str) -> None:
        """Text within an element."""
        if self._formula is not None:
            self._formula.data(text)
        elif self._in_text and not self._skipping:
            self._write(text)

    def _starts(self, name: str, attributes: Attributes) -> None:
        """An element begins outside formulas."""

    def _ends(self, name: str) -> None:
        """An element ends outside formulas."""

    def _write(self, text: str) -> None:
        """What a run says; raised digits behind others have a mark."""
        if self._raised and needs_mark("".join(self._text[-1:]), text):
            self._text.append(MARK)
        self._raised = False
        self._text.append(text)

    def _taken(self) -> str:
        """The paragraph, which ends."""
        text = clean("".join(self._text)).strip()
        self._text.clear()
        return text


class MathMarkup(PartEvents):
    """Reads what is in a formula of a web page, however broken, or of OpenDocument."""

    def __init__(self) -> None:
        self._tags = [FORMULA]
        self._open = [_Element(FORMULA)]

    def text(self) -> str:
        """All of it."""
        while len(self._open) > 1:
            self._end()
        return _seen(self._open[0])

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if len(self._open) < _DEEPEST:
            self._tags.append(name)
            self._open.append(_Element(_OFFICE.get(name, name)))

    def end(self, name: str) -> None:
        """An element ends, if it has begun, and with it what was left open in it."""
        if name in self._tags[1:]:
            while self._tags[-1] != name:
                self._end()
            self._end()

    def data(self, text: str) -> None:
        """Text between tags."""
        if self._tags[-1] in _TOKENS or len(self._open) == _DEEPEST:
            self._open[-1].parts.append(("", " ".join(text.split())))

    def _end(self) -> None:
        self._tags.pop()
        ended, around = self._open.pop(), self._open[-1]
        places = _PLACES.get(around.name, ("e",))
        around.parts.append((places[min(len(around.parts), len(places) - 1)], ended.said()))


def _seen(formula: _Element) -> str:
    return formula.said().translate(_UNSEEN).strip()


def _is_bracketed(text: str) -> bool:
    """Whether a text is within one pair of brackets."""
    return text[:1] == "(" and text.find(")") == len(text) - 1


def _power(element: _Element) -> str:
    """A base with an index, a power, or both."""
    sub, sup = element.one("sub"), element.one("sup")
    return f"{element.base()}{'_' if sub.startswith('(') else ''}{sub}{f'^{sup}' if sup else ''}"


def _large(element: _Element) -> str:
    """A sum, an integral or the like, with its limits."""
    limits = "".join(f"{mark}{text}" for mark, name in (("_", "sub"), ("^", "sup")) if (text := element.one(name)))
    return f"{element.signs.get('chr', '∫')}{limits} {element.base()}"


def _bracketed(element: _Element) -> str:
    begin, end = (element.signs.get(name, usual) for name, usual in (("begChr", "("), ("endChr", ")")))
    return f"{begin}{element.signs.get('sepChr', '|').join(element.each('e'))}{end}"


_WRITTEN: Final[Mapping[str, Callable[[_Element], str]]] = {
    "f": lambda element: f"{element.one('num')}/{element.one('den')}",
    "sSub": _power,
    "sSup": _power,
    "sSubSup": _power,
    "munderover": lambda element: f"{_power(element)} ",  # of what follows
    "msqrt": lambda element: f"√{element.one('e')}",
    "mroot": lambda element: f"{''.join(element.each('e')[1:])}√{''.join(element.each('e')[:1])}",
    "rad": lambda element: f"{''.join(element.each('deg'))}√{element.one('e')}",
    "d": _bracketed,
    "nary": _large,
    "func": lambda element: f"{''.join(element.each('fName'))} {element.base()}",
    "limLow": lambda element: f"{element.base()}_{element.one('lim')}",
    "eqArr": lambda element: "; ".join(element.each("e")),
    "mr": lambda element: ", ".join(element.each("e")),
    "m": lambda element: "; ".join(element.each("mr")),
}
