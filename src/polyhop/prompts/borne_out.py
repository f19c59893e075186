"""Whether quotations bear an answer out: that they are genuine does not yet mean that they say it.

The rule: "Paris" is not borne out by the genuine quotation "She was born". An answer is borne out where

1. the quotations *contain* it: each thing that it names (they are set apart by commas, "and" and "or") has its words in
   one quotation, with the title and the day of the passage that this stands in and who says it there, and the quotation
   says more than the name alone. Words of the question may stand in the answer besides, and "people" or "anyone", but
   are not enough: they prove nothing;
2. or they are what it is *computed from*:
   - yes and no: the quotations speak of everything that the question names and that the passages have; one of a
     conversation speaks of all who take part in it. What is said behind a verdict is quoted, and "No Man's Land" is no
     verdict where the question does not ask whether;
   - a choice between things that the question offers: they speak of each of them, or one says of the chosen one what
     the question asks. Of a thing that is described, "the lighthouse whose lens Ada Brook ground", they speak where
     they have the names by which it is told from the others, and of one that is described without names where one of
     them has a word by which it is. "Before or after" and "older or younger" are decided as yes and no are, and "both"
     and "neither" by quotations that speak of each thing offered;
   - a number: the sum or the difference of two numbers that are quoted, or a count of things, which are as many
     quotations, or as many items of an enumeration in one of them;
   - a country, or the adjective of it, where the quotation has the other: "French" for France, and the other way round;
   - a century: a year of it is quoted;
   - a day: it is counted from the day on which a quoted passage was said, and is at most a year from it; or one
     quotation has it without its year, which another one, its title or its day has;
3. or it is *told in other words*, as explanations are: every name and every number of the sentence, and a third of its
   words at least, stand in the quotations, their titles or the question. Of "River Teshel" the quotations may have
   "Teshel" alone, where a passage has the whole name.

Of a list, a quoted item of an enumeration bears itself out, and an item longer than a name may be told in other words
(``reading/grounded.py``).

Words are compared without case, accents and the plural's s, numbers as numbers: "three" is 3, and 1,204 is 1204;
3.5 and 10:15 are neither 3 nor 15, but 10:00 is 10. The rule errs on the side of "not borne out". It compares words and
not meanings: "not" beside them goes unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Final

from polyhop.english.answer_type import answer_shape
from polyhop.english.countries import countries_in
from polyhop.english.dates import MONTHS, parse_date, written_day
from polyhop.english.degrees import FORMS
from polyhop.english.numbers import NUMERALS
from polyhop.english.options import choices
from polyhop.english.question import mentions
from polyhop.english.words import FUNCTION_WORDS, TIMES
from polyhop.indexes.folding import tokens
from polyhop.indexes.names import normal

OTHER_WORDS: Final = 1 / 3  # of a sentence's words, that have to be quoted where it is told in other words
VERDICTS: Final = frozenset({"yes", "no"})
_ALL_OR_NONE: Final = frozenset({"both", "neither"})
_COMPARING: Final = FORMS.keys() | TIMES.keys()
_FAR: Final = 366  # days between a passage and a day that is counted from it
_THING: Final = re.compile(r"\s*(?:[,;\n]|\b(?:and|or)\b)\s*")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_POINTED: Final = re.compile(r"(?<![\d.:])(\d+)[.:](\d+)(?![.:]?\d)")  # 3.5 and 10:15, and no part of 04.02.2031
_CENTURY: Final = re.compile(r"(?:in )?(?:the )?(\d{1,2})(?:st|nd|rd|th) century", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<![\d.,])\d{3,4}(?![\d]|[.,]\d)")
_ONE: Final = re.compile(r"\bones?\b", re.IGNORECASE)  # stands for something; "one of the tests" counts nothing
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_ANYBODY: Final = frozenset({"anybody", "anyone", "everybody", "everyone", "people", "person", "somebody", "someone"})
_DAY_AND_MONTH, _DAYS = 2, 31  # words without the year, days of a month
_MONTHS: Final = {month[:3].lower(): month.lower() for month in MONTHS}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedText:
    """A genuine quotation, with the title of its passage and the day (eight digits) on which it was said, if any.

    Of a conversation also who said it, and who else speaks there.
    """

    text: str
    title: str = ""
    day: str = ""
    speaker: str = ""
    present: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """All that it says, who says it, and what its passage is about."""
        return words_of(f"{self.title}\n{self.speaker}\n{self.text}") | words_of(written_day(self.day))


def contains(answer: str, question: str, quoted: Sequence[QuotedText], passages: Sequence[str] = ()) -> bool:
    """Whether the quotations contain an answer, or are what it is computed from: rules 1 and 2.

    ``passages``: the texts that could be quoted; without them whatever the question names is held to stand in them.
    """
    said = tokens(answer)
    if not said or not quoted:
        return False
    asked = words_of(question)
    offered = choices(question) or ()
    if said[0] in _ALL_OR_NONE and offered and not words_of(answer) - _ALL_OR_NONE - FUNCTION_WORDS - asked:
        return all(_offer_spoken_of(one, offered, quoted) for one in offered)
    if _outcome(said, offered) and not words_of(answer) - FUNCTION_WORDS - asked:
        return _all_spoken_of(_named(question, passages), quoted)
    if said[0] in VERDICTS and (len(said) == 1 or answer_shape(question) == "verdict"):
        if not words_of(answer) - VERDICTS - FUNCTION_WORDS - asked <= _all_words(quoted):
            return False
        return _all_spoken_of(_named(question, passages), quoted)
    if words_of(answer) <= asked:
        return _chosen(answer, question, quoted)
    things = [words for thing in _THING.split(_GROUPED.sub("", answer)) if (words := words_of(thing)) - asked]
    return (
        all(any(_says(one, words - _ANYBODY or words, asked) for one in quoted) for words in things)
        or _of_country(answer, quoted)
        or _calculated(answer, quoted)
        or _of_century(answer, quoted)
        or _counted_from_a_day(answer, quoted)
        or _of_the_year(answer, quoted)
    )


def told(sentence: str, question: str, quoted: Sequence[QuotedText], passages: Sequence[str] = ()) -> bool:
    """Whether the quotations say what a sentence says in other words, or contain it: rules 1 to 3."""
    words = words_of(sentence)
    if not words or not quoted:
        return False
    quoted_words = _all_words(quoted)
    known = quoted_words | words_of(question)
    named = all(
        words_of(name) <= known or (words_of(name) & quoted_words and any(_has(text, name) for text in passages))
        for name in mentions(sentence)
        if words_of(name) - FUNCTION_WORDS  # "Do" and "The", which begin a second sentence, are no names
    )
    numbers = {word for word in words_of(_ONE.sub("", sentence)) if word[:1].isdigit()}
    shared = len(words & quoted_words) / len(words)
    return (named and numbers <= known and shared >= OTHER_WORDS) or contains(sentence, question, quoted, passages)


def tells(answer: str, question: str, quoted: Sequence[QuotedText], passages: Sequence[str] = ()) -> bool:
    """Whether the quotations give the answer to a step: by any of the rules, or with all of its words among theirs.

    A step may ask for what two lists have in common, or for a reason: how its sentences prove that is left to whoever
    reads them. A name that is in none of them is no answer, however genuine they are.
    """
    words = words_of(answer)
    return bool(words and quoted) and (words <= _all_words(quoted) or told(answer, question, quoted, passages))


def words_of(text: str) -> frozenset[str]:
    """The words of a text that can be compared; function words only where it has no others."""
    return frozenset(_compared(text))


def _compared(text: str) -> list[str]:
    """The words of a text that can be compared, each as often as it stands there."""
    plain = _POINTED.sub(_in_one_word, _GROUPED.sub("", text))
    every = [str(NUMERALS.index(word)) if word in NUMERALS else word for word in _with_months(plain)]
    return [word for word in every if word not in FUNCTION_WORDS] or every


def _with_months(text: str) -> list[str]:
    """All words of a text, months in full: "may" is one here, and a function word where words are compared."""
    plain = _ORDINAL.sub("", _GROUPED.sub("", text))
    return [_MONTHS.get(word[:3], word) if _is_month(word) else word for word in tokens(plain, "s")]


def _in_one_word(number: re.Match[str]) -> str:
    return f"{number[1]}p{number[2]}" if number[2].strip("0") else number[1]


def _is_month(word: str) -> bool:
    return word[:3] in _MONTHS and _MONTHS[word[:3]].startswith(word.removesuffix("t") if word == "sept" else word)


def _all_words(quoted: Sequence[QuotedText]) -> frozenset[str]:
    return frozenset[str]().union(*(one.words for one in quoted))


def _all_spoken_of(names: Iterable[str], quoted: Sequence[QuotedText]) -> bool:
    texts = ["\n".join((one.title, *one.present, one.text)) for one in quoted]
    return all(any(_has(text, name) for text in texts) for name in names)


def _says(quoted: QuotedText, thing: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a quotation has the words of a thing, and more than them."""
    return thing - asked <= quoted.words and bool(words_of(quoted.text) - thing)


