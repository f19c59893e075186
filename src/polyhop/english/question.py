"""Questions as words: names are single words, possessives and punctuation stand apart, and options can be told.

No model is involved: names are quoted strings, titles announced by a noun ("the film ..."), runs of capitalised words,
and whatever the caller already recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from polyhop.english.dates import DATE_NAMES
from polyhop.english.verbs import is_finite, is_participle
from polyhop.english.words import (
    ARTICLES,
    ATTRIBUTE_HEADS,
    ATTRIBUTE_TAILS,
    AUXILIARIES,
    BE,
    FRONTED,
    FUNCTION_WORDS,
    KIN,
    NAME_LINKS,
    ORGANISATIONS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    RANKS,
    RELATIONAL,
    ROLES,
    THINGS,
    TIMES,
    TITLE_LINKS,
    TITLE_NOUNS,
    WH_WORDS,
    WORK_LINKS,
    WORKS,
    is_demonym,
    without_preface,
    word_set,
)

_QUOTED: Final = re.compile(r"[\"“„«][^\"“”„«»]{1,160}[\"”»]")
_TOKEN: Final = re.compile(r"\S+")
_ORDINAL: Final = re.compile(r"\d{1,3}(?:st|nd|rd|th)", re.IGNORECASE)
_TITLE_ACRONYMS: Final = word_set("ceo cfo cto coo")
_JOINERS: Final = word_set("& / - – — + vs. vs")
LONGEST_QUESTION: Final = 200  # words; anything longer is a text rather than a question
_LONGEST_PARENTHESIS: Final = 8  # words
_OTHERS: Final = ATTRIBUTE_TAILS | TIMES.keys() | word_set("alma mater record label today")
_COMMON: Final = (
    FUNCTION_WORDS | KIN | ROLES | PLACES | ORGANISATIONS | WORKS | PEOPLE | THINGS | TITLE_NOUNS | RELATIONAL | _OTHERS
)
DOUBTING: Final = AUXILIARIES | {"am"}  # begin a question for yes or no; elsewhere "am" is before noon
SUMMARISING: Final = word_set("summarise summarize summary overview outline")
LISTING: Final = word_set("list name enumerate")
EXPLAINING: Final = word_set("explain describe define")
_IMPERATIVE: Final = SUMMARISING | LISTING | EXPLAINING
_CIRCUMSTANCES: Final = word_set("when where while")  # begin clauses that are no questions, too

# A full stop behind a capitalised word may belong to it: "Dr. Smith", "J. K. Rowling", "St. Louis".
SENTENCE_END: Final = re.compile(r"(?:[!?]|(?<!\S)[^\W_A-Z]\S*\.)\s+(?=[^\sa-z])")
_CLAUSE_END: Final = re.compile(r"(?:[,;:…]|\s[-–—]|(?<=[^\W_A-Z]{2})[.!?])\s+(?=\S)")
_WORD: Final = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a name, a reference to an earlier step (``#1``), or a mark that is glued to the word before it."""

    text: str
    kind: Literal["word", "name", "step", "mark"] = "word"

    @property
    def low(self) -> str:
        """Its lower-case form if it is a plain word or a mark, otherwise nothing: names match no word list."""
        return self.text.lower() if self.kind in ("word", "mark") else ""

    @property
    def atomic(self) -> bool:
        """Whether it stands for one thing in the world: a name or a reference."""
        return self.kind in ("name", "step")


Words = tuple[Word, ...]
OWNS: Final = Word("'s", "mark")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    kind: Literal["word", "name", "mark", "owns"]

    @property
    def low(self) -> str:
        return self.text.lower()


def plain(*texts: str) -> Words:
    """Plain words."""
    return tuple(Word(text) for text in texts)


def render(words: Iterable[Word]) -> str:
    """The words as text; of "workers" it is "workers'", of a name "James's"."""
    text = ""
    before = Word("", "mark")
    for word in words:
        plural = word == OWNS and before.kind == "word" and before.text.endswith("s") and not before.text.endswith("ss")
        text += "'" if plural else word.text if word.kind == "mark" else f" {word.text}"
        before = word
    return text.strip()


