"""What kind of thing a question asks for, told from its wh-word and the noun after it, without a model."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, Literal

from polyhop.english.options import split_options
from polyhop.english.question import (
    DOUBTING,
    EXPLAINING,
    LISTING,
    OWNS,
    SUMMARISING,
    Words,
    asking_part,
    plain,
    read_words,
)
from polyhop.english.verbs import is_base, is_finite, is_participle
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    FUNCTION_WORDS,
    KIN,
    ORGANISATIONS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    ROLES,
    TITLE_NOUNS,
    WH_WORDS,
    WORKS,
    is_agent,
    names_person,
    word_set,
)


class AnswerType(StrEnum):
    """What kind of thing answers a question."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    ORGANISATION = "organisation"
    WORK = "work"
    NATIONALITY = "nationality"
    YES_NO = "yes/no"
    CHOICE = "choice"
    THING = "thing"


AnswerShape = Literal["value", "verdict", "choice", "list", "open", "steps", "explanation", "summary"]

DATES: Final = word_set(
    "date dates day month year years decade century birthday birthdate season era time span period lifespan "
    "deadline anniversary"
)
_NUMBERS: Final = word_set(
    "number percentage percent proportion population amount age height length width depth weight size count rank "
    "distance price cost salary income temperature total elevation speed rate score capacity budget"
)
_NATIONALITIES: Final = word_set("nationality nationalities citizenship ethnicity demonym")
_MORE_PLACES: Final = word_set(
    "airport lake mountain ocean sea bay beach forest desert valley peninsula countries cities states places "
    "counties castle cathedral prison cemetery birthplace embassy port harbour peak road street square colony"
)
_BODIES: Final = word_set("publisher manufacturer developer broadcaster employer distributor operator owner")
_WORKS: Final = (WORKS | TITLE_NOUNS) - {"magazine", "game", "franchise", "hit", "comic", "track", "sculpture"}
_MEASURES: Final = word_set("many much old long far tall high deep wide big large heavy often fast")
_STUDYING: Final = word_set("study studied graduate graduated educated work worked teach taught")
_KINDS: Final = word_set("type kind sort name title")
_PLURAL: Final = word_set("are were do does did have can may must should will")
_SINGULAR: Final = word_set("is was has does")
_ALSO_ONE: Final = word_set("means news lens gas")  # of one thing, though they end like several
_IRREGULAR: Final = word_set("people men women children")  # of several, though they end like one
_DOING: Final = word_set("do does did can could may might must should shall will would")
"""What a verb never stands before: "which moves does ..." asks for moves."""

_FOLLOWING: Final = DATES | _NUMBERS | _NATIONALITIES | PLACES | ORGANISATIONS | ROLES | PEOPLE | WORKS | KIN
_TYPES: Final = {  # of nouns; of one that has several the last counts
    **dict.fromkeys((KIN | ROLES | PEOPLE) - {"family", "cast"}, AnswerType.PERSON),
    **dict.fromkeys(PLACES | _MORE_PLACES, AnswerType.PLACE),
    **dict.fromkeys(_WORKS, AnswerType.WORK),
    **dict.fromkeys(ORGANISATIONS - {"religion", "union", "franchise"}, AnswerType.ORGANISATION),
    **dict.fromkeys(_BODIES | {"alma mater", "record label"}, AnswerType.ORGANISATION),
    **dict.fromkeys(_NATIONALITIES, AnswerType.NATIONALITY),
    **dict.fromkeys(_NUMBERS, AnswerType.NUMBER),
    **dict.fromkeys(DATES, AnswerType.DATE),
}
_SPELT_OUT: Final = (
    (re.compile(r"\b(can)(?:not|['’]t)\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(w)on['’]t\b", re.IGNORECASE), r"\1ill not"),
    (re.compile(r"\b(sha)n['’]t\b", re.IGNORECASE), r"\1ll not"),
    (re.compile(r"n['’]t\b", re.IGNORECASE), " not"),
)
_TELLING: Final = word_set("tell give show")
_NAMING: Final = word_set("name find state identify")
_PAST: Final = word_set("did was were had")  # behind "how" asks how something went, not how it is done
_STEPS: Final = word_set("steps procedure instructions")
_MANNERS: Final = FUNCTION_WORDS - {"near"} | word_set("come else exactly precisely best")
"""What stands behind "how" where a way is asked for; anything else says of what the degree is: "how thick"."""

