"""Relations that questions often ask for: how questions and graphs word them.

They are in ``data/relations.toml``. A relation that is missing there loses no question, only precision: it is worded by
what the question itself says, and the cross-encoder then has to judge alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from polyhop.english.answer_type import AnswerType
from polyhop.english.tables import table
from polyhop.english.verbs import base_form, is_base, is_participle
from polyhop.english.words import ARTICLES, AUXILIARIES, PREPOSITIONS, is_agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a question may ask of a thing."""

    name: str
    phrasings: tuple[str, ...]  # how a graph may word it (Eq. 5), the usual one first
    worded: re.Pattern[str]  # a phrase as a whole that words it
    kinds: frozenset[AnswerType] = frozenset(AnswerType)  # that its value can be
    plain: str = ""  # the question in plain words, {} being the thing; none where the relation has no usual one

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Relation:
        """A row of the table."""
        return cls(
            name=row["name"],
            phrasings=tuple(row["phrasings"]),
            worded=re.compile(rf"{row['worded']}|{re.escape(row['name'])}"),
            kinds=frozenset(map(AnswerType, row.get("kinds", AnswerType))),
            plain=row.get("question", ""),
        )

    def question(self, thing: str) -> str:
        """The plain question of a thing."""
        return self.plain.format(thing)


RELATIONS: Final = tuple(Relation.of(row) for row in table("relations")["relation"])
_IDLE: Final = AUXILIARIES | ARTICLES | {"also", "name", "whose", "both", "known", "of", "first", "originally"}
_LINKS: Final = frozenset({"by", "of", "in", "on", "at", "to", "from"})
_EMPTY: Final = AUXILIARIES | ARTICLES | PREPOSITIONS
_LONGEST: Final = 8  # words of a phrasing


@lru_cache(maxsize=16384)  # graphs and questions word the same relations again and again
def wording_of(phrase: str, kind: AnswerType | None = None) -> Relation | None:
    """The relation that a phrase such as "was directed by" words, if its value can be of that kind (None: any)."""
    fitting = [one for one in RELATIONS if kind is None or kind in one.kinds]
    return next((one for core in _cores(phrase) for one in fitting if one.worded.fullmatch(core)), None)


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
