"""What passages and sentences are about: titles tell it, headings of which version, and a sentence may name two things.

Changelogs and checklists say the same of one version after another, and only headings tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import AnswerType, answer_type, asked_for
from polyhop.english.countries import countries_in
from polyhop.english.dates import DAY_OF_A_YEAR
from polyhop.english.numbers import NUMERALS, ORDINALS, names_version, number_in, versions_in
from polyhop.english.words import FUNCTION_WORDS, word_set
from polyhop.indexes.folding import family, fold, pieces, tokens
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.negation import unsaid
from polyhop.reading.pointing import Pointing, Supporting
from polyhop.reading.reader import Quote, Reading, headings_over, text_of
from polyhop.reading.rows import word_families
from polyhop.types import AnswerKind, Passage

_PARENTHESIS: Final = re.compile(r"\s*\([^()]*\)")
_NUMBERS: Final = re.compile(r"(?<![\d.])\d+(?:\.\d+)+")
_NTH: Final = re.compile(r"(\d{1,9})(?:st|nd|rd|th)?")
_ALIKE: Final = 0.5  # likeness of a name and the title of what it means, at least
_HEADS_VERSION: Final = re.compile(  # "3.0.0 (2031-02-04)", "[3.1]", "mill (3.0-2) stable; urgency=low"
    r"\[?v?(?P<alone>\d{1,4}(?:\.\d{1,4})+[\w.+-]{0,40})\]?(?:[ ,-]+[(\[]?\d{4}-\d\d-\d\d[)\]]?)?"
    r"|[\w.+-]{1,60} \((?P<released>[^()\s]{1,60})\) [\w. -]{1,60}; urgency=\w{1,20}"
)
_ASKS_VERSION: Final = re.compile(r"\b(?:which|what) (?:version|release)\b", re.IGNORECASE)
_NOT_NEW: Final = re.compile(r"\b(?:remov|drop|deprecat|discontinu|delet|fix|correct|repair|changed\b)", re.IGNORECASE)
_BRINGING: Final = word_families("introduces introduced adds added brings brought gains gained gets got new first")
_RELEASING: Final = word_families("release publish out come came ship appear issue version v date day")
_MAY_HAVE_NAMES: Final = word_set("rank capacity size age score count rate")
_ASKS_HOW: Final = re.compile(r"\W*(?:\w+ )?how\b", re.IGNORECASE)
_RELATED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:relation(?:ship)?|connection|link)s? between (?P<one>[^?]{1,200}?) and (?P<other>[^?]+)",
        r"^how (?:is|are|was|were) (?P<one>[^?]{1,200}?) (?:related|connected|linked) to (?P<other>[^?]{1,200})",
        r"^how (?:are|were) (?P<one>[^?]{1,200}?) and (?P<other>[^?]{1,200}?) (?:related|connected|linked)\b",
        r"^how (?:does|do|did) (?P<one>[^?]{1,200}?) relate to (?P<other>[^?]{1,200})",
        r"^what (?:links|linked|connects|connected|ties|tied) (?P<one>[^?]{1,200}?) (?:and|to|with) (?P<other>[^?]+)",
        r"^what (?:does|do|did|has|have|had) (?P<one>[^?]{1,200}?) (?:have )?to do with (?P<other>[^?]{1,200})",
    )
)
TOLD: Final = 0.8  # chance of a version that stands over a line which says all of what is asked
TOLD_OF_BOTH: Final = 0.5  # chance of a sentence that names both of two things whose relation is asked for, at least
_SECTION: Final = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+(?=[^\W\d_])")  # before its name


def plain(title: str) -> str:
    """A title without the parentheses that tell it from its namesakes."""
    return _PARENTHESIS.sub("", title).strip() or title


def likeness(name: str, title: str) -> float:
    """How likely two names mean the same thing, 0 to 1; parentheses only tell namesakes apart."""
    if fold(name) == fold(title):
        return 1.0
    first, second = pieces(plain(name)), pieces(plain(title))
    if not first or not second:
        return 0.0
    if first == second:
        return 0.95
    common = set(first) & set(second)
    if common in (set(first), set(second)):
        return 0.6 + 0.3 * len(common) / max(len(set(first)), len(set(second)))
    return 0.6 * len(common) / len(set(first) | set(second))


def about(name: str, passages: Sequence[Passage]) -> Passage | None:
    """The passage whose title is most like a name, the first of several, if any is like enough."""
    titled = [(likeness(name, passage.title), -position) for position, passage in enumerate(passages) if passage.title]
    best, position = max(titled, default=(0.0, 0))
    return passages[-position] if best >= _ALIKE else None


def countries_of(passage: Passage | None) -> tuple[frozenset[str], Quote] | None:
    """The countries in the first sentence that names any, but for what the passage is called: Victoria, or Jordan.

    Those in its title count where no sentence names others, or where it is one.
    """
    if passage is None:
        return None
    title, in_title = plain(passage.title), None
    called = r"\s+(?:[A-Z]\S*\s+){0,2}".join(map(re.escape, title.split()))  # another name may stand between
    for start, end in sentence_spans(passage.text):
        said, quote = passage.text[start:end], Quote(passage, start, end)
        rest = said if not called or _countries(title) == {title} else re.sub(called, " ", said)
        if _countries(rest):
            return _countries(rest), quote
        if in_title is None and _countries(said):
            in_title = _countries(said), quote
    return in_title


def _countries(text: str) -> frozenset[str]:
    return frozenset(country for _, _, country in countries_in(text))


def of_its_version(found: Pointing) -> Pointing:
    """The reading without what stands under the headings of other versions, where the question names one.

    A sentence that says the number itself speaks of it wherever it stands.
    """
    asked, numbers = versions_in(found.question), _NUMBERS.findall(found.question)
    if not numbers:
        return found

    def speaks(quote: Quote) -> bool:
        return not (_heads_another(quote, numbers) or (asked and _is_of_another(quote, asked)))

    return replace(
        found,
        answers=tuple(one for one in found.answers if one.quote is None or speaks(one.quote)),
        sentences=tuple(one for one in found.sentences if speaks(one.quote)),
    )


def named_apart(question: str, passages: Sequence[Passage]) -> dict[str, frozenset[str]]:
    """The passages that a question names a sibling of, by its title, and the words of it that it names.

    Branches, years, versions and models have documents whose titles are alike: they share half of the words of the
    longer one, numbers apart. Where the question has words of the one title that the other lacks, and none the other
    way round, it asks of that one. So it does by the number of an edition, a volume or a flat, whatever else the longer
    title has. What is said in a conversation is not about the day that its title has.
    """
    asked = word_families(question)
    written = {one.id: one.title for one in passages if SpokenPassage.of(one) is None}
    titles = {name: word_families(title) for name, title in written.items()}
    apart = _numbered_apart(question, written)
    for name, own in titles.items():
        for other in titles.values():
            alike = 2 * len(own & other) >= max(_wordy(own), _wordy(other)) > 0
            if alike and asked & (other - own) and not asked & (own - other):
                apart[name] = apart.get(name, frozenset()) | asked & (other - own)
    return apart


def _numbered_apart(question: str, titles: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The same by the numbers that stand beside a word which both titles have: "third edition", "4th edition"."""
    asked = _numbers_beside(question)
    numbered = {name: _numbers_beside(title) for name, title in titles.items()}
    apart: dict[str, frozenset[str]] = {}
    for name, own in numbered.items():
        for other in numbered.values():
            for word in own.keys() & other.keys() & asked.keys():
                named = asked[word].keys() & (other[word].keys() - own[word].keys())
                if named and not asked[word].keys() & own[word].keys():
                    words = frozenset(other[word][number] for number in named)
                    apart[name] = apart.get(name, frozenset()) | words
    return apart


