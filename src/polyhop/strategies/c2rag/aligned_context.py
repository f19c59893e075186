"""Evidence as the reader of a question is shown it: a block for each constraint, in the plan's order (Eq. 16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polyhop.english.words import BE
from polyhop.indexes.names import words
from polyhop.reading.reader import text_of
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.types import Hop, Passage, Triple

LONGEST: Final = 200  # characters of a name, a relation or a title
QUOTED: Final = 400  # characters of a sentence
VALUES: Final = 3  # that a placeholder may stand for, as a block tells them

_LEGEND: Final = (
    "The question as constraints, in the order in which they lead to its answer. What one constraint found is written "
    "into those after it. A name with a question mark is what a constraint asks for."
)
_MEANING: Final = MappingProxyType(
    {
        "RESOLVED": "facts that a program took from the passages gave its value, rightly or wrongly",
        "RECOVERED": "its value was read in the passages listed",
        "GUESSED": "the passages listed make its value likely without establishing it",
        "UNRESOLVED": "the passages listed were read for it, and its value was not found",
        "TO BE JUDGED": "what it speaks of is known; whether it holds has not been judged",
        "UNREAD": "nobody has looked for its value yet; the passages listed may tell",
    }
)


def aligned_context(blocks: Sequence[ConstraintBlock], hops: Sequence[Hop], passages: Sequence[Passage]) -> str:
    """Each constraint with its status, what it bound, its facts, and which of the passages shown are its own.

    ``hops`` are those of the blocks. ``passages`` are what the reader sees; they are told by their place, from 1. A
    lone constraint that nobody has read for is the question again, and nothing is told of it.
    """
    statuses = [_status(block) for block in blocks]
    if statuses == ["UNREAD"]:
        return ""
    shown = _Shown({passage.id: place for place, passage in enumerate(passages, 1)})
    legend = " ".join([_LEGEND, *(f"{name}: {what}." for name, what in _MEANING.items() if name in statuses)])
    written = [
        "\n".join(
            (f"CONSTRAINT {number}, {status}: {_line(block.pattern.line, 2 * LONGEST)}", *shown.lines(block, hop))
        )
        for number, (status, block, hop) in enumerate(zip(statuses, blocks, hops, strict=True), 1)
    ]
    own = {passage.id for hop in hops for passage in hop.passages}
    others = [place for passage_id, place in shown.places.items() if passage_id not in own]
    if others:
        written.append(f"Passages of no constraint, near the whole question: {', '.join(map(str, others))}")
    return "\n\n".join([legend, *written])


def _status(block: ConstraintBlock) -> str:
    """What is said to have become of a constraint: "not found" is true only of what was looked for."""
    if block.status != "unresolved":
        return block.status.upper()
    if block.guessed:
        return "GUESSED"
    if block.pattern.known:
        return "TO BE JUDGED"
    return "UNRESOLVED" if block.sought else "UNREAD"


@dataclass(frozen=True, slots=True)
class _Shown:
    """Blocks line by line, for whoever sees certain passages; nothing that these say can begin a line of its own."""

    places: Mapping[str, int]  # of the passages seen, by their ids, from 1

    def lines(self, block: ConstraintBlock, hop: Hop) -> Iterator[str]:
        """What a block says beside its constraint.

        Facts that are clearly about something else, and what they give, are left to the trace. Sentences are there
        where they say more than the passage that has them: that a value is doubtful, or that there is none.
        """
        values = [_line(value) for value in _likely(block)[:VALUES]]
        if block.pattern.rests_on:
            yield f"Rests on a guess: {_line('; '.join(block.pattern.rests_on))}"
        if values and hop.placeholder is not None:
            also = f" (or else {', '.join(values[1:])})" if values[1:] else ""
            yield f"{'Guess' if block.guessed else 'Binding'}: {hop.placeholder} = {values[0]}{also}"
        yield from self._facts(block, hop)
        for quote in block.quotes:
            if block.status == "unresolved" or quote.passage.id not in self.places:
                yield f"Sentence: “{_line(text_of(quote), QUOTED)}” [{self._place(quote.passage.id)}]"
        read = {quote.passage.id for quote in block.quotes} if block.status == "recovered" and block.quoted else None
        own = sorted(
            (self.places[one.id], one)
            for one in hop.passages
            if one.id in self.places and (read is None or one.id in read)
        )
        shown = [f"{place} ({_line(one.title)})" for place, one in own]
        yield f"Passages: {', '.join(shown) or 'none of those shown'}"

    def _facts(self, block: ConstraintBlock, hop: Hop) -> Iterator[str]:
        """For each value the facts in view that give it in the words of the constraint, or else one with its sentence.

        The graph binds without reading on: only the sentence tells whether such a fact answers the constraint.
        """
        if block.grounded is None:
            return
        candidates, of_value = block.grounded.candidates, defaultdict[int, list[int]](list)
        for place in block.telling:
            of_value[candidates[place].value].append(place)
        for places in of_value.values():
            seen = [place for place in places if hop.facts[place].passage_id in self.places]
            plain = [place for place in seen if _says_so(hop.facts[place], block)]
            for place in plain or [*seen, *places][:1]:
                fact = hop.facts[place]
                said = "" if plain else _line(_sentence(fact, hop), QUOTED)
                line = f"Fact: {_line(fact.head)} -({_line(fact.relation)})-> {_line(fact.tail)}"
                yield f"{line}{f', from “{said}”' if said else ''} [{self._place(fact.passage_id)}]"

    def _place(self, passage_id: str) -> str:
        place = self.places.get(passage_id)
        return "a passage that is not shown" if place is None else f"passage {place}"


def _likely(block: ConstraintBlock) -> list[str]:
    """The values of a block, of a resolved one those that the facts told give."""
    if block.grounded is None or block.status != "resolved":
        return list(block.values)
    given = [candidate.value for candidate in block.grounded.candidates]
    told = {given[place] for place in block.telling}
    return [name for name, value in zip(block.values, dict.fromkeys(given), strict=False) if value in told]


def _says_so(fact: Triple, block: ConstraintBlock) -> bool:
    """Whether a fact has the words of its constraint, forms of "be" aside: "built by" is not "built on"."""
    said = set(words(fact.relation)) - BE
    return any(said == set(words(phrasing)) - BE for phrasing in block.pattern.constraint.variants)


def _sentence(fact: Triple, hop: Hop) -> str:
    passage = next((one for one in hop.passages if one.id == fact.passage_id), None)
    return "" if passage is None else passage.text[fact.span.start - passage.start : fact.span.end - passage.start]


def _line(text: str, most: int = LONGEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 2]} …"
