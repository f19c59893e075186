"""Relations that questions often ask for: how questions and graphs word them, and what stands around their values.

They are in ``data/relations.toml``. A relation that is missing there loses no question, only precision: it is worded by
what the question itself says, and the cross-encoder then has to judge alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from polyhop.english.answer_type import AnswerType
from polyhop.english.tables import table
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    OFFICES,
    PREPOSITIONS,
    TITLE_NOUNS,
    base_form,
    is_agent,
    is_base,
    is_participle,
    word_set,
)

Kind = AnswerType | Literal["role"]  # a role is what somebody is said to be, as in "is a Danish painter"

# A few words that are no name, then the value: "married the Icelandic artist" Nína.
_DEMONYM: Final = r"[A-Z]\w*(?:ian|ean|ish|ese|can|ch|eek|ss)(?:-born)?"
_STYLE: Final = rf"Sir|Lord|Lady|Dame|King|Queen|Count|Countess|Duke|Emperor|{'|'.join(OFFICES)}"
_GAP: Final = rf"(?:[\W_]+(?:[a-z0-9][\w'’-]*|{_DEMONYM}|{_STYLE})){{0,6}}?\W*$"
_LINKED: Final = r"(?:\W+(?:the|a|an|his|her|their|was|is|were|are|to|named|called))*"
_NEAR: Final = rf"{_LINKED}(?:\s+(?:the|an?)(?:\s+[a-z-]+){{1,3}})?\W*$"  # "was", "was the ropemaker"
_ARTICLE: Final = r"(?: (?:the|his|her|an?)\b(?: \w+ (?:of|in|at))?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a question may ask of a thing.

    ``cues`` stand right before the value where a text is about the thing, the surest first; ``reverse`` right before
    the thing where a text is about the value. ``leads_on`` where the value is a thing that can be asked about in turn.
    """

    name: str
    phrasings: tuple[str, ...] = ()  # how a graph may word it (Eq. 5), the usual one first
    worded: re.Pattern[str] | None = None  # a phrase as a whole that words it
    kinds: frozenset[AnswerType] = frozenset(AnswerType)  # that its value can be
    kind: Kind = AnswerType.THING  # of its value, where it is read from texts
    plain: str = ""  # the question in plain words, {} being the thing
    asked: re.Pattern[str] | None = None  # what asks for it in a question; None where texts are not read for it
    cues: tuple[re.Pattern[str], ...] = ()
    reverse: tuple[re.Pattern[str], ...] = ()
    leads_on: bool = False

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Relation:
        """A row of the table."""
        name, kind = row["name"], row.get("kind", "thing")
        return cls(
            name=name,
            phrasings=tuple(row.get("phrasings", ())),
            worded=re.compile(rf"{row['worded']}|{re.escape(name)}") if "worded" in row else None,
            kinds=frozenset(map(AnswerType, row.get("kinds", AnswerType))),
            kind="role" if kind == "role" else AnswerType(kind),
            plain=row.get("question", ""),
            asked=re.compile(rf"\b(?:{row['asked']})\b", re.IGNORECASE) if "asked" in row else None,
            cues=tuple(_cue(*pair) for cue in row.get("cues", ()) for pair in cue.items()),
            reverse=tuple(_cue(*pair) for cue in row.get("reverse", ()) for pair in cue.items()),
            leads_on=row.get("leads_on", False),
        )

    def question(self, thing: str) -> str:
        """The plain question of a thing."""
        return self.plain.format(thing)

    def cue(self, before: str) -> float:
        """How surely the value comes after these words, 0 to 1."""
        for rank, cue in enumerate(self.cues):
            if found := cue.search(before):
                return max(0.1, 1.0 - 0.08 * rank - 0.004 * (found.end() - found.start()))
        return 0.0

    def reversed(self, before: str) -> bool:
        """Whether, in a text about the value, the thing comes after these words."""
        return any(cue.search(before) for cue in self.reverse)


_CUES: Final[Mapping[str, Callable[[str], str]]] = {
    "pattern": str,
    "after": lambda words: rf"\b(?i:{words})<gap>",
    "near": lambda words: rf"\b(?i:{words})<near>",
    "by": lambda words: rf"\b(?i:{words})(?:,? (?:and )?\w+){{0,4}}? by<gap>",
    "of": lambda noun: rf"\b(?i:{noun})s? (?:of|at|for|to) [^.;]{{1,60}}?(?:,| (?:was|is|were|are))<near>",
    "in": lambda words: rf"\b(?i:{words})\b[^;]{{0,70}}?\b(?:in|at|near|to|from|of|for|by){_ARTICLE}?\W*$",
    "soon": lambda words: rf"\b(?i:{words})\b[^().;]{{0,60}}$",
}
_PARTS: Final = {
    "<gap>": _GAP,
    "<near>": _NEAR,
    "<dash>": "[–—-]",
    "<offspring>": "(?:son|daughter|child|children|heir|heiress)",
}


