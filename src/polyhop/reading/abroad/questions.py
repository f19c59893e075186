"""What questions in other languages ask for, told from their question words and the noun behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from polyhop.documents.languages import ENGLISH_WORDS, is_english, is_in_our_script
from polyhop.english.answer_type import AnswerType
from polyhop.english.words import NAME_LINKS
from polyhop.indexes.folding import unspaced
from polyhop.reading.abroad.question_words import LANGUAGES, UNKNOWN, QuestionWords, question_words


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAbroad:
    """What a question in another language asks for; ``said``: the question without the words that ask."""

    language: str
    type: AnswerType
    said: str
    year: bool = False  # the year of a date suffices
    noun: str = ""  # what the question calls the answer, as in "which comet"

    @property
    def words(self) -> QuestionWords:
        """How its language asks, or nothing where no file has it."""
        return question_words(self.language)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The tables of a language, ready to be looked for."""

    asks: tuple[tuple[AnswerType, re.Pattern[str]], ...]
    which: re.Pattern[str]
    verbs: re.Pattern[str] | None
    known: frozenset[str]  # its small words and those that ask, one by one

    @classmethod
    def of(cls, words: QuestionWords) -> _Compiled:
        spaced = not unspaced(words.which[0])
        open_, close = (r"(?<![^\W_])", r"(?![^\W_])") if spaced else ("", "")
        between = r"(?:\s+[^\W\d_]+){0,1}?\s+(?:ال)?" if spaced else r"[\s一个個つの]{0,2}"
        asks = [
            *((type_, f"(?:{words.which}){between}(?:{nouns})") for type_, nouns in words.nouns.items()),
            *((type_, f"(?:{asking}){close}") for type_, asking in words.asks.items()),
            (AnswerType.THING, f"(?:{words.which}){close}"),
        ]
        plain = "|".join([*words.asks.values(), words.which, words.verbs])
        return cls(
            tuple((type_, re.compile(f"{open_}{words}", re.IGNORECASE)) for type_, words in asks),
            re.compile(words.which, re.IGNORECASE),
            re.compile(rf"\W*(?:{words.verbs}){close}", re.IGNORECASE) if words.verbs else None,
            frozenset(words.small.split()) | frozenset(re.findall(r"[^\W\d_]{2,}", plain)),
        )


@cache
def _tables(language: str) -> _Compiled:
    return _Compiled.of(question_words(language))


_ENGLISH_STARTS: Final = frozenset(  # no other language begins a question with them
    (
        *("who", "whom", "whose", "which", "what", "when", "where", "why", "how", "are", "were", "do", "does", "did"),
        *("has", "have", "can", "could", "would", "should", "will"),
    )
)
_HOMOGRAPHS: Final = frozenset(("come", "dove", "chi", "hat", "wen", "que", "com"))  # English words and names, too
_WORDS: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_OTHER_SCRIPTS: Final = frozenset(("zh", "ja", "ko", "ar", "ru", "uk"))
_YEAR: Final = re.compile(
    r"\b(?:jahr|année|año|anno|ano|jaar|roku|году|році)\b|哪一?年|何年|몇 ?년|어느 해|عام|سنة", re.IGNORECASE
)
_NOUN: Final = re.compile(r"\s*([\u4e00-\u9fff]{1,2}|[^\W\d_]+)")
_LAST: Final = re.compile(r"([\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+)$")
_ENDS_ASKING: Final = re.compile(r"(?:吗|嗎|么|か|까|니|나요|가요)[?？。\s]*$")
_SCRIPTS: Final = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ar", re.compile("[\u0620-\u064a]")),
    ("uk", re.compile(r"[іїєґ]|\b(?:хто|що|коли|чому)\b")),
    ("ru", re.compile("[а-яё]")),
)