def read_words(question: str, entities: Sequence[str] = ()) -> Words:
    """The question's words without its question mark; each name, and each of the entities, is one word."""
    return _read(question, tuple(entities))


@lru_cache(maxsize=256)  # planners, strategies and readers read the words of one question
def _read(question: str, entities: tuple[str, ...]) -> Words:
    text = " ".join(question.split())
    text = text[:-1].rstrip() if text.endswith(("?", ".")) else text
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    runs = _runs(_tokens(text, quoted))
    words: list[Word] = []
    for token in _tokens(text, _united(runs + _found(text, entities))):
        if token.kind == "name":
            words.append(Word(token.text, "name"))
        elif token.kind != "word":
            words.append(Word(token.text, "mark") if token.kind == "mark" else OWNS)
        elif token.low.replace("’", "'") in ("who's", "what's", "where's", "when's"):
            words += plain(token.text[:-2], "is")
        else:
            words.append(Word(token.text.strip('"“”') or token.text))
    return _merge_attributes(_merge_names(words))


def has_sentences(question: str) -> bool:
    """Whether something is told before it is asked: "I let a cottage. Which test must I do?"."""
    return any(_asks(question[end.end() :]) for end in SENTENCE_END.finditer(question))


def asking_part(question: str) -> str:
    """The sentence that asks, without a clause in front of it; the whole question where that is not plain.

    "The train takes four hours. Am I allowed a seat?" asks with its second sentence, "If it rains, is the match off?"
    behind the comma, as others do behind a semicolon, a dash or a sentence that begins with a small letter.
    """
    starts = [0, *(end.end() for end in SENTENCE_END.finditer(question))]
    parts = [without_preface(question[start:]) for start in reversed(starts)]
    last = next((part for part in parts if _asks(part)), parts[-1])
    low = _low(last)
    if not low or (low[0] in WH_WORDS | DOUBTING and not _is_circumstance(low)):
        return last
    for mark in _CLAUSE_END.finditer(last):
        before, behind = _low(last[: mark.start()]), _low(last[mark.end() :])
        if behind and behind[0] in DOUBTING and WH_WORDS.isdisjoint([*before[1:], *behind]):
            return last[mark.end() :]
    return last


def _asks(text: str) -> bool:
    """Whether a text begins as a question or a request does."""
    low = _low(text)
    begins = low[:1] + (low[1:2] if low[:1] and low[0] in PREPOSITIONS else [])
    return not (WH_WORDS | DOUBTING | _IMPERATIVE).isdisjoint(begins)


def _is_circumstance(low: list[str]) -> bool:
    """Whether a clause says when or where something is, in the order of a statement."""
    return low[0] in _CIRCUMSTANCES and len(low) > 1 and low[1] not in DOUBTING