def _numbers_beside(text: str) -> dict[str, dict[int, str]]:
    """The words of a text with the numbers beside them, and how these are written: "fourth edition", "Flat 4".

    What stands before a word is a year or a rank, as others are counts: "four editions".
    """
    words = [word for word in tokens(text, stem="s") if word not in FUNCTION_WORDS]
    numbers = [_numbering(word) for word in words]
    beside: dict[str, dict[int, str]] = {}
    for (word, one), (other, two) in pairwise(zip(words, numbers, strict=True)):
        counts = word in NUMERALS or (word.isdecimal() and len(word) < len("2031"))
        if one is not None and two is None and not counts:
            beside.setdefault(family(other), {})[one] = family(word)
        elif one is None and two is not None:
            beside.setdefault(family(word), {})[two] = family(other)
    return beside


def _numbering(word: str) -> int | None:
    """What a word says of a place in a row: 4 for "4", "4th", "four" and "fourth"; None for others."""
    figure = _NTH.fullmatch(word)
    if figure is not None:
        return int(figure[1])
    return next((row.index(word) for row in (NUMERALS, ("", *ORDINALS)) if word in row), None)


def _wordy(title: frozenset[str]) -> int:
    """How many words of a title are no numbers."""
    return sum(not word.isdecimal() for word in title)