_LABELS: Final[dict[AnswerType, frozenset[str]]] = {
    AnswerType.PERSON: word_set("PERSON"),
    AnswerType.PLACE: word_set("GPE LOC FAC"),
    AnswerType.DATE: word_set("DATE TIME"),
    AnswerType.NUMBER: word_set("CARDINAL QUANTITY MONEY PERCENT ORDINAL DATE TIME"),
    AnswerType.ORGANISATION: word_set("ORG FAC GPE"),
    AnswerType.WORK: word_set("WORK_OF_ART LAW PRODUCT ORG"),
    AnswerType.NATIONALITY: word_set("NORP GPE LANGUAGE"),
    AnswerType.YES_NO: frozenset(),
}
_NAMES: Final = word_set("PERSON GPE LOC FAC ORG NORP WORK_OF_ART EVENT PRODUCT LANGUAGE LAW")
_NOUNS: Final = frozenset(AnswerType) - {AnswerType.YES_NO, AnswerType.CHOICE}
_UNTITLED: Final = frozenset({AnswerType.DATE, AnswerType.NUMBER, AnswerType.YES_NO})


def answer_type(question: str) -> AnswerType:
    """The kind of thing the question asks for; ``THING`` where nothing tells. Never raises."""
    words = read_words(asking_part(question))
    if not words:
        return AnswerType.THING
    if split_options(words) is not None:
        return AnswerType.CHOICE
    if words[0].low in DOUBTING:
        return AnswerType.YES_NO
    words = outright(words)
    asked = _asking(words)
    if asked is None:
        return AnswerType.THING
    low = words[asked].low
    following = words[asked + 1].low if asked + 1 < len(words) else ""
    if low == "how":
        return AnswerType.NUMBER if following in _MEASURES else AnswerType.THING
    if low == "when":
        return AnswerType.DATE
    if low == "why":
        return AnswerType.THING
    if low == "where":
        return _of_where(words[asked:])
    noun = _head_noun(words, asked)
    if low in ("who", "whom", "whose"):
        return AnswerType.ORGANISATION if noun in _BODIES - {"owner", "operator"} else AnswerType.PERSON
    return _of_noun(noun)


def asked_for(question: str) -> str:
    """A noun for what the question asks for, in its own words where it has one: "town" of "in which town ...?"."""
    words = outright(read_words(asking_part(question)))
    asked = _asking(words) if words else None
    noun = _head_noun(words, asked) if asked is not None and words[asked].low != "how" else ""
    kind = answer_type(question)
    return noun or (kind.value if kind in _NOUNS else "thing")


def sought(question: str) -> str:
    """A noun that stands for what the question asks for: "person" of "who painted the hall?", where no noun asks."""
    words = outright(read_words(asking_part(question)))
    asked = _asking(words) if words else None
    behind = [] if asked is None or words[asked].low not in ("who", "whom") else words[asked + 1 : asked + 2]
    return AnswerType.PERSON.value if behind and behind[0].low not in BE else asked_for(question)


def leaves_number_open(question: str) -> bool:
    """Whether one thing may be asked for or several, as by "who came?" and "what was sold?"; not by "which town?".

    "How much was paid?" may ask for several amounts.
    """
    words = outright(read_words(asking_part(question)))
    asked = _asking(words) if words else None
    if asked is None or words[asked].low not in ("who", "whom", "what", "how"):
        return False
    if words[asked].low == "how":
        return words[asked + 1 : asked + 2] != () and words[asked + 1].low in ("much", "many")
    if words[asked].low == "what":
        return answer_shape(question) == "open"
    return words[asked + 1 : asked + 2] != () and words[asked + 1].low not in ("is", "was")


def answer_shape(question: str) -> AnswerShape:
    """How much a question asks for: one thing, several, whether, which of two, how, why, or what something says.

    What "what" alone asks for is open: "what should I bring?" may ask for one thing or for several.
    """
    asking = asking_part(question)
    words = read_words(asking)
    if not words:
        return "value"
    low = [word.low for word in words]
    begins = [word.strip(",:").lower() for word in asking.split()[:4]]  # an imperative looks like a name
    if not SUMMARISING.isdisjoint(begins):
        return "summary"
    if split_options(words) is not None:
        return "choice"
    if low[0] in DOUBTING:
        return "verdict"
    if begins[0] in _STEPS:
        return "steps"
    if begins[0] in LISTING and outright(words) == words:
        return "list"
    if begins[0] in EXPLAINING:
        return "explanation"
    words = outright(read_words(spelt_out(asking)))  # "which tools can't be lent": no noun phrase goes on with "can't"
    low, asked = [word.low for word in words], _asking(words)
    if asked is None:
        return "value"
    following = low[asked + 1] if asked + 1 < len(words) else ""
    if low[asked] == "why" or (low[asked] == "how" and following in _PAST):
        return "explanation"
    if low[asked] == "how":
        return "steps" if not following or following in _MANNERS or words[asked + 1].atomic else "value"
    if low[asked] == "what" and not _head_noun(words, asked):
        return "open"
    return "list" if _asks_for_several(words, asked) else "value"


