"""Where a question points back: its pronouns, demonstratives and "there", and nouns of which it is left out whose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from polyhop.conversation.phrases import Kind, Phrase, phrases_in
from polyhop.english.words import AUXILIARIES, WH_WORDS
from polyhop.layers.grammar.lexicon import DEMONSTRATIVES, HE, IT, SHE, THEY
from polyhop.layers.grammar.tree import ParseTree, is_sound
from polyhop.ports import ParsedSentence

Pointer = Literal["he", "she", "it", "they", "there", "this", "of"]
_PRONOUNS: Final[dict[str, Pointer]] = {
    **dict.fromkeys(HE, "he"), **dict.fromkeys(SHE, "she"), **dict.fromkeys(IT, "it"), **dict.fromkeys(THEY, "they"),
}  # fmt: skip
_OWNING: Final = frozenset({"his", "its", "their", "hers", "theirs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A stretch of a question that stands for something else; one of length 0 is where "of ..." was left out."""

    start: int
    end: int
    pointer: Pointer
    owning: bool = False  # "his": what it stands for owns what follows
    noun: str = ""  # of "this noun", and of the noun that nothing is said to own


def references_in(question: str, sentences: Sequence[ParsedSentence]) -> list[Reference]:
    """The references of a question in its order; where it has none, the noun of which it may be left out whose."""
    found: list[Reference] = []
    for sentence in sentences:
        if is_sound(sentence, len(question)):
            tree = ParseTree(question, sentence, ())
            found += [one for i in range(len(tree)) if (one := _reference(tree, i)) is not None]
    return found or _unowned(question, phrases_in(question, sentences))


def _reference(tree: ParseTree, i: int) -> Reference | None:
    low, dependency = tree.lower[i], tree.deps[i]
    start, end = tree.starts[i], tree.ends[i]
    pointer = _PRONOUNS.get(low)
    if pointer is not None:
        if dependency == "expl" or (low == "it" and _empty_it(tree, i)):
            return None
        owning = low in _OWNING or (low == "her" and dependency == "poss")
        return Reference(start=start, end=end, pointer=pointer, owning=owning)
    if low == "there" and dependency == "advmod":
        return Reference(start=start, end=end, pointer="there")
    if low in DEMONSTRATIVES and dependency == "det" and tree.heads[i] > i:
        head = tree.heads[i]
        return Reference(start=start, end=tree.ends[head], pointer="this", noun=tree.lower[head])
    if low in DEMONSTRATIVES and dependency in ("nsubj", "nsubjpass", "dobj", "pobj"):
        return Reference(start=start, end=end, pointer="this")
    return None


def _empty_it(tree: ParseTree, i: int) -> bool:
    """Whether "it" stands for a clause that follows: "is it true that ..."."""
    return bool(tree.kids_of(tree.heads[i], "ccomp", "csubj"))


def _unowned(question: str, phrases: Sequence[Phrase]) -> list[Reference]:
    begins = question.split()[:1]
    if any(phrase.named for phrase in phrases) or not begins or begins[0].lower() not in WH_WORDS | AUXILIARIES:
        return []  # it says itself what it is about, or is no question in English
    for phrase in phrases:
        plain = not phrase.named and phrase.kind not in (Kind.TIME, Kind.PLACE)
        if plain and " of " not in phrase.text and not question[phrase.end :].lstrip().lower().startswith("of "):
            noun = phrase.text.split()[-1].lower()
            return [Reference(start=phrase.end, end=phrase.end, pointer="of", noun=noun)]
    end = len(question.rstrip(" ?.!"))
    return [Reference(start=end, end=end, pointer="of")]
