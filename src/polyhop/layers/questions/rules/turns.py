"""The turns of a conversation as trees: whom their pronouns stand for, and what they speak of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.conversations.transcripts import Transcript
from polyhop.documents.conversations.turn_lines import Turn
from polyhop.layers.grammar.clauses import Clause, clauses_of
from polyhop.layers.grammar.lexicon import EMPTY, HE, NUMBERS, SHE
from polyhop.layers.grammar.tree import ParseTree, is_sound
from polyhop.layers.questions.rules.realisation import Realiser, Referent
from polyhop.ports import ParsedSentence, ParsedWord

_LONGEST_SENTENCE: Final = 80  # words
_FEWEST: Final = 3  # words of a sentence that says something
_OPENING: Final = 60  # characters of a turn in which its addressee is greeted
_I: Final = frozenset({"i", "me", "my", "mine", "myself"})
_YOU: Final = frozenset({"you", "your", "yours", "yourself"})
_WE: Final = frozenset({"we", "us", "our", "ours", "ourselves"})
_SAID_OF: Final = frozenset({"dobj", "pobj", "nsubj", "nsubjpass", "attr", "conj", "appos"})
_BEFORE: Final = frozenset({"compound", "amod", "nmod"})


@dataclass(frozen=True, slots=True)
class TurnToAsk:
    """A sentence of a turn, with its clauses and the names and noun phrases that it speaks of."""

    tree: ParseTree
    clauses: Sequence[Clause]
    topics: Sequence[str]


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn with its sentences, and whom it speaks to."""

    turn: Turn
    utterances: Sequence[TurnToAsk]
    addressee: Referent

    @property
    def topics(self) -> list[str]:
        """What all of it speaks of, each topic once."""
        return list(dict.fromkeys(topic for one in self.utterances for topic in one.topics))


def spoken_turns(text: str, transcript: Transcript, sentences: Sequence[ParsedSentence]) -> Iterator[SpokenTurn]:
    """The turns of a transcript; a sentence that the parser drew over two of them is cut."""
    sound = [sentence for sentence in sentences if sentence.words and is_sound(sentence, len(text))]
    starts = [sentence.start for sentence in sound]
    known = {word for speaker in transcript.speakers for word in speaker.lower().split()}
    for turn in transcript.turns:
        first = max(bisect_right(starts, turn.start) - 1, 0)
        parts = [_cut(one, turn, text) for one in sound[first : bisect_right(starts, turn.end)]]
        trees = [ParseTree(text, part, ()) for part in parts if len(part.words) <= _LONGEST_SENTENCE]
        utterances = [TurnToAsk(tree, clauses_of(tree), _topics(tree, known)) for tree in trees if len(tree) >= _FEWEST]
        yield SpokenTurn(turn, utterances, _addressee(text, transcript, turn))


def realiser_of(tree: ParseTree, turn: SpokenTurn, everyone: Referent, names: frozenset[str]) -> Realiser:
    """What says the words of a turn: *I* is who speaks, *you* who is spoken to, *he* and *she* who was named before."""
    realiser = Realiser(tree, names=names)
    me = Referent(turn.turn.speaker, turn.turn.name_start, turn.turn.name_end, speaks=True)
    person: Referent | None = None
    for i, low in enumerate(tree.lower):
        if tree.label(i) == "PERSON":
            person = Referent(*_named(tree, i))
        found = me if low in _I else turn.addressee if low in _YOU else everyone if low in _WE else None
        if found is None and low in HE | SHE and not low.endswith("self"):
            found = person
        if found is not None:
            realiser.referents[i] = found
    return realiser


def _named(tree: ParseTree, i: int) -> tuple[str, int, int, str]:
    start, end, label = tree.entities[tree.entity_of[i]]
    return tree.text[start:end], start, end, label


def _cut(sentence: ParsedSentence, turn: Turn, text: str) -> ParsedSentence:
    """The part of a sentence that lies within a turn, as a sentence of its own; pictographs are no words."""
    kept = [
        place
        for place, word in enumerate(sentence.words)
        if turn.start <= word.start and word.end <= turn.end and _is_said(text[word.start : word.end])
    ]
    places = {old: new for new, old in enumerate(kept)}
    words = []
    for new, old in enumerate(kept):
        word = sentence.words[old]
        inside = word.head in places and word.head != old
        head, dependency = (places[word.head], word.dependency) if inside else (new, "ROOT")
        words.append(ParsedWord(word.start, word.end, head, dependency))
    start, end = (words[0].start, words[-1].end) if words else (turn.start, turn.start)
    entities = tuple(entity for entity in sentence.entities if start <= entity.start and entity.end <= end)
    return ParsedSentence(start=start, end=end, entities=entities, words=tuple(words))


def _is_said(form: str) -> bool:
    return form.isascii() or any(map(str.isalnum, form)) or form in "’‘“”…–—"


def _topics(tree: ParseTree, speakers: set[str]) -> list[str]:
    """The names that a sentence mentions, then its nouns with what stands before them, without the speakers."""
    names, nouns = [], []
    for i, dependency in enumerate(tree.deps):
        label = tree.label(i)
        if dependency not in _SAID_OF or label in NUMBERS or not tree.forms[i][:1].isalnum():
            continue
        if label:
            name = " ".join(_named(tree, i)[0].split())
            if speakers.isdisjoint(name.lower().split()):
                names.append(name)
        elif tree.lower[i] not in EMPTY and tree.lower[i] not in speakers:
            first = i
            while first and tree.heads[first - 1] == i and tree.deps[first - 1] in _BEFORE:
                first -= 1
            nouns.append(tree.slice(first, i))
    return list(dict.fromkeys([*names, *nouns]))


def _addressee(text: str, transcript: Transcript, turn: Turn) -> Referent:
    """Whom a turn speaks to: who is named in it, the only other one, or the group."""
    others = {other.speaker: other for other in transcript.turns if other.speaker != turn.speaker}
    said = text[turn.start : turn.end].lower()
    for name, other in others.items():
        first = name.split()[0].lower()
        greeted = f"{first}!" in said[:_OPENING] or f"{first}," in said[:_OPENING]
        if len(others) == 1 or greeted or f"@{text[other.name_start : other.name_end]}".lower() in said:
            return Referent(name, other.name_start, other.name_end, speaks=True)
    return Referent("the group" if others else "the recipient", speaks=True)