def _cue(kind: str, words: str) -> re.Pattern[str]:
    pattern = _CUES[kind](words)
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)


RELATIONS: Final = tuple(Relation.of(row) for row in table("relations")["relation"])
BY_NAME: Final = {relation.name: relation for relation in RELATIONS if relation.asked is not None}

_AGENT: Final = re.compile(r"(?:er|or|r|ist|ian|e)$")
_IRREGULAR: Final = {
    "builder": "buil", "maker": "ma[dk]", "teacher": "teach|taught", "singer": "s[aiu]ng", "leader": "le(?:a)?d",
    "writer": "writ|wrote", "holder": "h[eo]ld",
}  # fmt: skip
_STEM: Final = 4  # letters by which the wordings of one relation are told
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BESIDE: Final = FUNCTION_WORDS | TITLE_NOUNS | word_set("place date name year city country town person")


@cache
def relation_of(noun: str) -> Relation | None:
    """The relation that a noun names: one of the table, or somebody by a role, such as "captain" or "discoverer"."""
    known = next((one for one in BY_NAME.values() if one.leads_on and one.asked and one.asked.fullmatch(noun)), None)
    if known is not None or not is_agent(noun):
        return known
    verb = rf"(?:{_IRREGULAR.get(noun, re.escape(_AGENT.sub('', noun)))})\w*"
    return Relation.of(
        {
            "name": noun,
            "kind": "person",
            "question": f"Who is the {noun} of {{}}?",
            "asked": noun,
            "cues": [{"near": f"{noun}s?"}, {"by": verb}, {"of": noun}, {"after": f"{noun}s?"}],
            "reverse": [{"after": f"{noun} (?:of|at|for|to)"}, {"after": verb}],
            "leads_on": True,
        }
    )


def without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """A text in which some places are blanked with NUL, so that words in them count as nothing."""
    for start, end in places:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def asked_relation(question: str, names: Sequence[tuple[int, int]]) -> Relation | None:
    """The relation that a question ends in, such as the place of birth, whatever else it says."""
    hidden = without(question, names)
    return next((one for one in BY_NAME.values() if not one.leads_on and one.asked and one.asked.search(hidden)), None)


def sole_relation(question: str, names: Sequence[tuple[int, int]]) -> tuple[Relation, str] | None:
    """The relation and the thing, where a question asks for a relation of a thing that it names and says no more."""
    if not names:
        return None
    start, end = max(names, key=lambda place: (place[1] - place[0], -place[0]))
    hidden = without(question, names)
    relation = asked_relation(question, names)
    if relation is None:
        relation = next((one for one in map(relation_of, _WORD.findall(hidden.lower())) if one is not None), None)
    if relation is None or relation.asked is None:
        return None
    wording = {stem[:_STEM] for stem in re.findall(r"[a-z]{3,}", relation.asked.pattern.replace(r"\b", " "))}
    words = [word.lower() for word in _WORD.findall(hidden.replace("\0", " ")) if len(word) > 2]
    idle = all(word in _BESIDE or word[:_STEM] in wording for word in words)
    return (relation, question[start:end]) if idle else None


_IDLE: Final = AUXILIARIES | ARTICLES | {"also", "name", "whose", "both", "known", "of", "first", "originally"}
_LINKS: Final = frozenset({"by", "of", "in", "on", "at", "to", "from"})
_EMPTY: Final = AUXILIARIES | ARTICLES | PREPOSITIONS
_LONGEST: Final = 8  # words of a phrasing


def wording_of(phrase: str, kind: AnswerType | None = None) -> Relation | None:
    """The relation that a phrase such as "was directed by" words, if its value can be of that kind (None: any)."""
    fitting = [one for one in RELATIONS if one.worded is not None and (kind is None or kind in one.kinds)]
    cores = _cores(phrase)
    return next((one for core in cores for one in fitting if one.worded and one.worded.fullmatch(core)), None)


def variants_of(phrase: str, kind: AnswerType | None = None, noun: str = "") -> tuple[str, ...]:
    """At least one phrasing of a relation, the phrase itself first; ``noun`` is what the question calls its value."""
    phrase = " ".join(phrase.split()[:_LONGEST])
    empty = not set(phrase.lower().split()) - _EMPTY
    known = wording_of(phrase, kind) or (wording_of(noun, kind) if empty and noun else None)
    phrasings = (phrase, *(known.phrasings if known is not None else (*_derived(phrase), noun if empty else "")))
    return tuple(dict.fromkeys(variant for variant in phrasings if variant))


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
