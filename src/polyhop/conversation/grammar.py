"""A follow-up question made to stand alone without a language model: references replaced, frames taken over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from polyhop.conversation.antecedents import Spoken, chosen
from polyhop.conversation.frames import (
    about_the_same,
    asked_further,
    asked_likewise,
    fragment_of,
    names_no_matter,
    of_owner,
    without_link,
)
from polyhop.conversation.phrases import Kind, Phrase, definite, phrases_in
from polyhop.conversation.references import Reference, references_in
from polyhop.conversation.thread import LONGEST_QUESTION, Exchange, Thread
from polyhop.english.words import PEOPLE, ROLES
from polyhop.layers.grammar.lexicon import KIN
from polyhop.ports import SyntacticParser

LOOKED_AT: Final = 8  # exchanges of a thread that may be meant
Choose = Callable[[Reference, str, Sequence[Phrase], Sequence[Spoken]], Phrase | None]


def by_grammar(question: str, thread: Thread, parser: SyntacticParser, choose: Choose = chosen) -> str:
    """The question as it stands alone; as it is where it points back at nothing. ``choose`` settles each reference."""
    spoken: list[Spoken] = []
    recent = [one for one in thread.last(LOOKED_AT) if any(map(str.isalnum, one.meant))]  # "?!" asks nothing
    for age, exchange in zip(range(len(recent), 0, -1), recent, strict=True):
        meant = exchange.standalone or resolved(exchange.question, spoken, parser, choose)
        spoken += _spoken(exchange, meant[:LONGEST_QUESTION], age, parser)  # what is put into it makes it longer
    return resolved(question, spoken, parser, choose)


def _spoken(exchange: Exchange, meant: str, age: int, parser: SyntacticParser) -> list[Spoken]:
    answer = exchange.answer or ""
    texts = [meant, answer] if answer.strip() else [meant]
    said = [tuple(phrases_in(text, parsed)) for text, parsed in zip(texts, parser.parse(texts), strict=True)]
    found = [Spoken(text=meant, phrases=said[0], age=age, as_asked=exchange.question)]
    if len(said) > 1:
        found.append(Spoken(text=answer, phrases=said[1], age=age, answers=meant))
    return found


def resolved(question: str, thread: Sequence[Spoken], parser: SyntacticParser, choose: Choose = chosen) -> str:
    """A question on its own: a fragment in the frame of the question before, each reference as what it stands for."""
    if not thread:
        return question
    fragment = fragment_of(question)
    before = next(spoken for spoken in reversed(thread) if not spoken.answers)
    if names_no_matter(unlinked := without_link(question)):
        return about_the_same(unlinked, before.phrases)
    if fragment is None:
        return _replaced(unlinked, thread, parser, choose)[0]
    if fragment.asks:
        answer = thread[-1].text if thread[-1].answers else ""
        return asked_further(fragment, before.text, answer)
    text, stood_for = _replaced(fragment.text, thread, parser, choose, whose=False)
    if stood_for:
        return of_owner(text, stood_for[0], before.text) if text.split()[-1:] != stood_for[0].split()[-1:] else text
    [sentences] = parser.parse([text])
    likewise = asked_likewise(fragment, phrases_in(text, sentences), before.text, before.phrases)
    return question if likewise is None else likewise


def _replaced(
    question: str, thread: Sequence[Spoken], parser: SyntacticParser, choose: Choose, *, whose: bool = True
) -> tuple[str, list[str]]:
    """A text with each of its references replaced, and what they stand for."""
    [sentences] = parser.parse([question])
    own = phrases_in(question, sentences)
    settled: set[str] = set()
    replaced: list[tuple[Reference, Phrase]] = []
    for reference in references_in(question, sentences):
        if reference.pointer in settled or (reference.pointer == "of" and not whose):
            continue  # "Did he sell his house?": named once, it is clear
        phrase = choose(reference, question, own, thread)
        if phrase is not None:
            settled.add(reference.pointer)
            replaced.append((reference, phrase))
    written = question
    for reference, phrase in reversed(replaced):
        written = written[: reference.start] + _in_place(reference, phrase, question) + written[reference.end :]
    return written, [phrase.text for _, phrase in replaced]


def _in_place(reference: Reference, phrase: Phrase, question: str) -> str:
    text = definite(phrase.text)
    if reference.pointer == "of":
        place = not reference.noun and phrase.kind in (Kind.PLACE, Kind.TIME)
        return f" {'in' if place else 'of'} {text}"
    if reference.pointer == "this" and not _fits(reference, phrase):
        return f"the {question[reference.start : reference.end].split(maxsplit=1)[1]} of {text}"
    if reference.pointer == "there":
        return f"in {text}"
    if reference.owning:
        return text + ("'" if text.endswith("s") and phrase.kind is Kind.SEVERAL else "'s")
    return text[0].upper() + text[1:] if reference.start == 0 else text


def _fits(reference: Reference, phrase: Phrase) -> bool:
    """Whether a phrase can stand in place of "this noun"; otherwise it is the noun's owner: "the abilities of X"."""
    if not reference.noun or reference.noun.rstrip("s") in phrase.text.casefold():
        return True
    person = reference.noun in PEOPLE | ROLES | KIN
    return person if phrase.kind is Kind.PERSON else not reference.noun.endswith("s") or phrase.kind is Kind.SEVERAL