def outright(words: Words) -> Words:
    """A request for one thing as the question for it: "name the author of Rain" as "who is the author of Rain".

    A request for several things, "name the keepers", stays one.
    """
    said = [word.text.lower() for word in words[:3]]  # "Find" looks like a name, because it begins the request
    at = 2 if said[:1] and said[0] in _TELLING and said[1:2] == ["me"] else 1
    if said[at : at + 1] != ["the"] or (at == 1 and said[0] not in _NAMING):
        return words
    ends = (i for i in range(at + 1, len(words)) if words[i].kind != "word" or words[i].low in FUNCTION_WORDS)
    end = next(ends, len(words))
    end = next((i for i in range(at + 2, end) if is_participle(words[i].low)), end)
    noun = words[end - 1].low
    if end == at + 1 or noun in _IRREGULAR or _ends_as_several(noun):
        return words
    return (*plain("who" if names_person(noun) else "what", "is"), *words[at:])


def spelt_out(text: str) -> str:
    """A text with "not" as a word of its own, where it was joined to a verb."""
    for pattern, written in _SPELT_OUT:
        text = pattern.sub(written, text)
    return text


def _asks_for_several(words: Words, asked: int) -> bool:
    """Whether several things are asked for: "which lamps", "what are the tools", "who were her teachers"."""
    if words[asked].low == "who":
        verb = words[asked + 1].low if asked + 1 < len(words) else ""
        return verb in ("are", "were") and _names_several(words[asked + 2 :])
    return words[asked].low in ("what", "which") and _is_plural(words, asked)


def _names_several(words: Words) -> bool:
    """Whether a noun phrase is of several: "her teachers", "the men of the mill"; not "the Romans", which is a name."""
    if not words or words[0].low not in ARTICLES:
        return False
    end = next((at for at, word in enumerate(words) if word.low in PREPOSITIONS | WH_WORDS | {"that"}), len(words))
    noun = words[end - 1]
    return noun.kind == "word" and (noun.low in _IRREGULAR or _ends_as_several(noun.low))


