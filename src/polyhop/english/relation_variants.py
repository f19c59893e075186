"""How a graph may word the relations that questions ask for: phrasings of each, to be compared with its edges (Eq. 5).

A relation that is missing here is worded by what the question itself says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from polyhop.english.answer_type import AnswerType
from polyhop.english.words import ARTICLES, AUXILIARIES, PREPOSITIONS, base_form, is_agent, is_base, is_participle

_ANY: Final = frozenset(AnswerType)
_WHO: Final = frozenset({AnswerType.PERSON, AnswerType.ORGANISATION, AnswerType.THING, AnswerType.CHOICE})
_WHERE: Final = frozenset({AnswerType.PLACE, AnswerType.THING, AnswerType.NATIONALITY, AnswerType.ORGANISATION})
_WHEN: Final = frozenset({AnswerType.DATE, AnswerType.NUMBER})
_IDLE: Final = AUXILIARIES | ARTICLES | {"also", "name", "whose", "both", "known", "of", "first", "originally"}
_LINKS: Final = frozenset({"by", "of", "in", "on", "at", "to", "from"})
_EMPTY: Final = AUXILIARIES | ARTICLES | PREPOSITIONS
_LONGEST: Final = 8  # words of a phrasing


@dataclass(frozen=True, slots=True)
class Wording:
    """A relation: what asks for it, what kinds of thing its value can be, and its phrasings, the usual one first."""

    name: str
    kinds: frozenset[AnswerType]
    asked: re.Pattern[str]
    variants: tuple[str, ...]


def _row(name: str, asked: str, variants: str, kinds: frozenset[AnswerType] = _ANY) -> Wording:
    pattern = re.compile(rf"(?:{asked}|{re.escape(name)})")
    return Wording(name, kinds, pattern, tuple(phrase.strip() for phrase in variants.split("|")))


_BORN: Final = r"(?:born|birth)"
_DIED: Final = r"(?:died?|dead|death|passed away|deceased)"

WORDINGS: Final = (
    _row(
        "director",
        r"direct(?:ed|s|or|ors|ing)?|(?:film )?direction|film direction by|director of",
        "was directed by|directed by|director",
    ),
    _row(
        "composer", r"compos(?:ed|er|ers|es|e)|music|score|soundtrack|scored", "music composed by|composer|composed by"
    ),
    _row(
        "performer",
        r"perform(?:ed|er|ers|s)?|sung|sang|sings?|singer|recorded|song by|recording artist",
        "performed by|was recorded by|is a song by|performer",
    ),
    _row("author", r"wrote|written|writes?|writer|author(?:ed)?|authors", "was written by|written by|author"),
    _row("screenwriter", r"screenplay|script|scriptwriter|scripted", "screenplay by|written by|screenwriter"),
    _row("producer", r"produc(?:ed|er|ers|es)", "was produced by|produced by|producer", _WHO),
    _row("publisher", r"publish(?:ed|er|es)", "was published by|published by|publisher", _WHO),
    _row("developer", r"develop(?:ed|er|s)", "was developed by|developed by|developer", _WHO),
    _row("manufacturer", r"manufactur(?:ed|er|es)|made by", "was manufactured by|manufactured by|manufacturer", _WHO),
    _row("creator", r"creat(?:ed|or|ors|es)|invent(?:ed|or)", "was created by|created by|creator", _WHO),
    _row("designer", r"design(?:ed|er|s)|architect", "was designed by|designed by|architect", _WHO),
    _row(
        "founder", r"(?:co-)?found(?:ed|er|ers|s)|established|started|set up", "was founded by|founded by|founder", _WHO
    ),
    _row("owner", r"own(?:ed|er|ers|s)", "is owned by|owned by|owner", _WHO),
    _row("operator", r"operat(?:ed|or|es)", "is operated by|operated by|operator", _WHO),
    _row("painter", r"paint(?:ed|er|s)", "was painted by|painted by|painting by", _WHO),
    _row("editor", r"edit(?:ed|or|s)", "was edited by|edited by|editor", _WHO),
    _row("discoverer", r"discover(?:ed|er|s)", "was discovered by|discovered by|discoverer", _WHO),
    _row(
        "cast member",
        r"star(?:s|red|ring)?|cast|leading actor|lead actor|actor|actress|featur(?:ed|es|ing)",
        "starring|stars|cast member|played in",
    ),
    _row(
        "character",
        r"play(?:s|ed)?|portray(?:s|ed)?|voic(?:es|ed)",
        "played|portrayed|was played by|voiced by",
        _WHO - {AnswerType.ORGANISATION},
    ),
    _row("mother", r"mother|mum|mom|has mother", "mother|was the daughter of|was the son of|born to"),
    _row("father", r"father|dad", "father|was the son of|was the daughter of|born to"),
    _row("wife", r"wife|has a wife|married", "married|wife|husband of|spouse", frozenset({AnswerType.PERSON})),
    _row("husband", r"husband|has a husband", "married|husband|wife of|spouse"),
    _row("spouse", r"spouse|partner|marr(?:y|ied|ies)|widow|widower|spouses?", "married|spouse|husband|wife"),
    _row("son", r"sons?", "son|father of|mother of|child"),
    _row("daughter", r"daughters?", "daughter|father of|mother of|child"),
    _row("child", r"child|children|offspring", "child|father of|mother of|had a son"),
    _row("brother", r"brothers?", "brother|sibling|brother of|sister of"),
    _row("sister", r"sisters?", "sister|sibling|sister of|brother of"),
    _row("sibling", r"siblings?|twin", "sibling|brother|sister|brother of"),
    _row("parent", r"parents?", "parent|son of|daughter of|born to"),
    _row(
        "date of birth",
        rf"{_BORN}|date of birth|birth ?(?:date|day|year)|year of birth|age|old",
        "was born on|born|date of birth",
        _WHEN,
    ),
    _row(
        "place of birth",
        rf"{_BORN}|birth ?place|hometown|birth city|(?:place|city|country|town) of birth",
        "was born in|born in|birthplace",
        _WHERE,
    ),
    _row(
        "date of death",
        rf"{_DIED}|date of death|death ?(?:date|day|year)|year of death",
        "died on|died|date of death",
        _WHEN,
    ),
    _row("place of death", rf"{_DIED}|death ?place|killed|assassinated", "died in|died at|place of death", _WHERE),
    _row(
        "place of burial", r"buried|interred|burial place|resting place|burial", "was buried in|buried at|resting place"
    ),
    _row("cause of death", r"cause of (?:his |her )?death|die[ds]? of", "died of|died from|cause of death"),
    _row("nationality", r"nationality|citizenship|citizen|ethnicity", "nationality|is from|citizen of"),
    _row("occupation", r"occupation|profession|job", "is a|was a|occupation|worked as"),
    _row(
        "award",
        r"awards?|prize|won|awarded|received|honou?red",
        "won|was awarded|received",
        frozenset({AnswerType.THING}),
    ),
    _row(
        "release date",
        r"released?|release date|came out|come out|premiered?|aired|publication date|published",
        "was released in|released|premiered in",
        _WHEN,
    ),
    _row(
        "founding date",
        r"founded|established|formed|created|opened|built|founding date|started|began|begin",
        "was founded in|established in|founded",
        _WHEN,
    ),
    _row("end date", r"end(?:ed)?|dissolved|abolished|closed", "ended in|dissolved in|abolished in", _WHEN),
    _row(
        "alma mater",
        r"alma mater|educated|graduated?(?: from)?|stud(?:y|ied)|attended|attend|school|university|college",
        "studied at|graduated from|attended|was educated at",
        frozenset({AnswerType.ORGANISATION, AnswerType.PLACE, AnswerType.THING}),
    ),
    _row(
        "employer",
        r"employ(?:er|ed|s)|work(?:s|ed)? (?:at|for)|work(?:s|ed)?|workplace",
        "worked for|worked at|was employed by|professor at",
    ),
    _row("record label", r"record label|label|signed", "released by|record label|signed to", _WHO),
    _row("member of", r"member(?:s)?|belong(?:s|ed)?", "is a member of|member|joined"),
    _row("team", r"(?:sports )?team|club|played for|play for|plays for", "played for|plays for|signed for"),
    _row(
        "headquarters",
        r"headquarters|headquartered|based (?:in|at)|head office",
        "is headquartered in|based in|headquarters",
    ),
    _row(
        "country",
        r"country|from|country of origin|originat(?:e|ed|es)|comes? from|produced|is from|nation",
        "is from|country|is located in",
        _WHERE,
    ),
    _row(
        "location",
        r"locat(?:ed|ion)|locate|situated|lies?|found|place|set|site|held|take place|takes place|took place",
        "is located in|located in|situated in",
        _WHERE,
    ),
    _row(
        "region",
        r"county|state|province|region|district|continent|municipality|territory|city|town|borough",
        "is located in|located in|is a town in",
        _WHERE,
    ),
    _row("capital", r"capital|capital city|capitol", "capital|capital of|is the capital of"),
    _row(
        "border",
        r"(?:shares? (?:a )?)?borders?(?: with)?|sharing a border with|bordered|adjacent",
        "borders|shares border with|is bordered by",
    ),
    _row(
        "mouth", r"mouth|flows?|empt(?:y|ies)|mouth of the watercourse|drains?", "flows into|empties into|mouth", _WHERE
    ),
    _row("part of", r"part|component", "is part of|part of|belongs to"),
    _row("namesake", r"named|named (?:after|for)|namesake", "was named after|named for|namesake"),
    _row("genre", r"genre", "genre|is a genre of|style"),
    _row("language", r"language|spoken|official language|speaks?", "language|is spoken in|official language"),
    _row("religion", r"religion|faith", "religion|follows|is practiced in"),
    _row(
        "population",
        r"population|inhabitants|people",
        "has a population of|population|inhabitants",
        frozenset({AnswerType.NUMBER}),
    ),
    _row("political party", r"(?:political )?party", "is a member of|political party|party"),
    _row("instrument", r"instrument", "plays|instrument|played the"),
    _row("successor", r"successor|succeeded|replaced", "was succeeded by|successor|replaced by", _WHO),
    _row("predecessor", r"predecessor|preceded", "was preceded by|predecessor|succeeded", _WHO),
    _row("winner", r"winner|champion|won", "was won by|winner|won", _WHO),
    _row(
        "leader",
        r"leader|head|ruler|led|king|queen|emperor|monarch|governor|mayor|president|prime minister",
        "led by|leader|was ruled by|president of",
        frozenset({AnswerType.PERSON}),
    ),
    _row(
        "coach",
        r"coach(?:ed)?|manager|managed|head coach|trainer|trained",
        "coached by|manager|head coach",
        frozenset({AnswerType.PERSON}),
    ),
    _row("broadcaster", r"broadcast(?:er)?|network|aired|channel", "aired on|was broadcast by|network", _WHO),
)


def wording_of(phrase: str, kind: AnswerType | None = None) -> Wording | None:
    """The relation that a phrase such as "was directed by" words, if its value can be of that kind (None: any)."""
    fitting = [row for row in WORDINGS if kind is None or kind in row.kinds]
    return next((row for said in _cores(phrase) for row in fitting if row.asked.fullmatch(said)), None)


def variants_of(phrase: str, kind: AnswerType | None = None, noun: str = "") -> tuple[str, ...]:
    """At least one phrasing of a relation, the phrase itself first; ``noun`` is what the question calls its value."""
    phrase = " ".join(phrase.split()[:_LONGEST])
    empty = not set(phrase.lower().split()) - _EMPTY
    known = wording_of(phrase, kind) or (wording_of(noun, kind) if empty and noun else None)
    spoken = (phrase, *(known.variants if known is not None else (*_derived(phrase), noun if empty else "")))
    return tuple(dict.fromkeys(variant for variant in spoken if variant))


def _cores(phrase: str) -> list[str]:
    """The phrase, without helping verbs and articles before it, and without a preposition after it."""
    words = phrase.lower().split()
    first = next((at for at, word in enumerate(words) if word not in _IDLE), len(words))
    last = len(words) - (len(words) > first + 1 and words[-1] in _LINKS)
    return [text for text in (" ".join(words), " ".join(words[first:]), " ".join(words[first:last])) if text]


def _derived(phrase: str) -> tuple[str, ...]:
    """Other phrasings of the same words: without its helping verb, its first word alone or as the role of somebody."""
    words = phrase.lower().split()
    bare = words[1:] if len(words) > 1 and words[0] in AUXILIARIES else words
    short = bare[:-1] if bare and bare[-1] in PREPOSITIONS else bare
    verb = base_form(short[0]) if short else ""
    role = [*short, "of"] if short and is_agent(short[-1]) else []
    verbal = bool(verb) and (is_participle(bare[0]) or is_base(verb))
    stem = [verb, *bare[1:]] if verbal and bare == words else []
    noun = short[-1:] if short and not verbal and short == words and short[-1] not in AUXILIARIES else []
    return tuple(" ".join(variant) for variant in (bare, noun, role, short, stem) if variant)
