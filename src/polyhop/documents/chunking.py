"""Cuts documents into passages by a token count that needs no model and no language.

A token is a piece of up to six characters of a word, one character of a script that writes without spaces (Han, kana,
hangul, Thai, Lao, Khmer), or one punctuation mark; white space counts nothing.

A passage ends before a heading, else where a paragraph ends, a sentence, a line, a word, within the last quarter of its
window, and not with a heading. Among equals the text before the boundary decides, by its checksum, and not the distance
from the window's start: after an edit the passages fall back into step with the old ones, so that their ids, and all
that was derived from them, stay. What the next one repeats begins with a sentence or a line, and is of its own section.

Passages of a conversation begin and end with a turn (``conversations/turn_ends.py``), unless one is too long
for a passage. Those of source code end where a function or a class does (``source_units.py``), if one does in time.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import NamedTuple, Self

from polyhop.documents.conversations.transcripts import occasion_in, transcript_of
from polyhop.documents.conversations.turn_ends import TurnEnds
from polyhop.documents.sections import Sections, begin_of
from polyhop.documents.source_units import MEDIA_TYPE, SourceUnits
from polyhop.settings import Chunking
from polyhop.types import THREAD, Document, Passage

CODE_VERSION = "4"  # raise it when the same text and settings would give other passages, or other occasions

_WORD_PIECE = 6  # characters
_SINGLE = (
    "\u0e00-\u0eff\u1100-\u11ff\u1780-\u17ff\u19e0-\u19ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_PUNCTUATION = (
    "!-/:-@\\[-^`{-~\u00a1-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0609-\u060d\u061b-\u061f\u066a-\u066d\u06d4"
    "\u0700-\u070d\u0964\u0965\u0970\u104a-\u104f\u1360-\u1368\u1800-\u180a"
    "\u2000-\u200b\u200e-\u2bff\u2e00-\u2e7f\U0001f000-\U0001faff"
)
_WORD = f"[^\\s{_PUNCTUATION}{_SINGLE}]"
_TOKEN = f"(?:{_WORD}{{1,{_WORD_PIECE}}}+|\\S)"
_CLOSING = "[\"'\u201d\u2019\u00bb)\\]]*"
_LOOK_AHEAD = 8  # characters past the window that decide whether a sentence ends in it

_token = re.compile(_TOKEN)
_word_or_mark = re.compile(f"{_WORD}++|\\S")
_word_character = re.compile(_WORD)
_something = re.compile(r"\S")
_rule_below = re.compile(r"[^\S\n]*\n[^\S\n]*([=\-~^+*#_\"])\1{2,}(?=[^\S\n]*(?:\n|\Z))")
_sentence_end = re.compile(
    f"[.!?\u061f\u06d4\u0964\u0965\u2026]{_CLOSING}(?=\\s)(?!\\s{{1,4}}[a-z])"
    "|[\u3002\uff01\uff1f\uff61][\u300d\u300f\u201d\u2019\uff09\u3011]*"
)
_ended = re.compile(rf"{_sentence_end.pattern}|\n")  # a sentence, or a line
_boundaries = (re.compile(r"\n[^\S\n]*\n"), _sentence_end, re.compile(r"\n"), re.compile(r"(?<=\S)\s"))


def count_tokens(text: str) -> int:
    """How many tokens a text has, as passages are measured."""
    return sum(1 for _ in _token.finditer(text))


def beginning(text: str, tokens: int) -> str:
    """The first so many tokens of a text."""
    ends = (match.end() for match in _token.finditer(text))
    return text[: next(islice(ends, tokens - 1, None), len(text))] if tokens > 0 else ""


def cut(document: Document, chunking: Chunking) -> tuple[Passage, ...]:
    """The passages of a document, in order; ``document.text[start:end] == text`` holds for each.

    They cover all of the text but white space. A ``whole`` document is one passage with the document's id, unless it is
    longer than ``longest_row`` and a passage; of other documents an id depends on the document, its title, and the
    passage's own text. Takes linear time. Passages of a conversation are told what only the rest of it says of when
    they were said, and others under which headings they begin.
    """
    if document.whole and not _is_too_long(document.text, chunking):
        return (_passage(document, document.id, 0, 0, len(document.text)),)
    seen: Counter[bytes] = Counter()
    passages = []
    text, is_source = document.text, document.media_type == MEDIA_TYPE
    transcript = None if is_source else transcript_of(text)
    units = SourceUnits.of(text) if is_source else TurnEnds.of(text, transcript)
    sections = Sections.of(document)
    for ordinal, (start, end) in enumerate(_windows(document, chunking, units)):
        parts = (document.id, document.title, text[start:end])
        content = hashlib.sha256("\0".join(parts).encode("utf-8", errors="surrogatepass")).digest()
        seen[content] += 1
        identity = hashlib.sha256(content + str(seen[content]).encode()).hexdigest()[:20]
        occasion = occasion_in(transcript, text, start, end) if transcript is not None else None
        section = sections.at(start)
        passages.append(replace(_passage(document, identity, ordinal, start, end), section=section, occasion=occasion))
    return tuple(passages)


def _is_too_long(row: str, chunking: Chunking) -> bool:
    """Whether a row has to be cut; it is counted no further than needed to tell."""
    if chunking.longest_row is None:
        return False
    longest = max(chunking.longest_row, chunking.tokens)
    return len(row) > longest and next(islice(_token.finditer(row), longest, None), None) is not None


def _passage(document: Document, identity: str, ordinal: int, start: int, end: int) -> Passage:
    return Passage(
        id=identity,
        document_id=document.id,
        ordinal=ordinal,
        start=start,
        end=end,
        title=document.title,
        text=document.text[start:end],
        headings=_headings_in(document.headings, start, end),
        thread=document.metadata.get(THREAD, ""),
    )


def _headings_in(headings: Sequence[tuple[int, int]], start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The headings of a document that stand in a stretch of it, as far as they do, relative to where it begins."""
    first = bisect_right(headings, start, key=lambda heading: heading[1])
    behind = bisect_left(headings, end, key=lambda heading: heading[0])
    return tuple((max(one, start) - start, min(other, end) - start) for one, other in headings[first:behind])