def asked_abroad(question: str) -> AskedAbroad | None:
    """What a question in another language asks for; None where it is in English, or nothing tells that it is not."""
    language = _language(question)
    if language is None:
        return None
    if language == UNKNOWN:
        return AskedAbroad(language=UNKNOWN, type=AnswerType.THING, said=question)
    tables = _tables(language)
    start, end, type_ = _asked(tables, question)
    year = type_ is AnswerType.DATE and _YEAR.search(question[start:end]) is not None
    said = f"{question[:start]} {question[end:]}"
    noun = _noun(tables, question, start, end, type_)
    return AskedAbroad(language=language, type=type_, said=said, year=year, noun=noun)


def _noun(tables: _Compiled, question: str, start: int, end: int, type_: AnswerType) -> str:
    """What a question calls the answer: the last of the words that ask, or what stands behind "which"."""
    if type_ is AnswerType.THING:
        found = _NOUN.match(question, end) if tables.which.fullmatch(question, start, end) else None
    else:
        found = _LAST.search(question[start:end])
    return found[1].lower() if found else ""


def _asked(tables: _Compiled, question: str) -> tuple[int, int, AnswerType]:
    """Where a question asks and for what: the first words that do, or those within them that say more of it."""
    found = list(_found(tables, question))
    if not found:
        return 0, 0, AnswerType.YES_NO if _asks_whether(tables, question) else AnswerType.THING
    first = min(found, key=lambda one: (one[0], -one[1]))
    telling = [one for one in found if one[2] is not AnswerType.THING and one[0] < first[1]]
    return first if first[2] is not AnswerType.THING or not telling else min(telling)


def _found(tables: _Compiled, question: str) -> Iterator[tuple[int, int, AnswerType]]:
    for type_, pattern in tables.asks:
        match = pattern.search(question)
        if match is not None:
            yield match.start(), match.end(), type_


def _asks_whether(tables: _Compiled, question: str) -> bool:
    if tables.verbs is not None and tables.verbs.match(question):
        return True
    return _ENDS_ASKING.search(question) is not None


def _language(question: str) -> str | None:
    """The language of a question, None for English and where nothing tells."""
    if not is_in_our_script(question):
        low = question.lower()
        return next((language for language, letters in _SCRIPTS if letters.search(low)), UNKNOWN)
    written = _WORDS.findall(question)
    words = [word.lower().replace("’", "'") for word in written]
    best, most = None, 0
    if words and words[0] in _ENGLISH_STARTS:
        return None
    named = _in_names(written) if words and words[0] in ENGLISH_WORDS else [False] * len(words)
    for language in LANGUAGES:  # in their order: the first of those that fit equally well
        if language in _OTHER_SCRIPTS:
            continue
        count = _asked_in(_tables(language), question, words, named)
        if count > most:
            best, most = language, count
    if best is None and ENGLISH_WORDS.isdisjoint(words) and not is_english(question):
        return UNKNOWN
    return best


def _in_names(written: Sequence[str]) -> list[bool]:
    """Which words of a question have a capital or may link a name behind the first: "Is Van Gogh or de Gaulle ...?"."""
    found: list[bool] = []
    for at, word in enumerate(written):
        linked = next((one for one in written[at:] if one not in NAME_LINKS), "")[:1].isupper()
        found.append(at > 0 and linked and (word[0].isupper() or at == 1 or found[-1]))
    return found


def _asked_in(tables: _Compiled, question: str, words: Sequence[str], named: Sequence[bool]) -> int:
    """How many words tell that a question in our letters asks in a language: none where it may be English.

    Those in names tell nothing: ``named`` says which may be.
    """
    telling = (word for word, name in zip(words, named, strict=True) if not name)
    own = sum(word in tables.known and word not in ENGLISH_WORDS for word in telling)
    strange = sum(word in ENGLISH_WORDS and word not in tables.known for word in words)
    starts = [start for start, _, _ in _found(tables, question)]
    if not starts:
        whether = tables.verbs is not None and tables.verbs.match(question) is not None
        return own if whether and not strange and question.rstrip().endswith("?") else 0
    leads = not _WORDS.search(question, 0, min(starts))
    if leads and words[0] not in ENGLISH_WORDS:
        return 1 + own if words[0] not in _HOMOGRAPHS or own > 1 or not strange else 0
    return own if own > strange and words[0] != "had" and (not leads or not strange) else 0  # "had" may be Dutch
