"""What a text mentions that a later question may point back to: names and noun phrases, with what kind each is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from polyhop.english.question import mentions
from polyhop.english.words import AUXILIARIES, ORGANISATIONS, PEOPLE, ROLES, THINGS, TITLE_NOUNS, WORKS, word_set
from polyhop.english.words import PLACES as NOUNS_OF_PLACES
from polyhop.layers.grammar.hyphens import main_part
from polyhop.layers.grammar.lexicon import ARTICLES, EMPTY, KIN, NUMBERS, PLACES
from polyhop.layers.grammar.tree import ParseTree, is_sound
from polyhop.ports import ParsedSentence

LONGEST = 9  # words of a phrase
_NOMINAL: Final = frozenset(
    {"nsubj", "nsubjpass", "dobj", "pobj", "attr", "appos", "conj", "dative", "nmod", "poss", "oprd", "ROOT", "dep"}
)
_BEFORE: Final = frozenset(
    {"det", "compound", "amod", "nummod", "nmod", "quantmod", "poss", "case", "predet", "punct", "advmod", "npadvmod"}
)
_OF_CLAUSES: Final = word_set("nsubj nsubjpass aux auxpass dobj expl csubj advcl xcomp ccomp attr neg")
_OF_WORKS: Final = NOUNS_OF_PLACES | ORGANISATIONS | WORKS | THINGS | TITLE_NOUNS | word_set("of on and in")
_PERSONS: Final = KIN | ROLES | PEOPLE
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "ROOT"})


class Kind(StrEnum):
    """What a phrase stands for, as far as agreement needs it."""

    PERSON = "person"
    PLACE = "place"
    TIME = "time"
    SEVERAL = "several"
    NAME = "name"  # of nobody knows what
    WORK = "work"  # a name that says that it is no person's: of a building, a body, a work
    THING = "thing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A name or noun phrase where it stands in a text; ``kind`` of a name that tells nothing is NAME."""

    text: str
    start: int
    end: int
    kind: Kind
    named: bool
    subject: bool


def phrases_in(text: str, sentences: Sequence[ParsedSentence]) -> list[Phrase]:
    """The names and noun phrases of a text in its order, each stretch once; longer ones before those within them."""
    found: dict[tuple[int, int], Phrase] = {}
    for sentence in sentences:
        if is_sound(sentence, len(text)):
            for phrase in _of_sentence(ParseTree(text, sentence, ())):
                found.setdefault((phrase.start, phrase.end), phrase)
    for name in mentions(text):  # capitals tell more names than the parser knows, and where they end
        start = text.find(name)
        end = start + len(name)
        around = [one for one in found.values() if one.named and one.start <= start and end <= one.end]
        if start < 0 or around:
            continue
        inside = [one for one in found.values() if start <= one.start and one.end <= end]
        kind = next((one.kind for one in inside if one.named and one.end == end), _kind_of_name(name))
        subject = any(one.subject for one in inside)
        for one in inside:
            del found[one.start, one.end]
        found[start, end] = Phrase(text=name, start=start, end=end, kind=kind, named=True, subject=subject)
    return sorted(found.values(), key=lambda one: (one.start, -one.end))


def _of_sentence(tree: ParseTree) -> Iterator[Phrase]:
    covered = [-1] * len(tree)
    for i in range(len(tree)):
        if tree.deps[i] not in _NOMINAL or tree.lower[i] in EMPTY or not any(map(str.isalnum, tree.forms[i])):
            continue
        if tree.deps[i] in ("ROOT", "conj", "dep") and not _is_noun(tree, i):
            continue
        first, last = _first(tree, i), _last_of_name(tree, i)
        beyond = _with_of(tree, last)
        for end in dict.fromkeys((beyond, last)):
            if end - first < LONGEST and not covered[i] > end:
                yield _phrase(tree, i, first, end)
        covered[i] = last
    for entity in tree.entities:
        subject = any(
            tree.deps[i] in _SUBJECTS for i in range(len(tree)) if entity.start <= tree.starts[i] < entity.end
        )
        text = tree.text[entity.start : entity.end].removesuffix("'s").removesuffix("’s")
        named = entity.label not in NUMBERS
        yield Phrase(
            text=text,
            start=entity.start,
            end=entity.start + len(text),
            kind=_kind_of_label(entity.label, text),
            named=named,
            subject=subject,
        )