def _ends_as_several(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun not in _ALSO_ONE


def _is_plural(words: Words, asked: int) -> bool:
    """Whether several things are asked for: a plural noun after the wh-word, and no verb of one thing behind it."""
    noun = _head_noun(words, asked)
    behind = [word.low for word in words[asked + 1 : asked + 6]]
    if noun in behind[1:] and (is_base(noun) or "to" in behind[behind.index(noun) + 1 :][:1]):
        noun = behind[behind.index(noun) - 1]  # "which lamps need oil": the last word may be the verb
    if noun in _IRREGULAR:
        return OWNS not in words[asked:]
    if not _ends_as_several(noun):
        return False
    if noun in behind[1:] and not any(word.endswith("s") for word in behind[: behind.index(noun)]):
        others = (word.low for word in words if word.low != noun)
        if not any(low in AUXILIARIES or is_finite(low) for low in others):
            return False  # "which clock counts for ...": nothing else is the verb
    verb = next(iter(behind[behind.index(noun) + 1 :]), "") if noun in behind else ""
    of_one = is_finite(verb) and verb.endswith("s") and verb not in _PLURAL
    return not behind or not _PLURAL.isdisjoint(behind) or not (of_one or not _SINGULAR.isdisjoint(behind))


def fits(label: str, type: AnswerType) -> bool:  # noqa: A002 - the word of the field
    """Whether an entity with this label (spaCy's, or TITLE for what a passage is about) may answer such a question."""
    if label == "TITLE":
        return type not in _UNTITLED
    if type in (AnswerType.THING, AnswerType.CHOICE):
        return label in _NAMES
    return label in _LABELS[type]


def _asking(words: Words) -> int | None:
    """Where the word stands that asks: at the beginning of the question or its main clause, or inside a statement."""
    for at, word in enumerate(words):
        if word.low not in WH_WORDS:
            continue
        before = words[at - 1].low if at else ""
        if at == 0 or (before == "," and not _is_relative(words, at)) or (at == 1 and before in PREPOSITIONS):
            return at
    inside = [i for i, word in enumerate(words) if word.low in WH_WORDS and not _is_relative(words, i)]
    return inside[-1] if inside else None


def _is_relative(words: Words, at: int) -> bool:
    """Whether a wh-word inside a sentence starts a description rather than asks: "the man who ..."."""
    if at + 1 == len(words):
        return False
    before, after, low = words[at - 1], words[at + 1], words[at].low
    if low in ("what", "how"):
        return False
    if low == "which":
        return after.atomic or after.low in FUNCTION_WORDS or is_finite(after.low)
    return before.low not in PREPOSITIONS | BE


def _head_noun(words: Words, asked: int) -> str:
    """The noun that says what is asked for: after the wh-word, or after "is the" where nothing else follows it."""
    start = at = asked + 1
    if words[asked].low == "what" and _acts(words, start):
        return ""
    while at < len(words) and _nominal(words, at, first=at == start):
        at += 1
    if at > start:
        return _unwrapped(words, at)
    if at < len(words) and words[at].low in BE:
        return _predicate_noun(words, at + 1)
    return ""


def _acts(words: Words, at: int) -> bool:
    """Whether the word behind "what" is what it does, rather than what it is: "what helps against", "what tops the"."""
    if at + 1 >= len(words) or words[at].low in FUNCTION_WORDS or not words[at].low.endswith("s"):
        return False
    behind = words[at + 1]
    if behind.atomic or behind.low in ARTICLES | PRONOUNS:
        return True
    further = {word.low for word in words[at + 2 :]}
    return behind.low in PREPOSITIONS - {"of"} and AUXILIARIES.isdisjoint(further)


def _nominal(words: Words, at: int, *, first: bool) -> bool:
    """Whether the word goes on with the noun phrase after a wh-word; a name in it says where something is from."""
    low = words[at].low
    if words[at].kind != "word" or low in FUNCTION_WORDS:
        return words[at].kind == "name" and at + 1 < len(words) and _nominal(words, at + 1, first=True)
    after = words[at + 1] if at + 1 < len(words) else None
    if not first and after is not None and (after.atomic or after.low in ARTICLES) and low.endswith("s"):
        return False  # "what novel imagines the ...": a verb and its object
    if (first and low.endswith("ed")) or (after is not None and after.low in _DOING):
        return True
    return low in _FOLLOWING or not is_finite(low)


def _unwrapped(words: Words, end: int) -> str:
    """The last word of a noun phrase, looking through "type of" and "name of"."""
    noun = words[end - 1].low
    if noun in _KINDS and end + 1 < len(words) and words[end].low == "of":
        return "type"
    return noun.split(" of ")[0]


def _predicate_noun(words: Words, at: int) -> str:
    """What is asked for in "what is the R of X" and "what is X's R"."""
    owns = max((i for i in range(at, len(words)) if words[i] == OWNS), default=None)
    if at < len(words) and words[at].low in ARTICLES and words[at + 1 : at + 2] != (OWNS,):
        at += 1
    elif owns is not None and not any(word.low in PREPOSITIONS for word in words[owns:]):
        at = owns + 1
    else:
        return ""
    if [word.low for word in words[at : at + 2]] in (["name", "of"], ["title", "of"]):
        at += 2 + (at + 2 < len(words) and words[at + 2].low in ARTICLES)
    end = at
    while end < len(words) and words[end].kind == "word" and words[end].low not in FUNCTION_WORDS:
        end += 1
    return _unwrapped(words, end) if end > at else ""


def _of_where(words: Words) -> AnswerType:
    if any(word.low in _STUDYING for word in words):
        return AnswerType.ORGANISATION
    return AnswerType.PLACE


def _of_noun(noun: str) -> AnswerType:
    """The type of a head noun; the plural counts as the singular."""
    for form in (noun, noun.removesuffix("s"), noun.removesuffix("ies") + "y"):
        if form in _TYPES:
            return _TYPES[form]
    return AnswerType.PERSON if noun and is_agent(noun) else AnswerType.THING