def siblings_named(question: str, noun: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """What tells documents apart whose titles are alike and have the noun that a question asks for: "Flat 3", "Flat 5".

    Where it asks without one, any word of it. Those that share most words with it; none where it names one of them.
    """
    asked = word_families(question)
    called = word_families(noun) or asked
    titles = {one.title: word_families(one.title) for one in passages if SpokenPassage.of(one) is None}
    best: tuple[str, ...] = ()
    shared = 0
    for own in titles.values():
        alike = [title for title, other in titles.items() if 2 * len(own & other) > max(len(own), len(other))]
        common = frozenset.intersection(*(titles[title] for title in alike)) if len(alike) > 1 else frozenset()
        named = any(asked & (titles[title] - common) for title in alike)
        if called & common and not named and len(asked & common) > shared:
            best, shared = tuple(_apart_in(title, common) for title in alike), len(asked & common)
    return best


def _apart_in(title: str, common: frozenset[str]) -> str:
    """The first words of a title that are not common to its siblings; a number with the word before it."""
    words = [word.strip(",.:;()") for word in title.split()]
    start = next((at for at, word in enumerate(words) if word_families(word) - common), 0)
    end = next((at for at in range(start, len(words)) if not word_families(words[at]) - common), len(words))
    numbered = start > 0 and not any(character.isalpha() for character in words[start])
    return " ".join(words[start - numbered : end])


def speaks_of(quote: Quote, words: frozenset[str]) -> bool:
    """Whether a sentence, or a heading over it, has one of some words."""
    return bool(words & word_families(" ".join((text_of(quote), *headings_over(quote)))))


def _heads_another(quote: Quote, numbers: Sequence[str]) -> bool:
    """Whether it is a heading with a version, and none of the numbers with dots that are asked for stands in it."""
    said = text_of(quote)
    heads = any(start <= quote.start < end for start, end in quote.passage.headings)
    return (
        heads
        and bool(versions_in(said) or _version_of(said))
        and not any(names_version(said, number) for number in numbers)
    )


def _is_of_another(quote: Quote, asked: frozenset[str]) -> bool:
    """Whether the heading over a sentence names versions written like those asked for, and none of these.

    Over a heading itself stands that of the section before.
    """
    heads = any(start <= quote.start < end for start, end in quote.passage.headings)
    headings = (text_of(quote),) if heads else (*headings_over(quote), *wider_headings(quote))
    over = [heading for heading in headings if versions_in(heading)]
    if not over or any(asked & versions_in(said) for said in (*over, text_of(quote))):
        return False
    parts = {version.count(".") for version in asked}
    named = (versions_in(_SECTION.sub("", heading)) for heading in over)
    return any(version.count(".") in parts for versions in named for version in versions)


def wider_headings(quote: Quote) -> Iterator[str]:
    """The headings of its passage that the nearest one above a sentence stands under, as Markdown's signs tell."""
    text = quote.passage.text
    least = 0
    for start, end in reversed([heading for heading in quote.passage.headings if heading[1] <= quote.start]):
        signs = _signs_before(text, start)
        if not signs or signs == 1:
            return
        if least and signs < least:
            yield text[start:end]
        least = min(least or signs, signs)
    if least:
        yield from quote.passage.section


def _signs_before(text: str, start: int) -> int:
    before = text[max(0, start - 8) : start].rstrip(" ")
    return len(before) - len(before.rstrip("#"))


def version_telling(question: str, passages: Sequence[Passage]) -> Reading | None:
    """The version whose section has a sentence that says all of what is asked; None where none or several have.

    "In which version was the lock removed?" names what a line says, and the version stands over that; that it was
    removed, a heading between them may say. Where it is asked when a version came out, the day beside that.
    """
    asked, numbers = word_families(_ASKS_VERSION.sub("", question)), _NUMBERS.findall(question)
    if _ASKS_VERSION.search(question) is None or not asked:
        return _day_of_version(question, passages) if len(numbers) == 1 else None
    found: dict[str, tuple[Quote, ...]] = {}
    for passage in passages:
        named = word_families(passage.title)
        for start, end in sentence_spans(passage.text):
            quote, said = Quote(passage, start, end), passage.text[start:end]
            own = word_families(said)
            if own & asked and all(names_version(said, one) for one in numbers):
                version, over, kinds = _version_over(quote)
                told = own | named | word_families(kinds)
                if not unsaid(asked - _brought(asked - named, own, f"{kinds} {said}"), told):
                    found.setdefault(version, (*over, quote))
    found.pop("", None)
    if len(found) != 1:
        return None
    ((version, quotes),) = found.items()
    return Reading(text=version, quotes=quotes, confidence=TOLD, note="the version over what is asked")


def _brought(asked: frozenset[str], own: frozenset[str], said: str) -> frozenset[str]:
    """The words for bringing something that need not be said of what stands under a version: it came with that.

    Nothing where it was there before: what is removed or mended, or a line that says more of it than its one name.
    """
    things = asked - _BRINGING
    return _BRINGING if _NOT_NEW.search(said) is None and (len(things) > 1 or own <= asked) else frozenset()


def _day_of_version(question: str, passages: Sequence[Passage]) -> Reading | None:
    """The day in the one heading of the version that a question names, where it asks for nothing else of that."""
    (number,) = _NUMBERS.findall(question)
    asked = word_families(_NUMBERS.sub("", question)) - _RELEASING
    if answer_type(question) is not AnswerType.DATE:
        return None
    found = {
        day[0]: Quote(passage, start, end)
        for passage in passages
        for start, end in passage.headings
        if names_version(passage.text[start:end], number) and not unsaid(asked, word_families(passage.title))
        for day in DAY_OF_A_YEAR.finditer(passage.text, start, end)
    }
    if len(found) != 1:
        return None
    ((day, quote),) = found.items()
    return Reading(text=day, quotes=(quote,), confidence=TOLD, note="the day beside the version")


def _version_of(heading: str) -> str:
    """The one version that a heading is of; nothing where it names none, or several."""
    match = _HEADS_VERSION.fullmatch(heading.strip())
    named = versions_in(_SECTION.sub("", heading))
    return (match["alone"] or match["released"]) if match else next(iter(named)) if len(named) == 1 else ""


def _version_over(quote: Quote) -> tuple[str, tuple[Quote, ...], str]:
    """The version in the nearest heading over a sentence that is one of a version, the heading, and those between."""
    kinds: list[str] = []
    for heading in (*headings_over(quote), *wider_headings(quote)):
        version = _version_of(heading)
        if version:
            text = quote.passage.text
            places = [place for place in quote.passage.headings if text[slice(*place)] == heading]
            return version, tuple(Quote(quote.passage, *place) for place in places[-1:]), " ".join(kinds)
        kinds.append(heading)
    return "", (), ""


def told_of_both(found: Pointing) -> Reading | None:
    """The likeliest sentence that names both of the things whose relation is asked for, or two of one passage.

    None for other questions, and where no passage speaks of both.
    """
    asked = next((match for pattern in _RELATED if (match := pattern.search(found.question))), None)
    if asked is None:
        return None
    one, other = word_families(asked["one"]), word_families(asked["other"])
    for sentence in found.sentences:
        said = word_families(text_of(sentence.quote))
        known = said | word_families(sentence.quote.passage.title)
        if said & one and said & other and not unsaid(one | other, known):
            return Reading(
                text=" ".join(text_of(sentence.quote).split()),
                kind=AnswerKind.QUOTATION,
                quotes=(sentence.quote,),
                confidence=max(sentence.chance, TOLD_OF_BOTH),
                note="quoted, as it names both",
            )
    return _told_beside(one, other, found)


def _told_beside(one: frozenset[str], other: frozenset[str], found: Pointing) -> Reading | None:
    """The likeliest sentences of one passage that name a thing each: what the passage is about links the two."""
    named: dict[str, dict[bool, Supporting]] = {}
    for sentence in found.sentences:
        said = word_families(text_of(sentence.quote))
        of_one, of_other = not unsaid(one, said), not unsaid(other, said)
        if of_one != of_other:
            beside = named.setdefault(sentence.quote.passage.id, {})
            beside.setdefault(of_one, sentence)
            if len(beside) == 2:
                quotes = tuple(sorted((each.quote for each in beside.values()), key=lambda quote: quote.start))
                return Reading(
                    text=" ".join(" ".join(text_of(quote).split()) for quote in quotes),
                    kind=AnswerKind.EXTRACT,
                    quotes=quotes,
                    confidence=max(TOLD_OF_BOTH, min(each.chance for each in beside.values())),
                    note="quoted, as one passage names each of them",
                )
    return None


def lacks_number(question: str, text: str) -> bool:
    """Whether the number that something has is asked for, as of a telephone or a part, and a text has none.

    "How many?" may be answered by "none" or "all of them", too, and a rank or a size by its name.
    """
    if answer_type(question) is not AnswerType.NUMBER or _ASKS_HOW.match(question) is not None:
        return False
    if asked_for(question).removesuffix("s") in _MAY_HAVE_NAMES:
        return False
    return number_in(text) is None and not any(map(str.isdigit, text))