def _has(text: str, name: str) -> bool:
    """Whether a text has a name in one piece, with or without its article."""
    return f" {normal(name)} " in f" {' '.join(tokens(text))} "


def _named(question: str, passages: Sequence[str]) -> list[str]:
    """What a question names, of that what passages have."""
    return [name for name in mentions(question) if not passages or any(_has(text, name) for text in passages)]


def _outcome(said: Sequence[str], offered: Sequence[str]) -> bool:
    """Whether the outcomes of a comparison are offered, "before or after", and one of them is what is said."""
    sides = [frozenset(tokens(one)) for one in offered]
    apart = [side - frozenset.intersection(*sides) for side in sides]
    outcomes = bool(apart) and all(side and side <= _COMPARING for side in apart)
    return outcomes and sum(side <= set(said) for side in apart) == 1


def _chosen(answer: str, question: str, quoted: Sequence[QuotedText]) -> bool:
    """Whether the quotations decide between what the question offers, of which the answer is one."""
    offered = choices(question) or mentions(question)
    if len(offered) > 1 and all(_offer_spoken_of(one, offered, quoted) for one in offered):
        return True
    chosen = words_of(answer)
    about = words_of(question) - chosen - words_of(" ".join(offered))
    return any(chosen <= one.words and about & words_of(one.text) for one in quoted)