def _low(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def mentions(question: str) -> tuple[str, ...]:
    """The names in a question, as written and in order, each once; the capital of "I" makes it none."""
    names = (word.text.strip('"“”„«» ') for word in read_words(question) if word.kind == "name")
    return tuple(dict.fromkeys(name for name in names if name not in ("", "I")))


def _found(text: str, entities: Sequence[str]) -> list[tuple[int, int]]:
    """Where the given entities stand, whatever their case; plain words of questions are no entities."""
    lowered = text.lower()
    folded = len(lowered) == len(text)  # otherwise offsets would shift
    found: list[tuple[int, int]] = []
    for entity in dict.fromkeys(" ".join(name.split()) for name in entities if name.strip()):
        needle = entity.lower() if folded else entity
        at = (lowered if folded else text).find(needle)
        while at >= 0:
            end = at + len(needle)
            whole = not (at and text[at - 1].isalnum()) and not (end < len(text) and text[end].isalnum())
            if whole and not _is_common(text[at:end]):
                found.append((at, end))
            at = (lowered if folded else text).find(needle, end)
    return found


def _is_common(text: str) -> bool:
    """Whether the text is made of words that questions are made of, so that it names nothing here."""
    words = [word for word in text.lower().split() if word not in ARTICLES]
    if all(word in FUNCTION_WORDS for word in words):
        return True
    if len(words) == 1 and (is_finite(words[0]) or is_demonym(words[0])):
        return text.islower() or text.split()[0] in ARTICLES
    return text.islower() and all(word in _COMMON for word in words)


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in text order, overlapping ones as one: a part of a longer name is no name."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _runs(tokens: list[_Token]) -> list[tuple[int, int]]:
    """Where names stand that show by themselves: quoted, announced or capitalised."""
    paired = bool(tokens) and (tokens[0].low in AUXILIARIES or any(t.low in ("both", "common") for t in tokens))
    runs: list[tuple[int, int]] = []
    at = 0
    while at < len(tokens):
        end = _name_end(tokens, at, paired=paired)
        if end > at:
            runs.append((tokens[at].start, tokens[end - 1].end))
        at = max(end, at + 1)
    return runs


def _tokens(text: str, atoms: list[tuple[int, int]]) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    for start, end in atoms:
        tokens += _plain_tokens(text, at, start)
        tokens.append(_Token(text[start:end], start, end, "name"))
        at = end
    return tokens + _plain_tokens(text, at, len(text))


def _plain_tokens(text: str, start: int, end: int) -> list[_Token]:
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text, start, end):
        at, stop = match.span()
        kept = text[at:stop].rstrip(",;:")
        core = re.fullmatch(r"(.*?)('s|’s|(?<=s)['’])", kept) if len(kept) < 80 else None
        body = core.group(1) if core and core.group(1).lower() not in WH_WORDS else kept
        if body:
            tokens.append(_Token(body, at, at + len(body), "word"))
        if len(body) < len(kept):
            tokens.append(_Token(kept[len(body) :], at + len(body), at + len(kept), "owns"))
        if len(kept) < stop - at:
            tokens.append(_Token(text[at + len(kept)], at + len(kept), stop, "mark"))
    return tokens


def _capital(token: _Token) -> bool:
    if token.kind != "word" or token.low in _TITLE_ACRONYMS:
        return False
    letters = token.text.lstrip("([{'‘’.¡¿…*!-")
    first = letters[:1]
    caseless = first.isalpha() and first.lower() == first.upper()
    return first.isupper() or first.istitle() or caseless or (first.isalpha() and any(c.isupper() for c in letters[1:]))


def _titled(tokens: list[_Token], at: int) -> bool:
    """Whether a noun such as "film" announces that a title begins here."""
    before = at - 1 - (at > 1 and tokens[at - 1].kind == "mark")
    return before >= 0 and tokens[before].kind == "word" and tokens[before].text in TITLE_NOUNS


def _starts_name(tokens: list[_Token], at: int, *, titled: bool) -> bool:
    token = tokens[at]
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    if titled and token.text[:1].isdigit():
        return True
    if not _capital(token):
        return False
    if token.low in DATE_NAMES and (follower is None or not _capital(follower)):
        return False
    if at > 0:
        return token.low not in WH_WORDS or (follower is not None and _capital(follower))
    if token.low.removesuffix("'s") in FUNCTION_WORDS | FRONTED | {"who's", "what's"}:
        return False
    return token.low not in ROLES | PEOPLE | TITLE_NOUNS or (follower is not None and _capital(follower))


def _name_end(tokens: list[_Token], at: int, *, paired: bool) -> int:
    """Where the name that starts here ends; ``at`` itself if none starts here."""
    if tokens[at].kind == "name":
        return at + 1
    titled = _titled(tokens, at)
    if tokens[at].kind != "word" or not _starts_name(tokens, at, titled=titled):
        return at
    plural = titled and tokens[at - 1].low in ("films", "movies", "songs", "books", "albums")
    titled = titled or tokens[at].low in WH_WORDS  # nothing but a title has a question word in the middle of a question
    authored = at > 1 and tokens[at - 1].text == "of" and tokens[at - 2].text in ROLES
    end = at + 1
    while end < len(tokens):
        titled = titled or (tokens[end].text == ":" and end > at)
        reach = _extend(tokens, end, titled=titled, authored=authored, paired=paired or plural)
        if reach == end:
            break
        end = reach
    if end - at > 1 and not titled and _says_whence(tokens, at, end):
        return end - 1
    return end