def _windows(document: Document, chunking: Chunking, units: TurnEnds | SourceUnits) -> Iterator[tuple[int, int]]:
    """The half-open ranges of the passages."""
    text, headings = document.text, _Headings.of(document)
    sure, rest = _runs(chunking.tokens)
    end = 0
    first = _something.search(text)
    while first:
        start = first.start()
        low = _end_of(sure, text, start)
        limit = _end_of(rest, text, low)
        first = _something.search(text, limit)
        if first is None:
            yield start, limit
            return
        unit_ends = units.fitting(start, end, low, limit) or headings.sections_ending(low, limit)
        end = _boundary(text, low, limit, unit_ends, headings.ends)
        yield start, end
        begins = end if headings.sections_ending(end - 1, end) else _overlap_start(text, end, chunking.overlap)
        first = _something.search(text, units.overlapping(start, begins, end))


@cache
def _runs(tokens: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for the first three quarters of a window and for the last one: counting happens inside the matcher."""
    last = tokens // 4
    return re.compile(f"(?:\\s*+{_TOKEN}){{1,{tokens - last}}}"), re.compile(f"(?:\\s*+{_TOKEN}){{1,{last}}}")


def _end_of(run: re.Pattern[str], text: str, start: int) -> int:
    match = run.match(text, start)
    return match.end() if match else start


class _Headings(NamedTuple):
    """Where a document must not be cut, and where best."""

    ends: frozenset[int]
    before: tuple[int, ...]  # the ends of what stands before each heading, in order

    @classmethod
    def of(cls, document: Document) -> Self:
        """Those of its headings: signs before one, as Markdown has them, and the rule below it belong to it."""
        text = document.text
        ruled = (rule.end() for _, end in document.headings if (rule := _rule_below.match(text, end)))
        signs = (_trimmed(text, 0, start) for start, _ in document.headings if begin_of(text, start) < start)
        ends = frozenset((*(end for _, end in document.headings), *signs, *ruled))
        before = (_trimmed(text, 0, begin_of(text, start)) for start, _ in document.headings)
        return cls(ends, tuple(place for place in before if place not in ends))

    def sections_ending(self, low: int, limit: int) -> Sequence[int]:
        """The ends of sections within a stretch, but for those with nothing but their heading."""
        return self.before[bisect_right(self.before, low) : bisect_right(self.before, limit)]


def _boundary(text: str, low: int, limit: int, unit_ends: Sequence[int], headings: Collection[int] = ()) -> int:
    """Where a passage ends best, without white space at its end: after one of these units, else in low to limit.

    Where something else ends in that stretch, it does not end where one of these headings does.
    """
    if unit_ends:
        return min(unit_ends, key=lambda end: (_mark(text, end), -end))
    for pattern in _boundaries:
        found = pattern.finditer(text, low, min(len(text), limit + _LOOK_AHEAD))
        ends = [_trimmed(text, low, at) for at in map(_end_of_text, found) if at <= limit]
        if ends := [at for at in ends if at not in headings]:
            return min(ends, key=lambda end: (_mark(text, end), -end))
    end = limit
    while end > low and _in_token(text, end):
        end -= 1
    return _trimmed(text, low, end) if end > low else limit


def _end_of_text(boundary: re.Match[str]) -> int:
    """Before the boundary where it is white space, behind it where it is punctuation."""
    return boundary.start() if boundary[0].isspace() else boundary.end()


def _trimmed(text: str, low: int, end: int) -> int:
    while end > low and text[end - 1].isspace():
        end -= 1
    return end


def _mark(text: str, end: int) -> int:
    """A number that depends on nothing but the text just before a boundary."""
    return zlib.crc32(text[max(0, end - 24) : end].encode("utf-8", errors="surrogatepass"))


def _in_token(text: str, at: int) -> bool:
    """Whether a cut would part a word, or a character from the marks written above or below it."""
    if unicodedata.category(text[at]) in ("Mn", "Mc", "Me") or text[at] == "\u200d":
        return True
    return bool(_word_character.match(text, at - 1) and _word_character.match(text, at))


def _overlap_start(text: str, end: int, tokens: int) -> int:
    """Where the next passage starts, at most so many tokens before the end of this one: with a sentence or a line.

    If none begins there, with what comes behind this one, or with a word where this one ends within a sentence. It
    depends on the end alone, not on where the passage began; the reversed text is read only as far as needed.
    """
    back = max(0, end - tokens * (_WORD_PIECE + 2))
    tail = text[back:end][::-1]
    start = end
    for match in _word_or_mark.finditer(tail):
        tokens -= -(-len(match[0]) // _WORD_PIECE) if _word_character.match(match[0]) else 1
        if tokens < 0 or (match.end() == len(tail) and back > 0):
            break  # full, or a word that may begin further back
        start = end - match.end()
    while start < end and unicodedata.category(text[start]) in ("Mn", "Mc", "Me"):
        start += 1
    for ended in _ended.finditer(text, max(0, start - 1), end):
        first = _something.search(text, ended.end(), end)
        if first and first.start() >= start:
            return first.start()
    return end if _ended.match(text, end) or _ended.match(text, end - 1) else start
