"""Options that a question lists behind a preposition: "between A and B", "which of A, B and C"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyhop.english.question import OWNS, Word, Words, render
from polyhop.english.verbs import is_finite
from polyhop.english.words import ARTICLES, TIMES, WH_WORDS, word_set

_NO_NAMES: Final = word_set("film films movie either both")
_COMPARING: Final = (TIMES.keys() - {"before", "after"}) | word_set("more most less least fewer fewest")


@dataclass(frozen=True, slots=True)
class Split:
    """What a question offers, as names, and the words around it."""

    frame: Words
    options: tuple[Word, ...]  # two or more


def options_listed(words: Words) -> Split | None:
    """Options of the form "between A and B" and "out of A and B"."""
    if not any(word.low in ("who", "which", "what", "whose") for word in words):
        return None
    named = _names_listed(words)
    if named is not None:
        return named
    for at in range(len(words) - 3):
        ordered = at > 0 and (words[at - 1].low == "out" or words[at - 1].low in TIMES)
        opens = _parts(words, at) if words[at].low == "between" else words[at].low == "of" and ordered
        middle = next((i for i in range(at + 2, len(words) - 1) if words[i].low == "and"), None) if opens else None
        if middle is None or not any(word.atomic for word in words[at + 1 : middle]):
            continue
        end = next((i + 1 for i in range(middle + 1, len(words)) if words[i].atomic), None)
        left, right = as_name(words[at + 1 : middle]), as_name(words[middle + 1 : end])
        if end is not None and left and right:
            before = words[: at - 1] if words[at].low == "of" and words[at - 1].low == "out" else words[:at]
            after = words[end:]
            return Split(before + (after[1:] if after and after[0].kind == "mark" else after), (left, right))
    return None


def _names_listed(words: Words) -> Split | None:
    """Names that commas and an "and" list behind "of": "which of A, B and C", "the oldest of A and B"."""
    for at in range(len(words) - 3):
        before = words[at - 1].low if at else ""
        opens = before in ("", "who", "which") or before in TIMES or before.endswith("est") or words[at].low == "among"
        if words[at].low not in ("of", "among", "between") or not opens or (at and words[at].low == "between"):
            continue
        names: list[Word] = []
        end, joined_at = at + 1, 0
        while end < len(words):
            behind = end + (words[end].low in ARTICLES)
            if behind >= len(words) or not words[behind].atomic:
                break
            names.append(Word(render(words[end : behind + 1]), "name"))
            end = behind + 1
            if joined_at:
                break
            while end < len(words) and words[end].low in (",", "and"):
                joined_at = end if words[end].low == "and" else joined_at
                end += 1
        if joined_at and len(names) > 1 and len({one.text.lower() for one in names}) == len(names):
            after = words[end:]
            return Split((*words[:at], *(after[1:] if after and after[0].kind == "mark" else after)), tuple(names))
    return None


def _parts(words: Words, at: int) -> bool:
    """Whether what stands behind a "between" is to choose from: mostly it says what there is something between.

    It is where the word opens the question or a part of it, stands behind a comparative, or where it is asked who or
    which has more of something, or came first.
    """
    before = words[:at]
    if not before or before[-1].kind == "mark":
        return not any(character.isdigit() for character in words[at + 1].text)  # "between 1260 and 1270"
    if before[-1].low.endswith("er") and before[-2:-1] and is_finite(before[-2].low):
        return True
    asks = next((word.low for word in before if word.low in WH_WORDS), "")
    return asks in ("who", "which", "whose") and any(word.low in _COMPARING for word in before)


def as_name(words: Words) -> Word | None:
    """An option as a name, without marks and what only says what it is; None where nothing is left."""
    kept = list(words)
    while kept and kept[-1].kind == "mark" and kept[-1] != OWNS:
        kept.pop()
    while kept and (kept[0].kind == "mark" or kept[0].low in _NO_NAMES):
        kept.pop(0)
    return Word(render(kept), "name") if kept else None