def _says_whence(tokens: list[_Token], at: int, end: int) -> bool:
    """Whether a name ends in what is said of it: "are Ada Lund and Bo Vale Danish (painters)?"; not "by Bo Welsh"."""
    joint = max((i for i in range(1, at) if tokens[i].low == "and"), default=0)
    if tokens[0].low not in (("are", "were") if joint else BE) or not is_demonym(tokens[end - 1].text):
        return False
    if any(_capital(token) for token in tokens[joint + 1 : at]) or tokens[at - 1].low in PREPOSITIONS - {"of"}:
        return False
    if end == len(tokens):
        return True
    after = tokens[end]
    return joint > 0 and after.kind == "word" and after.low not in FUNCTION_WORDS and not is_participle(after.low)


def _extend(tokens: list[_Token], at: int, *, titled: bool, authored: bool, paired: bool) -> int:
    """How far the name reaches if what stands here belongs to it; ``at`` if it does not."""
    token = tokens[at]
    if token.kind == "name":
        return at
    if token.text.startswith("("):
        last = min(len(tokens), at + _LONGEST_PARENTHESIS)
        return next((i + 1 for i in range(at, last) if ")" in tokens[i].text), at)
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    number = token.text[:1].isdigit() and token.kind == "word"
    if tokens[at - 1].text.endswith(".") and token.low in WH_WORDS | AUXILIARIES and len(tokens[at - 1].text) > 3:
        return at  # a sentence ended
    if _capital(token) or (number and (titled or len(token.text) < 3 or (follower is not None and _capital(follower)))):
        return at + 1
    if follower is None:
        return at
    if token.text == ",":
        rank = _ORDINAL.fullmatch(follower.text) or (follower.low in RANKS and _capital(follower))
        return at + 2 if rank or (titled and not paired and _capital(follower)) else at
    if token.text == ":" or token.kind == "owns" or token.text in _JOINERS:
        return at + 2 if _capital(follower) or (follower.text[:1].isdigit() and token.kind != "owns") else at
    links = TITLE_LINKS if titled else WORK_LINKS if authored else NAME_LINKS
    for ahead in range(at, min(at + 4, len(tokens))):
        low = tokens[ahead].text
        if ahead > at and _capital(tokens[ahead]):
            return ahead + 1
        if tokens[ahead].kind != "word" or low not in links or (low == "and" and paired):
            return at
    return at


def _merge_names(words: list[Word]) -> list[Word]:
    """The words with what a comma adds to a name ("X, Steward of Y's wife") and nicknames in quotes joined to it."""
    several = any(word.low in ("or", "and") for word in words)
    merged: list[Word] = []
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else None
        if word.kind == "name" and len(merged) > 1 and merged[-1].low == "," and merged[-2].kind == "name":
            if after == OWNS or not several:
                merged[-2:] = [Word(f"{merged[-2].text}, {word.text}", "name")]
                continue
        elif word.kind == "name" and len(merged) > 1 and merged[-1].text.startswith('"') and merged[-2].kind == "name":
            merged[-2:] = [Word(f"{merged[-2].text} {merged[-1].text} {word.text}", "name")]
            continue
        merged.append(word)
    return merged


def _merge_attributes(words: list[Word]) -> Words:
    """The words with "place of birth" and its like as one word."""
    merged: list[Word] = []
    at = 0
    while at < len(words):
        three = words[at : at + 3]
        lows = [word.low for word in three]
        if len(three) == 3 and lows[0] in ATTRIBUTE_HEADS and lows[1] == "of" and lows[2] in ATTRIBUTE_TAILS:
            merged.append(Word(render(three)))
            at += 3
        elif lows[1:2] == [","] and lows[0].isdigit() and len(three) == 3 and lows[2].isdigit() and len(lows[2]) == 4:
            merged.append(Word(render(three)))  # the comma of a date divides no clauses
            at += 3
        elif lows[:2] in (["alma", "mater"], ["record", "label"]):
            merged.append(Word(render(three[:2])))
            at += 2
        else:
            merged.append(words[at])
            at += 1
    return tuple(merged)
