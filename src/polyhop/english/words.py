"""Closed classes of English words that questions are built from, and what a noun says of who or what it names."""

from __future__ import annotations

import re
from typing import Final

from polyhop.english.countries import adjectives
from polyhop.english.tables import table


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a table."""
    return frozenset(text.split())


_NOUNS: Final = table("nouns")

WH_WORDS: Final = word_set("who whom whose what which where when why how")
BE: Final = word_set("is are was were be been being")
DO: Final = word_set("do does did")
HAVE: Final = word_set("has have had")
AUXILIARIES: Final = BE | DO | HAVE | word_set("will would can could should shall may might must")
ARTICLES: Final = word_set("the a an this that these those its his her their")
OWNERS: Final = word_set("his her its their")
PREPOSITIONS: Final = word_set(
    "of in on at by for from to with into onto over under after before during about against between among through "
    "without within near since until as like than around across behind along toward towards upon out off up down "
    "via"
)
CONJUNCTIONS: Final = word_set("and or but nor if while because so though although also besides")
PRONOUNS: Final = word_set("he she it they him them we us i you me himself herself itself there")
FUNCTION_WORDS: Final = (
    WH_WORDS | AUXILIARIES | ARTICLES | PREPOSITIONS | CONJUNCTIONS | PRONOUNS | word_set("am not both")
)
FRONTED: Final = word_set("along name list give tell please identify besides other following according both some one")
"""Words that only stand capitalised because a request begins with them."""

NAME_LINKS: Final = word_set(
    "of the de da di du do dos das del della der den des van von zu la le el al bin ibn y e und"
)
"""Lower-case words that hold a name together when a capitalised word follows them."""

TITLE_LINKS: Final = NAME_LINKS | word_set("a an and at be for in on to")
"""What may stand between the words of a title: more than in other names, because a title is announced."""

WORK_LINKS: Final = NAME_LINKS | word_set("and for to")
"""What may stand between the words of a name after "the author of" and its like."""

TITLE_NOUNS: Final = word_set(_NOUNS["titled"])
RANKS: Final = word_set(_NOUNS["ranks"])
"""What follows the comma in a name such as a first earl's."""

KIN: Final = word_set(_NOUNS["kin"])
ROLES: Final = word_set(_NOUNS["roles"])
PLACES: Final = word_set(_NOUNS["places"])
ORGANISATIONS: Final = word_set(_NOUNS["organisations"])
WORKS: Final = word_set(_NOUNS["works"])
PEOPLE: Final = word_set(_NOUNS["people"])
THINGS: Final = word_set(_NOUNS["things"])
RELATIONAL: Final = KIN | ROLES | PLACES | word_set(_NOUNS["relational"]) | {"record label", "alma mater"}
"""Nouns that ask for something else when an "of" or a possessive hangs on them."""

AGENTLIKE_NOT: Final = word_set(_NOUNS["not_agents"])
_NO_PERSONS: Final = word_set("manufacturer publisher developer broadcaster employer distributor family label")
KINSHIP_PATHS: Final[dict[str, tuple[str, ...]]] = {
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal uncle": ("mother", "brother"),
    "maternal aunt": ("mother", "sister"),
    "paternal uncle": ("father", "brother"),
    "paternal aunt": ("father", "sister"),
    "grandfather": ("parent", "father"),
    "grandmother": ("parent", "mother"),
    "grandpa": ("parent", "father"),
    "grandma": ("parent", "mother"),
    "grandparent": ("parent", "parent"),
    "grandchild": ("child", "child"),
    "grandson": ("child", "son"),
    "granddaughter": ("child", "daughter"),
    "great-grandfather": ("parent", "parent", "father"),
    "great-grandmother": ("parent", "parent", "mother"),
    "uncle": ("parent", "brother"),
    "aunt": ("parent", "sister"),
    "nephew": ("sibling", "son"),
    "niece": ("sibling", "daughter"),
    "cousin": ("parent", "sibling", "child"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "parent-in-law": ("spouse", "parent"),
    "brother-in-law": ("spouse", "brother"),
    "sister-in-law": ("spouse", "sister"),
    "sibling-in-law": ("spouse", "sibling"),
    "son-in-law": ("daughter", "husband"),
    "daughter-in-law": ("son", "wife"),
    "child-in-law": ("child", "spouse"),
    "stepmother": ("father", "wife"),
    "stepfather": ("mother", "husband"),
    "co-mother-in-law": ("child", "spouse", "mother"),
}
"""Kinship words that hide a hop, and the simple relations that they abbreviate, first hop first."""

ATTRIBUTE_HEADS: Final = word_set("place date country cause year day city manner month time state town location")
ATTRIBUTE_TAILS: Final = word_set(
    "birth death burial origin citizenship residence marriage release establishment formation"
)
TIMES: Final = {
    **dict.fromkeys(word_set("first earlier earliest before older oldest elder eldest sooner"), "earlier"),
    **dict.fromkeys(word_set("later latest last after younger youngest recently recent newer"), "later"),
}

_OF_YOU: Final = r"(?:can|could|will|would) you (?:please |kindly )?"
_ASKED: Final = rf"(?=(?:(?:{'|'.join(sorted(PREPOSITIONS))}) )?(?:{'|'.join(sorted(WH_WORDS))})\b)"
_PREFACE: Final = re.compile(
    rf"(?:please,? )?(?:{_OF_YOU})?(?:tell me|say|find out|let me know)[,:]? {_ASKED}"
    r"|(?:do you (?:happen to )?know|(?:i|we)(?:['’]d| would)? (?:want|like|need) to know|i wonder|may i ask)"
    rf"[,:]? {_ASKED}"
    rf"|(?:please,? (?:{_OF_YOU})?|{_OF_YOU})(?=(?:(?:tell|give|show) me|name|state|identify) the "
    r"|(?:list|explain|describe|define|summari[sz]e) )",
    re.IGNORECASE,
)
_CONTINENTAL: Final = word_set("african asian european scandinavian arab")


def is_agent(noun: str) -> bool:
    """Whether the noun names somebody by what they did: "discoverer", "keyboardist"."""
    if noun in ROLES or noun in KIN or noun in PEOPLE:
        return True
    return len(noun) > 5 and noun.endswith(("er", "or", "ist")) and noun not in AGENTLIKE_NOT


def names_person(noun: str) -> bool:
    """Whether "who" asks for the noun."""
    return is_agent(noun) and " " not in noun and noun not in _NO_PERSONS


def is_demonym(word: str) -> bool:
    """Whether a word is the adjective of a country or a continent: "Danish", "Peruvian", "Afro-European"."""
    low = word.lower().rpartition("-")[2]
    return low in _CONTINENTAL or low in adjectives()


def without_preface(question: str) -> str:
    """What is asked, without the words that it is asked with: "could you tell me where it is?" asks "where it is?"."""
    preface = _PREFACE.match(question)
    return question[preface.end() :] if preface else question
