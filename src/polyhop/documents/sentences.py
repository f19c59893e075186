"""Sentences without a parser, in any script: for quotations, not for grammar."""

from __future__ import annotations

import re

# An end mark with what closes after it, then white space and something that can begin a sentence; ideographic end marks
# need no space, and what they close goes on where a particle or a comma follows. A blank line ends a sentence too.
_END = re.compile(
    r"(?<=[.!?؟۔।॥։።။។…])[\"'”’“»›«)\]]*\s+(?=[^\s\da-z])"
    r"|(?<=[。！？｡．])(?<!．(?=\d))[。！？｡]*+(?:[」』”’）》〉】]++(?![、，。とっ])|(?![」』”’）》〉】]))"
    r"|\n\s*\n"
)
# Single initials ("J. Smith"), a few titles, a town in Russian ("г. Псков": a year is "1887 г."), and German ordinals.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Rev|Gen|Col|Capt|Lt|No|vs|ca|cf|Mt|Ft"
    r"|Nr|Hr|Bd|bzw|Mme|Mlle|Dra|Sra|Srta|núm|pág|проф|акад|ул|им|гл|стр|рис)"
    r"|(?<!\d)(?<!\d[\s\xa0])\bг|\b(?:[Dd](?:er|ie|as|em|en|es)|[Vv]om|[Zz]um|[Bb]eim)\s\d{1,2})\.$"
)
_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Jh)\b"
)
_ORDINAL = re.compile(r"\b\d{1,2}\.$")
_SHORT = re.compile(r"\b[a-z]\.$")  # "z. B.", "d. h.": a short form of several words
_SHORT_TOO = re.compile(r"[^\W\d_]\.")
_LOOK_BACK = 12  # characters that tell a short form


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it."""
    spans, start = [], 0
    for match in _END.finditer(text):
        if _goes_on(text, start, match):
            continue
        spans.append(_stripped(text, start, match.end()))
        start = match.end()
    spans.append(_stripped(text, start, len(text)))
    return [(begin, end) for begin, end in spans if begin < end]


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether what looks like the end of a sentence is none: a short form, or a small letter of any script behind."""
    before, after = text[max(start, end.start() - _LOOK_BACK) : end.start()], end.end()
    if not before.endswith("."):
        return False
    inline = end[0][-1:].isspace() and end[0].count("\n") < 2
    return (
        (inline and text[after].islower())
        or _is_initial(before)
        or _ABBREVIATION.search(before) is not None
        or (_SHORT.search(before) is not None and _SHORT_TOO.match(text, after) is not None)
        or (_ORDINAL.search(before) is not None and _MONTH.match(text, after) is not None)
    )


def _is_initial(before: str) -> bool:
    """Whether a full stop stands behind a single capital, in any script that has capitals."""
    return before[-1:] == "." and before[-2:-1].isupper() and not before[-3:-2].isalnum()


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
