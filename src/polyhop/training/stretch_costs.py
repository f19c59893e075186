"""What speaks against a stretch of a question as the description of a thing: the words at its edges, and its verbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polyhop.english.described import PlacedWord, means_something
from polyhop.english.verbs import is_finite, is_participle
from polyhop.english.words import ARTICLES, AUXILIARIES, PREPOSITIONS, WH_WORDS

_RELATIVE: Final = frozenset({"that", "which", "who", "where", "whose", "whom", "when"})
_OWNS: Final = frozenset({"'s", "’s"})
_QUOTES: Final = frozenset({'"', "“", "„", "«", "(", "'", "#"})
_OPENING: Final = PREPOSITIONS | AUXILIARIES | frozenset({"and", "or", "that"})
_ENDING: Final = ARTICLES | WH_WORDS | _OWNS | frozenset({"and", "or", "(", ",", "that", "?"})
_JOINED: Final = frozenset({"-", "'", ".", "&"})
_POSSESSIVE: Final = frozenset({"his", "her", "its", "their"})
_FREE: Final = PREPOSITIONS | AUXILIARIES | _RELATIVE | WH_WORDS | frozenset({"and", ",", "(", '"', "or"})


def cost(words: Sequence[PlacedWord], start: int, end: int) -> float | None:
    """What speaks against the words from ``start`` to before ``end``, 0 for nothing; None: they cannot be one."""
    texts = [word.text for word in words[start:end]]
    lows = [text.lower() for text in texts]
    if (
        not (lows[0][0].isalnum() or lows[0] in _QUOTES)
        or lows[0] in _OPENING
        or lows[-1] in _ENDING
        or (start == 0 and lows[0] in WH_WORDS)
    ):
        return None
    before = words[start - 1].text if start else ""
    behind = [word.text for word in words[end : end + 2]]
    unpaired = 1.5 if lows.count("(") != lows.count(")") or lows.count('"') % 2 else 0.0
    return (
        _of_start(before, texts, second=start == 1)
        + _of_end(texts, behind)
        + _of_verbs(texts, behind)
        + unpaired
        + 0.02 * len(texts)
    )


def _of_start(before: str, texts: Sequence[str], *, second: bool) -> float:
    low, first = before.lower(), texts[0]
    if not before:
        return 0.0
    named = before[:1].isupper() and first[:1].isupper() and not second
    if named or before in _JOINED or low in ARTICLES | _POSSESSIVE:
        return 1.0
    if low in AUXILIARIES | _RELATIVE and first.islower() and first not in ARTICLES | WH_WORDS:
        return 0.9  # the verb's own words: "that [also contains ...]"
    return 0.0 if low in _FREE or is_finite(low) or low.endswith(("ed", "ing")) else 0.7


def _of_end(texts: Sequence[str], behind: Sequence[str]) -> float:
    if not behind:
        return 0.0
    low = behind[0].lower()
    named = texts[-1][:1].isupper() and behind[0][:1].isupper()
    joined = behind[0] in _JOINED and (behind[0] != "." or len(behind) > 1)
    return (1.0 if named or joined else 0.0) + (0.6 if low in ("of", "(") else 0.5 if low in _RELATIVE else 0.0)


def _of_verbs(texts: Sequence[str], behind: Sequence[str]) -> float:
    """A clause needs a word that opens it, and a verb; what hangs on a verb behind the stretch belongs to that."""
    lows = [text.lower() for text in texts]
    after = behind[0].lower() if behind else ""
    verbs = [at for at, text in enumerate(texts) if _verbal(text)]
    relative = [at for at, low in enumerate(lows[:-1]) if low in _RELATIVE]
    helpers = [at for at in verbs if lows[at] in AUXILIARIES]
    found = 0.0
    if helpers and (not relative or helpers[0] < relative[0]):
        found += 1.0
    if relative and not [at for at in verbs if at > relative[-1]]:
        found += 1.5
    if 0 in verbs:
        found += 1.6
    if not relative and not helpers and len(lows) - 1 in verbs and len(lows) > 1:
        found += 1.0
    if not any(text[:1].islower() and means_something(text) for text in texts):
        found += 0.5
    if lows[-1] in AUXILIARIES:
        found += 1.5 if not relative else 1.2 if after in PREPOSITIONS else 0.3
    if relative and after in PREPOSITIONS and (len(behind) < 2 or _verbal(behind[1]) or behind[1] in "?,"):
        found += 0.4  # "that X lived [in]"
    stranded = relative and (not after or _verbal(after) or after in "?,")
    return found + (1.0 if lows[-1] in PREPOSITIONS and not stranded else 0.0)


def _verbal(word: str) -> bool:
    """Whether a word that is no name may be the verb of a clause."""
    return word.islower() and (word in AUXILIARIES or is_finite(word) or is_participle(word) or word.endswith("ed"))
