"""The hops of what was looked up for a reader, because what it had read lacked it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.question import mentions
from polyhop.indexes.folding import fold
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.types import Evidence, Hop, Passage

TO_BE_READ: Final = "what was found is read next"
NO_ANSWER: Final = "what was found does not answer it"


def read_so_far(evidence: Evidence, reading: Reading, lacking: Sequence[str]) -> tuple[Hop, ...]:
    """The hops up to a reading that lacks something: what it learnt or, before anything was looked up, what leads on.

    That is what its questions name and the question itself does not, with the quotation that says it, and asked as the
    strategy did where it found the same.
    """
    if evidence.supplied:
        return tuple(_learnt(hop, evidence, reading) for hop in evidence.hops)
    known = fold(evidence.question)
    for name in (name for question in lacking for name in mentions(question) if fold(name) not in known):
        quote = _telling(name, reading.quotes)
        if quote is not None:
            asked = (hop.question for hop in evidence.hops if fold(hop.found or "") == fold(name))
            hop = Hop(question=next(asked, evidence.question), status="resolved", found=name)
            return (replace(hop, passages=(quote.passage,), sentences=(quote.span,)),)
    return ()


def as_read(evidence: Evidence, reading: Reading) -> Evidence:
    """The evidence with what a language model learnt from it at last, in its hops.

    Of what was looked up these are its answers. Where nothing was, hops that our own reader only guessed count as
    settled where the answer is borne out by a quotation which, with its title, names what such a hop found and what its
    question names.
    """
    if evidence.supplied:
        return replace(evidence, hops=tuple(_learnt(hop, evidence, reading) for hop in evidence.hops))
    if evidence.supplied is None or reading.text is None or not reading.grounded:
        return evidence
    hops = (_borne_out(hop, reading) if hop.status == "unresolved" and hop.found else hop for hop in evidence.hops)
    return replace(evidence, hops=tuple(hops))


def _borne_out(hop: Hop, reading: Reading) -> Hop:
    names = [fold(name) for name in (hop.found or "", *mentions(hop.question))]
    for quote in reading.quotes:
        said = fold(f"{quote.passage.title}\n{text_of(quote)}")
        if len(names) > 1 and all(name in said for name in names):
            return replace(hop, status="resolved", passages=(quote.passage,), sentences=(quote.span,), note="")
    return hop


def still_open(question: str, passages: Sequence[Passage]) -> Hop:
    """The hop of a question that is looked up, before anybody has read what was found."""
    return Hop(question=question, status="unresolved", passages=tuple(passages[:1]), note=TO_BE_READ)


def _learnt(hop: Hop, evidence: Evidence, reading: Reading) -> Hop:
    """The hop with the answer to its question, where the reader gives one and a quotation tells it."""
    if hop.status != "unresolved":
        return hop
    answers = dict(zip(evidence.supplied or (), reading.learnt, strict=False))
    found = answers.get(hop.question, "")
    quote = _telling(found, reading.quotes) if found else None
    if quote is None:
        return replace(hop, note=NO_ANSWER)
    return replace(hop, status="resolved", found=found, passages=(quote.passage,), sentences=(quote.span,), note="")


def _telling(name: str, quotes: Sequence[Quote]) -> Quote | None:
    """The first quotation that says a name; where none does, the first of a passage whose title does."""
    said = fold(name)
    by_text = next((quote for quote in quotes if said in fold(text_of(quote))), None)
    return by_text or next((quote for quote in quotes if said in fold(quote.passage.title)), None)