def _offer_spoken_of(offer: str, offered: Sequence[str], quoted: Sequence[QuotedText]) -> bool:
    """Whether quotations speak of a thing that is offered: by its name, or by what tells its description from others.

    What answers "which is taller, the tower of Velm or the lighthouse that Ada Brook built?" are heights, and no
    sentence about the lighthouse repeats the description.
    """
    if _all_spoken_of([offer], quoted):
        return True
    elsewhere = {name for other in offered if other != offer for name in mentions(other)}
    own = [name for name in mentions(offer) if name not in elsewhere]
    if own:
        return _all_spoken_of(own, quoted)
    others = frozenset[str]().union(*(words_of(other) for other in offered if other != offer))
    apart = words_of(_ONE.sub("", offer)) - others
    return any(words_of(offer) <= one.words or apart & words_of(one.text) for one in quoted)


def _of_country(answer: str, quoted: Sequence[QuotedText]) -> bool:
    """Whether the answer is a country or the adjective of one, and a quotation has the one or the other."""
    named = countries_in(answer)
    if len(named) != 1 or words_of(answer) != words_of(answer[named[0][0] : named[0][1]]):
        return False
    start, end, country = named[0]
    found = ((one.text[first:last], other) for one in quoted for first, last, other in countries_in(one.text))
    return any(other == country and country in (answer[start:end], word) for word, other in found)


def _calculated(answer: str, quoted: Sequence[QuotedText]) -> bool:
    """Whether the answer's one number is a sum or difference of quoted ones, or counts what is quoted."""
    wanted = set(_numbers(answer))
    if len(wanted) != 1:
        return False
    (number,) = wanted
    given = [one for quote in quoted for one in _numbers(quote.text)]
    pairs = combinations(given, 2)
    if any(number in (first + second, abs(first - second)) for first, second in pairs):
        return True
    longest = max(len([part for part in _THING.split(quote.text) if part]) for quote in quoted)
    return 1 < number <= max(len(set(quoted)), longest)


def _of_century(answer: str, quoted: Sequence[QuotedText]) -> bool:
    """Whether the answer is "the 19th century", and nothing else, and a year of that is quoted."""
    found = _CENTURY.fullmatch(answer.strip(" ."))
    years = (int(year) for one in quoted for year in _YEAR.findall(one.text))
    return found is not None and any((year + 99) // 100 == int(found[1]) for year in years)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in _compared(text) if word.isdecimal() and len(word) < 16]


def _counted_from_a_day(answer: str, quoted: Sequence[QuotedText]) -> bool:
    found = parse_date(answer)
    if found is None or not all(found):
        return False
    try:
        meant = date(*found)
    except ValueError:
        return False
    said = [date(int(one.day[:4]), int(one.day[4:6]), int(one.day[6:])) for one in quoted if one.day]
    return any(abs((meant - each).days) <= _FAR for each in said)


def _of_the_year(answer: str, quoted: Sequence[QuotedText]) -> bool:
    """Whether the answer is a day that one quotation has without its year, which another one, or its day, has."""
    every = frozenset(_with_months(answer))
    years, day = {word for word in every if _YEAR.fullmatch(word)}, set(filter(_in_a_day, every))
    written = len(years) == 1 and len(day) == _DAY_AND_MONTH and words_of(answer) <= years | day
    return written and years <= _all_words(quoted) and any(day <= set(_with_months(one.text)) for one in quoted)


def _in_a_day(word: str) -> bool:
    return word in _MONTHS.values() or (word.isdecimal() and 1 <= int(word) <= _DAYS)