def _is_noun(tree: ParseTree, i: int) -> bool:
    """Whether a word that may be a verb is a noun: one that governs modifiers of nouns, and nothing of a clause."""
    kids = {tree.deps[kid] for kid in tree.kids[i]}
    if kids & _OF_CLAUSES:
        return False
    return bool(kids & {"det", "compound", "amod", "poss", "nummod"}) or tree.forms[i][:1].isupper() or len(tree) == 1


def _first(tree: ParseTree, i: int) -> int:
    first = i
    while first > 0:
        before = first - 1
        below = before
        while below != i and tree.heads[below] != below and not first <= tree.heads[below] <= i:
            below = tree.heads[below]
        if tree.deps[below] not in _BEFORE or below >= first or tree.lower[before] in _WH | AUXILIARIES:
            break
        first = before
    while first < i and (tree.deps[first] in ("punct", "advmod", "case") and not tree.forms[first][:1].isupper()):
        first += 1
    return first


_WH: Final = frozenset({"what", "which", "whose", "how", "other", "else"})


def _last_of_name(tree: ParseTree, i: int) -> int:
    last = i
    while last + 1 < len(tree) and tree.entity_of[i] >= 0 and tree.entity_of[last + 1] == tree.entity_of[i]:
        last += 1
    return last - 1 if last > i and tree.lower[last] in ("'s", "’s") else last


def _with_of(tree: ParseTree, i: int) -> int:
    """Where a phrase ends that goes on with "of": at the end of what follows."""
    if i + 1 < len(tree) and tree.lower[i + 1] == "of":
        objects = tree.kids_of(i + 1, "pobj")
        if objects and objects[0] > i and tree.lower[objects[0]] not in EMPTY:
            return _last_of_name(tree, objects[0])
    return i


def _phrase(tree: ParseTree, i: int, first: int, last: int) -> Phrase:
    text = tree.slice(first, last)
    label = tree.label(i)
    named = (bool(label) and label not in NUMBERS) or (tree.forms[i][:1].isupper() and i > 0)
    return Phrase(
        text=text,
        start=tree.starts[first],
        end=tree.ends[last],
        kind=_kind_of_label(label, text) if label else _kind_of_noun(tree, i, named=named),
        named=named,
        subject=tree.deps[i] in _SUBJECTS,
    )


def _kind_of_label(label: str, text: str) -> Kind:
    if label == "PERSON":
        return Kind.PERSON if _kind_of_name(text) is Kind.NAME else Kind.WORK
    if label in PLACES:
        return Kind.PLACE
    if label in NUMBERS:
        return Kind.TIME
    return Kind.SEVERAL if label == "NORP" and len(text.split()) == 1 else _kind_of_name(text)


def _kind_of_name(text: str) -> Kind:
    words = text.casefold().split()
    return Kind.WORK if words[:1] == ["the"] or not _OF_WORKS.isdisjoint(words) else Kind.NAME


def _kind_of_noun(tree: ParseTree, i: int, *, named: bool) -> Kind:
    low = tree.lower[i]
    if tree.kids_of(i, "conj") or (not named and low.endswith("s") and not low.endswith(("ss", "us", "is"))):
        return Kind.SEVERAL
    if not _PERSONS.isdisjoint((low, main_part(low))):
        return Kind.PERSON
    return _kind_of_name(tree.slice(_first(tree, i), i)) if named else Kind.THING


def definite(text: str) -> str:
    """A phrase as something known: "a ferry" is "the ferry" from then on."""
    first, _, rest = text.partition(" ")
    return f"the {rest}" if rest and first.lower() in ARTICLES else text
