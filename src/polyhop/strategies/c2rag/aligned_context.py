"""Evidence as the reader of a question is shown it: a block for each constraint, in the plan's order (Eq. 16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.shared.judge import may_tell
from polyhop.types import Hop, Passage

LONGEST: Final = 200  # characters of a name, a relation or a title
VALUES: Final = 3  # that a placeholder may stand for, as a block tells them

_LEGEND: Final = (
    "The question as constraints, in the order in which they lead to its answer. What one constraint found is written "
    "into those after it. A name with a question mark is what a constraint asks for. RESOLVED: facts that a program "
    "took from the passages gave its value. RECOVERED: its value was read in the passages listed. UNRESOLVED: nothing "
    "was found for it, and only the passages listed can tell."
)


def aligned_context(blocks: Sequence[ConstraintBlock], hops: Sequence[Hop], passages: Sequence[Passage]) -> str:
    """Each constraint with its status, what it bound, its facts, and which of the passages shown are its own.

    ``hops`` are those of the blocks. ``passages`` are what the reader sees; they are told by their place, from 1.
    """
    places = {passage.id: place for place, passage in enumerate(passages, 1)}
    written = ["\n".join(_block(number, *one, places)) for number, one in enumerate(zip(blocks, hops, strict=True), 1)]
    own = {passage.id for hop in hops for passage in hop.passages}
    others = [place for passage_id, place in places.items() if passage_id not in own]
    if others:
        written.append(f"Passages of no constraint, near the whole question: {', '.join(map(str, others))}")
    return "\n\n".join([_LEGEND, *written])


def _block(number: int, block: ConstraintBlock, hop: Hop, places: Mapping[str, int]) -> Iterator[str]:
    """A constraint line by line; nothing that a passage says can begin a line of its own.

    Facts that are clearly about something else, and what they give, are left to the trace.
    """
    yield f"CONSTRAINT {number}, {hop.status.upper()}: {_line(block.pattern.line, 2 * LONGEST)}"
    facts = may_tell({place: fact.score for place, fact in enumerate(hop.facts)})
    values = [_line(value) for value in _likely(block, facts)[:VALUES]]
    if values and hop.placeholder is not None:
        also = f" (or else {', '.join(values[1:])})" if values[1:] else ""
        yield f"Binding: {hop.placeholder} = {values[0]}{also}"
    for fact in (hop.facts[at] for at in facts):
        place = places.get(fact.passage_id)
        source = "a passage that is not shown" if place is None else f"passage {place}"
        yield f"Fact: {_line(fact.head)} -({_line(fact.relation)})-> {_line(fact.tail)} [{source}]"
    own = sorted((places[one.id], one) for one in hop.passages if one.id in places)
    shown = [f"{place} ({_line(one.title)})" for place, one in own]
    yield f"Passages: {', '.join(shown) or 'none of those shown'}"


def _likely(block: ConstraintBlock, facts: Sequence[int]) -> list[str]:
    """The values of a block, of a resolved one those that the facts told give."""
    if block.grounded is None or block.status != "resolved":
        return list(block.values)
    given = [candidate.value for candidate in block.grounded.candidates]
    told = {given[at] for at in facts if at < len(given)}
    return [name for name, value in zip(block.values, dict.fromkeys(given), strict=False) if value in told]


def _line(text: str, most: int = LONGEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 2]} …"
