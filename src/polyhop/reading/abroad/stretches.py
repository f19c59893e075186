"""Stretches of a sentence in another language that could be an answer, told from how they are written, not parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from polyhop.english.answer_type import AnswerType
from polyhop.indexes.folding import unspaced
from polyhop.reading.abroad.question_words import QuestionWords


class Look(StrEnum):
    """How a stretch is written."""

    TITLE = "title"  # of a passage
    QUOTED = "quoted"
    NAME = "name"  # of several words
    WORD = "word"  # a name of one word
    PLACED = "placed"  # a name behind what stands before places
    BY = "by"  # a name behind what stands before whoever did something
    NOUN = "noun"  # behind an article, where nouns are written with capitals
    DATE = "date"
    NUMBER = "number"


class WrittenStretch(NamedTuple):
    """A stretch of a sentence."""

    start: int
    end: int
    look: Look


_QUOTED: Final = re.compile(
    '„([^“”„]{2,80})[“”]|“([^“”]{2,80})”|«\\s?([^«»]{2,80}?)\\s?»|»([^«»]{2,80})«|"([^"]{2,80})"|《([^《》]{1,60})》'
    "|「([^「」]{2,60})」|『([^『』]{1,60})』|〈([^〈〉]{1,60})〉"
)
_DIGIT: Final = r"[0-9\u0660-\u0669\u06f0-\u06f9]"
_UNITS: Final = (
    "m|km|cm|kg|h|%|met|mèt|mét|metr|metro|kilo|stun|heure|hora|prozent|einwohn|habit|inwoner|человек|метр|км|кг|тонн"
    "|米|公里|公斤|人|个|メートル|キロ|人|متر|كيلو|미터|명"
)
_DATE: Final = re.compile(
    rf"(?<!{_DIGIT}){_DIGIT}{{4}}\s?[年년](?:\s?{_DIGIT}{{1,2}}\s?[月월](?:\s?{_DIGIT}{{1,2}}\s?[日号일])?)?"
    rf"|(?<![\w.,]){_DIGIT}{{1,2}}(?:\.|º|er|°)?\s(?:d[ei]\s|d['’])?[^\W\d_]{{3,12}}\.?,?\s(?:del?\s)?{_DIGIT}{{4}}(?!\w)"
    rf"|(?<![\w.,]){_DIGIT}{{1,2}}[./]{_DIGIT}{{1,2}}[./]{_DIGIT}{{4}}(?!\w)"
    rf"|(?<!\w){_DIGIT}{{4}}-{_DIGIT}{{2}}-{_DIGIT}{{2}}(?!\w)"
    rf"|(?<![\w.,])[12\u0661\u0662]{_DIGIT}{{3}}(?![.,]?{_DIGIT})(?!\s?(?:{_UNITS}))(?!-(?-i:[A-Z]))",
    re.IGNORECASE,
)
_COUNTED: Final = "公里|公斤|メートル|キロ|미터|[米人个個条條只隻本座岁歳位名家件张艘间年回匹冊枚台頭つ명살개]"
_NUMBER: Final = re.compile(
    rf"{_DIGIT}+(?:[.,\u00a0\u202f]{_DIGIT}+)*(?:\s?%|[万億亿千百]?(?:{_COUNTED}))?"
    rf"|[一二三四五六七八九十百千万两兩]+(?:{_COUNTED})"
)
_WORD: Final = re.compile(r"[^\W\d_][\w'’.-]*[\w]|[^\W\d_]")
_LINKS: Final = frozenset(
    ("de", "del", "della", "di", "da", "do", "das", "du", "des", "la", "las", "los", "van", "von")
)
_MOST_LINKS: Final = 2  # between two words of a name
_UNBENT: Final = 4  # letters of a word that has no endings
_LONGEST_TITLE: Final = 8  # words
_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc・＝]{3,}")
_CLAUSE: Final = "[，。、；！？,.;]|$"
_MADE: Final = "创|建|设|写|撰|担|主|作|发|开|编|导|画|谱|指|制"
_TRADE: Final = "家师匠員员长長手者"
_THERE: Final = "去世|逝世|出生|附近|工作|举行|首演|读书|学习|建造|建成|任教|上演|担任|定居|旁|边|畔|的"
_HAN: Final = "\u4e00-\u9fff"
_KANA: Final = "\u3041-\u3096\u30a1-\u30fc"
_WATER: Final = "河川江溪湖"
_AROUND: Final = tuple(  # where nothing is written with capitals: by what stands before and behind
    (look, re.compile(pattern))
    for look, pattern in (
        (Look.BY, rf"由(?:[{_HAN}]{{1,6}}[{_TRADE}])?([{_HAN}·]{{2,6}}?)(?={_MADE}|[于在])"),
        (Look.BY, rf"[{_TRADE}]の?([{_HAN}·\u30a1-\u30fc]{{2,4}}?)(?={_MADE}|[在于的]|{_CLAUSE})"),
        (Look.BY, rf"(?<!不)是(?:[{_HAN}]{{1,6}}[{_TRADE}])?([{_HAN}·]{{2,4}})(?={_CLAUSE})"),
        (Look.BY, rf"[{_TRADE}]の([{_HAN}{_KANA}]{{2,8}}?)(?=[がはに]|の(?:設計|娘|息子)|{_CLAUSE})"),
        (Look.BY, rf"[{_TRADE}]は([{_HAN}]{{2,5}}[\u3041-\u3096]{{0,3}}?)(?:であ|だった|です|でし)"),
        (
            Look.PLACED,
            rf"(?:出生在|出生于|生于|来自|位于|搬到|迁到|前往|死于|在|于)([{_HAN}]{{2,6}}?)(?={_THERE}|{_CLAUSE})",
        ),
        (
            Look.PLACED,
            rf"([{_HAN}\u30a1-\u30fc]{{2,8}})(?=[にで](?:生まれ|亡くな|死去|位置|あ[るり]|住|育)|の出身)",
        ),
        (
            Look.PLACED,
            rf"(?<![{_HAN}])([{_HAN}]{{1,5}}[{_WATER}])(?=のほとり|沿|畔)|[是在]([{_HAN}]{{1,5}}[{_WATER}])(?=畔|边)",
        ),
        (Look.PLACED, r"(?<!\w)في\s(?:(?:بلدة|قرية|مدينة|جزيرة|ميناء)\s)?(\w{3,}(?:\sال\w+)?)"),
        (Look.PLACED, r"(?<!\w)(?:بلدة|قرية|مدينة|جزيرة|نهر|جبل)\s(\w{3,}(?:\sال\w+)?)"),
    )
)


def written(text: str, titles: Sequence[str], language: QuestionWords) -> list[WrittenStretch]:
    """What could be an answer in a sentence, each stretch once, as the first of the looks that it has."""
    dates = [WrittenStretch(match.start(), match.end(), Look.DATE) for match in _DATE.finditer(text)]
    sources = (
        dates,
        (WrittenStretch(*_inside(match), Look.QUOTED) for match in _QUOTED.finditer(text)),
        _titled(text, titles),
        _works(text, language),
        _named(text, language),
        _numbers(text, language, dates),
        (WrittenStretch(*_inside(match), look) for look, pattern in _AROUND for match in pattern.finditer(text)),
        (WrittenStretch(match.start(), match.end(), Look.WORD) for match in _KATAKANA.finditer(text)),
    )
    found: dict[tuple[int, int], WrittenStretch] = {}
    for source in sources:
        for one in source:
            found.setdefault((one.start, one.end), one)
    return list(found.values())


def _inside(match: re.Match[str]) -> tuple[int, int]:
    return match.span(match.lastindex or 0)


@lru_cache(maxsize=1024)
def spelled(title: str) -> re.Pattern[str]:
    """A title as sentences may write it: where words are set apart, with other endings."""
    if unspaced(title[0]):
        return re.compile(re.escape(title))
    words = [re.escape(word) if len(word) <= _UNBENT else rf"{re.escape(word[:-2])}\w{{1,4}}" for word in title.split()]
    return re.compile(rf"(?<!\w){' '.join(words)}(?!\w)")


def _titled(text: str, titles: Sequence[str]) -> Iterator[WrittenStretch]:
    for title in titles:
        match = spelled(title).search(text)
        if match is not None:
            yield WrittenStretch(match.start(), match.end(), Look.TITLE)


def _works(text: str, language: QuestionWords) -> Iterator[WrittenStretch]:
    """What stands behind "the book" and begins with a capital, as far as the clause goes."""
    nouns = language.nouns.get(AnswerType.WORK)
    if nouns:
        for match in re.finditer(
            rf"(?<!\w)(?:{nouns})\s+(?=[^\W\d_])([^.,;:!?()«»„“”\"]{{2,60}})", text, re.IGNORECASE
        ):
            if match[1][0].isupper() and len(match[1].split()) <= _LONGEST_TITLE:
                yield WrittenStretch(*match.span(1), Look.QUOTED)


def _numbers(text: str, language: QuestionWords, dates: Sequence[WrittenStretch]) -> Iterator[WrittenStretch]:
    small = language.small.split()
    words = [(match.start(), match.end(), match[0].lower()) for match in _WORD.finditer(text)]
    numerals = language.numerals.split()
    plain = [(match.start(), match.end()) for match in _NUMBER.finditer(text)]
    for start, end in [*plain, *((start, end) for start, end, word in words if word in numerals)]:
        if any(date.start <= start < date.end for date in dates):
            continue
        unit = next((one for one in words if 0 < one[0] - end < 3 and text[end : one[0]].isspace()), None)
        goes_on = unit is not None and unit[2] not in small
        yield WrittenStretch(start, unit[1] if unit is not None and goes_on else end, Look.NUMBER)


def _named(text: str, language: QuestionWords) -> Iterator[WrittenStretch]:
    """Runs of words with capitals, as far as they are names and no nouns."""
    small, where, by = (frozenset(words.split()) for words in (language.small, language.where, language.by))
    determines = frozenset(language.determines.split())
    for run, before, first in _runs(text, _LINKS - determines):
        start = 0
        while start < len(run) and run[start][2].lower() in small | where:  # "Die", "El" at the beginning of a sentence
            before, start = run[start][2].lower(), start + 1
        names = run[start:]
        if determines and before in determines and names:  # "der Maler Ansgar Voss"
            yield WrittenStretch(names[0][0], names[-1][1], Look.NOUN)
            names = names[1:]
            while names and not names[0][2][0].isupper():
                names = names[1:]
        if not names or (first and start == 0 and len(names) == 1):
            continue
        look = Look.NAME if len(names) > 1 else Look.WORD
        look = Look.PLACED if before in where else Look.BY if before in by and len(names) > 1 else look
        yield WrittenStretch(names[0][0], names[-1][1], look)


_Token = tuple[int, int, str]


def _runs(text: str, links: frozenset[str]) -> Iterator[tuple[list[_Token], str, bool]]:
    """Runs of words with capitals, links within them, each with the word before it and whether a sentence begins."""
    run: list[_Token] = []
    linked: list[_Token] = []
    before, last, first = "", "", True
    for match in _WORD.finditer(text):
        token = (match.start(), match.end(), match[0])
        joined = bool(run) and not text[(linked or run)[-1][1] : token[0]].strip(" \u00a0")
        capital = match[0][0].isupper()
        if run and joined and capital:
            run, linked = [*run, *linked, token], []
        elif run and joined and match[0] in links and len(linked) < _MOST_LINKS:
            linked.append(token)
        else:
            if run:
                yield run, before, first and run[0][0] < 2
            run, linked, before = ([token], [], last) if capital else ([], [], "")
        last = match[0].lower()
    if run:
        yield run, before, first and run[0][0] < 2
