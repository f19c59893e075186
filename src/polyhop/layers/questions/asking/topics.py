"""What the sentences of a conversation speak of: names and noun phrases, as far as the parse tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polyhop.english.words import word_set
from polyhop.layers.grammar.lexicon import EMPTY, NUMBERS
from polyhop.layers.grammar.tree import Tree

NOMINAL: Final = ("det", "amod", "poss", "compound", "nummod")
_GOVERNED: Final = frozenset({"dobj", "pobj", "nsubj", "nsubjpass"})
_SAID_OF: Final = _GOVERNED | {"attr", "conj", "appos", "ROOT", "npadvmod"}
_BEFORE: Final = frozenset({"compound", "amod", "nmod", "punct"})
_VAGUE: Final = word_set(
    "thing things stuff time times day days today tomorrow way ways lot lots bit kind sort hey hi thanks thank "
    "everyone everybody anyone guys guy folks fun idea ideas forward night morning evening afternoon week weekend "
    "touch mind sure sounds sound yeah haha lol luck hand heads works work right good point merrier while moment "
    "option options question questions reminder info part lots couple one ones rest vibe vibes thought thoughts chance "
    "turn look feel ya must ready "
    "blast glad wanna gonna gotta love wow nice great awesome cool best ton tons tip anything something everything god "
    "gosh sense deal shout heart matter case fact end start hope absolutely definitely totally exactly catch can "
    "myself yourself himself herself itself real whatever seconds minutes minute hours hour person people place places"
)
_PEOPLE: Final = frozenset({"guys", "everyone", "everybody", "anyone", "myself", "yourself"})
_LONGEST: Final = 6  # words


def said_topics(tree: Tree, speakers: Sequence[str]) -> list[str]:
    """What a sentence speaks of: its names first, then its nouns with what belongs to them, without the speakers."""
    names, nouns = [], []
    known = {word for speaker in speakers for word in (*speaker.lower().split(), speaker.lower().replace(" ", ""))}
    for i, dependency in enumerate(tree.deps):
        low = tree.lower[i]
        if dependency not in _SAID_OF or low in EMPTY or not tree.forms[i][:1].isalnum():
            continue
        label = tree.label(i)
        if label in NUMBERS:
            continue
        if label:
            start, end, _ = tree.entities[tree.entity_of[i]]
            name = tree.text[start:end].strip()
            if known.isdisjoint(name.lower().split()) and (" " in name or name.lower() not in _VAGUE):
                names.append(" ".join(name.split()).strip('"“”'))
        elif _is_noun(tree, i):
            first = _first_of(tree, i)
            if low not in _PEOPLE and known.isdisjoint(tree.lower[first : i + 1]) and (first < i or low not in _VAGUE):
                nouns.append(tree.slice(first, i))
    return list(dict.fromkeys([*names, *nouns]))


def joined_topics(topics: Sequence[str], most: int) -> str:
    """`` about the sails and the oars``, of the first few, or nothing."""
    kept: list[str] = []
    for topic in dict.fromkeys(topics):
        if len(kept) == most:
            break
        if not any(topic.lower() in other.lower() for other in kept):
            kept.append(topic)
    if not kept:
        return ""
    return " about " + (f"{', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else kept[0])


def telling(topic: str) -> float:
    """How much more a topic tells than a common noun does: names, and nouns with what belongs to them."""
    return 1.0 if " " in topic.strip() else 0.5 if topic[:1].isupper() else 0.0


def _first_of(tree: Tree, i: int) -> int:
    """Where the phrase of a noun begins: its compounds and adjectives, over hyphens, not its article."""
    first = i
    while first > 0 and i - first < _LONGEST:
        before = first - 1
        hyphened = tree.forms[before] == "-" and before > 0 and tree.ends[before - 1] == tree.starts[before]
        if hyphened:
            first = before - 1
        elif tree.heads[before] == i and tree.deps[before] in _BEFORE and tree.forms[before][:1].isalnum():
            first = before
        else:
            break
    return first


def _is_noun(tree: Tree, i: int) -> bool:
    """Whether a word is a noun, as far as the parse tells: it is governed as one, or has what nouns have."""
    if tree.lower[i].endswith("ing") and not tree.kids_of(i, *NOMINAL):
        return False  # "staying", "planting": what someone does
    if tree.deps[i] in _GOVERNED:
        return True
    return bool(tree.kids_of(i, *NOMINAL)) and not tree.kids_of(i, "nsubj", "dobj", "aux")
