"""Letters, signs and formulas of LaTeX as people type them: é for an accent and a letter, α^2, (a+b)/2, √2."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from polyhop.documents.loaders.latex_tokens import TexToken, TexTokens
from polyhop.documents.loaders.latex_units import QUANTITIES, quantity

ACCENTS: Final[Mapping[str, str]] = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "d": "\u0323", "r": "\u030a",
}  # fmt: skip
SIGNS: Final[Mapping[str, str]] = {  # within text
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "i", "j": "j", "S": "§", "P": "¶", "dag": "†", "ddag": "‡", "copyright": "©", "pounds": "£", "euro": "€",
    "texteuro": "€", "textmu": "µ", "textperthousand": "‰",
    "ldots": "…", "dots": "…", "textellipsis": "…", "textbackslash": "\\", "textbar": "|", "textasciitilde": "~",
    "textasciicircum": "^", "textless": "<", "textgreater": ">", "textendash": "–", "textemdash": "—",
    "textquotesingle": "'", "textquoteleft": "‘", "textquoteright": "’", "textdegree": "°", "degree": "°",
    "texttrademark": "™", "textregistered": "®", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "slash": "/",
    "quad": " ", "qquad": " ", "space": " ", "enspace": " ", "thinspace": " ", ",": " ", ";": " ", ":": " ", " ": " ",
    "\n": " ", "!": "", "/": "", "-": "", "@": "", "%": "%", "&": "&", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}",
}  # fmt: skip
_OF_FORMULAS: Final[Mapping[str, str]] = {
    "times": "×", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈",
    "sim": "~", "pm": "±", "mp": "∓", "infty": "∞", "rightarrow": "→", "to": "→", "leftarrow": "←", "in": "∈",
    "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇", "ll": "≪", "gg": "≫", "propto": "∝",
    "equiv": "≡", "cdots": "…", "mid": "|", "vert": "|", "prime": "′", "circ": "°", "forall": "∀", "exists": "∃",
    "cup": "∪", "cap": "∩", "subset": "⊂", "subseteq": "⊆", "ell": "ℓ", "hbar": "ℏ", "langle": "⟨", "rangle": "⟩",
    "notin": "∉", "emptyset": "∅", "Rightarrow": "⇒", "lambda": "λ", "varepsilon": "ε", "varphi": "φ", "ast": "*",
    "|": "‖", "lbrace": "{", "rbrace": "}", "backslash": "\\",
}  # fmt: skip
_UNSEEN: Final = frozenset((
    *("left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "textstyle", "limits", "nolimits"),
    *("nonumber", "notag", "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathcal", "mathbb", "mathscr", "text"),
    *("textrm", "textbf", "textit", "mbox", "hbox", "boldsymbol", "bm", "operatorname", "ensuremath", "rm", "bf", "it"),
    *("hat", "bar", "vec", "tilde", "dot", "overline", "underline", "widehat", "widetilde", "hspace", "centering"),
))  # fmt: skip
# Commands whose first argument is not shown.
_LABELLED: Final = frozenset(("label", "tag", "hspace", "vspace", "color", "textcolor"))
_DEEPEST: Final = 30  # formulas within one another


def typeset(text: str) -> str:
    """A text with the dashes and quotation marks that its signs stand for."""
    dashed = text.replace("---", "—").replace("--", "–")
    return dashed.replace("``", "“").replace("''", "”").replace("`", "‘")


def accented(accent: str, letter: str) -> str:
    """A letter with an accent, as one character where there is one."""
    return unicodedata.normalize("NFC", letter + ACCENTS[accent]) if letter else ""


def formula(tokens: Sequence[TexToken], depth: int = 0) -> str:
    """A formula on one line."""
    if depth > _DEEPEST:
        return ""
    read = TexTokens("")
    read.push(tokens)
    said: list[str] = []
    while (token := read.next()) is not None:
        if token.kind == "command":
            said.append(_command(token.text, read, depth))
        elif token.text == "{" and token.kind == "mark":
            read.push([token])
            inner = formula(read.argument(), depth + 1)
            raised = "".join(said).endswith(("^", "_")) and not inner.removeprefix("-").isalnum()
            said.append(f"({inner})" if raised else inner)
        elif token.kind in ("space", "paragraph") or token.text in ("&", "~"):
            said.append(" ")
        elif token.text != "}":
            said.append(token.text)
    return " ".join("".join(said).split())


def _command(name: str, read: TexTokens, depth: int) -> str:
    if name in ("frac", "dfrac", "tfrac"):
        return "/".join(_grouped(formula(read.argument(), depth + 1)) for _ in range(2))
    if name == "sqrt":
        read.option()
        return f"√{_grouped(formula(read.argument(), depth + 1))}"
    if name in _LABELLED:
        read.argument()
        return ""
    if name in _UNSEEN:
        read.skip_space()
        return ""
    if name == "\\":
        return "; "
    sign = _OF_FORMULAS.get(name) or SIGNS.get(name)
    if sign is None and name in QUANTITIES:
        sign = quantity(name, read, lambda tokens: formula(tokens, depth + 1))
        return f" {sign} " if sign else ""
    return _named(name, read, depth) if sign is None else sign


def _grouped(said: str) -> str:
    return said if said.isalnum() else f"({said})"


def _named(name: str, read: TexTokens, depth: int) -> str:
    """The Greek letter of that name; any other name, such as that of a function, stays a word before what it is of."""
    case = "CAPITAL" if name[:1].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")
    except KeyError:
        pass
    given = [formula(group, depth + 1) for group in iter(read.group, None)]
    said = f"({', '.join(given)})" if len(given) > 1 else "".join(given)
    return f" {name}{'' if len(given) > 1 else ' '}{said}" if name.isalpha() else said
