"""The sentences of one message: cut from the parse of a transcript, and read for what they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from polyhop.english.words import word_set
from polyhop.layers.grammar.lexicon import HE, SHE
from polyhop.layers.grammar.tree import Tree
from polyhop.layers.questions.asking.topics import NOMINAL
from polyhop.layers.questions.asking.wording import Meant
from polyhop.ports import ParsedEntity, ParsedSentence, ParsedWord

_I: Final = frozenset({"i", "me", "my", "mine", "myself"})
_YOU: Final = frozenset({"you", "your", "yours", "yourself", "u", "ya"})
_WE: Final = frozenset({"we", "us", "our", "ours", "ourselves"})
_OPENING: Final = word_set(
    "everyone everybody folks guys hey hi hello oh well yeah yes sure please just also and but so then ok okay no"
)
_SUGGESTS: Final = (
    ("lets",),
    ("let", "'s"),
    ("let", "’s"),
    ("let", "us"),
    ("how", "about"),
    ("what", "about"),
    ("why", "do", "n't", "we"),
    ("why", "don't", "we"),
    ("maybe", "we"),
    ("maybe", "you"),
    ("we", "could"),
    ("we", "should"),
    ("we", "can"),
    ("you", "should"),
    ("you", "could"),
    ("you", "might"),
)
_WH: Final = word_set("what who whom whose which when where why how")
_WISHES: Final = frozenset({"have", "enjoy", "same", "appreciate", "thanks", "thank", "congrats"})
_ELLIPTIC: Final = word_set(
    "thanks thank sounds looks hope glad looking feels seems sorry great good see congrats welcome love guess"
)


_PERSONS: Final = HE | SHE


class Act(NamedTuple):
    """What a sentence does, and its first word without greetings."""

    verb: Literal["ask", "request", "suggest", "tell"]
    first: int


def cut(sentence: ParsedSentence, start: int, end: int, text: str) -> ParsedSentence | None:
    """The part of a sentence that lies within a message, as a sentence of its own; pictographs are no words."""
    kept = [
        place
        for place, word in enumerate(sentence.words)
        if start <= word.start and word.end <= end and _is_said(text[word.start : word.end])
    ]
    if not kept:
        return None
    places = {old: new for new, old in enumerate(kept)}
    words = [_moved(sentence.words[old], places, old, new) for new, old in enumerate(kept)]
    first, last = words[0].start, words[-1].end
    entities = tuple(entity for entity in sentence.entities if first <= entity.start and entity.end <= last)
    return ParsedSentence(start=first, end=last, entities=_without_stray(entities, text), words=tuple(words))


def _moved(word: ParsedWord, places: Mapping[int, int], old: int, new: int) -> ParsedWord:
    """A word whose place, and that of the word that governs it, is another; a root where that is not there."""
    inside = word.head in places and word.head != old
    head, dependency = (places[word.head], word.dependency) if inside else (new, "ROOT")
    if head == word.head and dependency == word.dependency:
        return word
    return ParsedWord(word.start, word.end, head, dependency)


def _is_said(form: str) -> bool:
    return form.isascii() or any(map(str.isalnum, form)) or form in "’‘“”…–—"


def _without_stray(entities: Sequence[ParsedEntity], text: str) -> tuple[ParsedEntity, ...]:
    """The entities that have a letter or a digit."""
    return tuple(entity for entity in entities if any(map(str.isalnum, text[entity.start : entity.end])))


def referents(tree: Tree, me: Meant, you: Meant, us: Meant) -> Iterator[tuple[int, Meant]]:
    """What the pronouns of a message stand for: who speaks, who is spoken to, and whoever was named before."""
    person: Meant | None = None
    for i, low in enumerate(tree.lower):
        if low in _I:
            yield i, me
        elif low in _YOU:
            yield i, you
        elif low in _WE:
            yield i, us
        elif tree.label(i) == "PERSON" and (i == 0 or tree.entity_of[i] != tree.entity_of[i - 1]):
            start, end, label = tree.entities[tree.entity_of[i]]
            person = Meant(tree.text[start:end], start, end, label)
        elif low in _PERSONS and person is not None and not low.endswith("self"):
            yield i, person


def act_of(tree: Tree, text: str) -> Act | None:
    """What a sentence does, or nothing where it says next to nothing: greetings, exclamations."""
    first = 0
    while first < len(tree) and (tree.lower[first] in _OPENING or not tree.lower[first][:1].isalnum()):
        first += 1
    rest = len(tree) - first
    if rest < 3:
        return None
    opening = tuple(tree.lower[first : first + 4])
    please = "please" in tree.lower
    for words in _SUGGESTS:
        if opening[: len(words)] == words:
            return Act("suggest", min(first + len(words), len(tree) - 1))
    if opening[:3] == ("let", "me", "know") or opening[0] in _WISHES:
        return None
    if "?" in tree.forms[-3:]:
        return Act("ask", first)
    if _commands(tree, first):
        return Act("request", first)
    return Act("request" if please else "tell", first)


def asks_openly(tree: Tree) -> bool:
    """Whether a sentence asks what, who, when or the like: it states nothing."""
    return "?" in tree.forms[-3:] and any(low in _WH for low in tree.lower[:4])


def _commands(tree: Tree, first: int) -> bool:
    """Whether a sentence is a command: it begins with a verb that has no subject."""
    if tree.lower[first] in _ELLIPTIC or tree.lower[first].endswith(("ing", "ed")):
        return False
    verb = first
    if tree.lower[first] in ("do", "don't") and tree.deps[first] == "aux":
        verb = tree.heads[first]
    if tree.deps[verb] != "ROOT" or tree.label(verb):
        return False
    kids = {tree.deps[kid] for kid in tree.kids[verb]}
    return not kids & {"nsubj", "nsubjpass", *NOMINAL} and bool(
        kids & {"dobj", "prep", "ccomp", "xcomp", "prt", "acomp", "advmod", "dative"}
    )
