"""How likely it is that a sentence holds the answer, and that a pointed answer is right.

The span model has read each passage by itself. The cross-encoder reads its likeliest sentences again, each under its
heading, alone and behind the sentence before it: in manuals and minutes these say what a sentence speaks of. Running
text of one paragraph, which is read alone only, repeats it. Then the span model reads the best of them, of all
passages, together.

The weights of sentences were fitted by ``benchmarks/calibrate_reading.py`` to questions whose contexts were kept aside
when an earlier span model was trained, and to as many about novels, and then scaled (logit by 1.18, and 0.93 more).
Those of answers and of a yes or no were fitted to 1,275 and 320 questions of all kinds that the span model of today has
not read, a quarter of them without the context that tells (decision 77).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from polyhop.documents.sentences import sentence_spans
from polyhop.english.numbers import codes_in, names_code, of_one_series
from polyhop.indexes.folding import fold, pieces
from polyhop.models.choice import Models
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.negation import denies, spoken_of, turned
from polyhop.reading.pointing import Pointed, Pointing, Supporting, point, point_together
from polyhop.reading.reader import Quote, heading_over, headings_over, less_likely, text_of
from polyhop.reading.rows import row_at
from polyhop.reading.subjects import named_apart, of_its_version, speaks_of, wider_headings
from polyhop.types import Passage

ANSWERS: Final = 8  # likeliest of each kind of reading that are weighed
SENTENCES: Final = 16  # likeliest to the span model that are weighed; the others are left
WORDS: Final = 170  # of the likeliest sentences of all passages, which are read together
TELLING: Final = 4  # likeliest sentences, one of which tells whether something is so
SIBLING: Final = -1.8  # logits of what stands in a document whose sibling is named: six times less often right
OTHER: Final = -3.5  # logits of what is said of another code of a series: it is hardly ever said of both
_WITHOUT: Final = re.compile(r"\bwithout (?:(?:the|an?|any) )?(?P<what>[^?,;]+)", re.IGNORECASE)
SURE: Final = 1e-4  # chances nearer to 0 or 1 tell no more

Told = TypeVar("Told", Pointed, Supporting)
Signs = tuple[float, ...]  # what speaks for a sentence or an answer, as logits


@dataclass(frozen=True, kw_only=True)
class ReadingWeights:
    """What each sign counts: of a sentence (``sentence_signs``), an answer, a yes rather than a no, and a verdict."""

    sentence: Signs = (0.607, 0.094, 0.044)
    sentence_bias: float = -0.552
    answer: Signs = (0.039, 0.272, 0.274, -0.152, 0.392)
    answer_bias: float = -0.49
    leaning: Signs = (0.362, 0.517)
    leaning_bias: float = -0.087
    verdict: Signs = (0.438, 0.305, 0.042)
    verdict_bias: float = -1.339


FITTED: Final = ReadingWeights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A question read in each passage alone, in the best sentences together, and both weighed."""

    each: Pointing
    together: Pointing
    found: Pointing


def read_weighed(question: str, passages: Sequence[Passage], models: Models, *, words: int = WORDS) -> Weighed:
    """Read a question in both ways; at most so many words are read together."""
    apart = named_apart(question, passages)
    each = supported(of_its_version(point(question, passages, models)), models)
    each = replace(each, sentences=less_of_others(less_of_siblings(each.sentences, apart), question))
    if apart:  # whether something is so is told by the others
        own = point(question, [one for one in passages if one.id not in apart], models)
        each = replace(each, yes=own.yes, no=own.no, none=own.none)
    together = point_together(question, likeliest(each, passages, words), models)
    found = weighed(each, together)
    found = replace(found, answers=less_of_others(less_of_siblings(found.answers, apart), question))
    return Weighed(each=each, together=together, found=found)


def less_of_siblings(told: Sequence[Told], apart: Mapping[str, frozenset[str]]) -> tuple[Told, ...]:
    """Answers or sentences, less likely in passages set ``apart``, but for those that speak of what is asked."""
    doubted = [
        replace(one, chance=less_likely(one.chance, SIBLING))
        if one.quote is not None and (words := apart.get(one.quote.passage.id)) and not speaks_of(one.quote, words)
        else one
        for one in told
    ]
    return tuple(sorted(doubted, key=lambda one: -one.chance))


def less_of_others(told: Sequence[Told], question: str) -> tuple[Told, ...]:
    """Answers or sentences, less likely where they are said of another code of a series than the question names.

    What names another one is an answer all the same: "What comes behind E3?" Less likely are rows of what is left out,
    too: "What is the sum without mill 3?"
    """
    doubted = [
        replace(one, chance=less_likely(one.chance, OTHER))
        if one.quote is not None
        and (
            (is_of_another_code(one.quote, question) and not (isinstance(one, Pointed) and any(codes_in(one.text))))
            or _is_left_out(one.quote, question)
        )
        else one
        for one in told
    ]
    return tuple(sorted(doubted, key=lambda one: -one.chance))


def is_of_another_code(quote: Quote, question: str) -> bool:
    """Whether what is said belongs to another code of a series, such as "LMP-402", than one that a question names.

    That is told by its line and headings, else by what stands last before it in its section: a code may stand on a line
    of its own. The title tells it where its passage never names the one that is asked for.
    """
    asked = [code[0] for code in codes_in(question.upper())]  # in whichever letters it is typed
    if not asked:
        return False
    passage = quote.passage
    section = max((end for start, end in passage.headings if end <= quote.start), default=0)
    before = passage.text[section : quote.end]
    line = before[before.rfind("\n", 0, quote.start - section) + 1 :]
    headings = "\n".join((*headings_over(quote), *wider_headings(quote)))
    for code in asked:
        if names_code(f"{line}\n{headings}\n{passage.title}", code):
            continue
        series = [one for one in codes_in(before) if of_one_series(one[0], code) and one[0].upper() not in asked]
        if series:
            if not names_code(before[series[-1].end() :], code):
                return True
            continue
        over = headings if names_code(passage.text, code) else f"{headings}\n{passage.title}"
        if any(of_one_series(one[0], code) for one in codes_in(over)):
            return True
    return False


def _is_left_out(quote: Quote, question: str) -> bool:
    """Whether a sentence is a row with a value that a question asks to be without."""
    left = _WITHOUT.search(question)
    row = row_at(quote) if left is not None else None
    if left is None or row is None:
        return False
    what = pieces(left["what"])
    return any(what[: len(said)] == said for cell in row.cells if (said := pieces(cell.said)))


def supported(each: Pointing, models: Models, weights: ReadingWeights = FITTED) -> Pointing:
    """The reading with its likeliest sentences only, and the chances that they hold the answer."""
    signs = sentence_signs(each.question, each.sentences[:SENTENCES], models)
    found = [
        Supporting(chance_of(ours, weights.sentence, weights.sentence_bias), quote) for quote, ours in signs.items()
    ]
    return replace(each, sentences=tuple(sorted(found, key=lambda one: -one.chance)))


def likeliest(found: Pointing, passages: Sequence[Passage], words: int) -> list[Quote]:
    """The sentences that the answer most likely rests on, as many as the words allow, in the order of the passages.

    One that several passages have, as they overlap, is read once.
    """
    kept: list[Quote] = []
    places: set[tuple[str, int]] = set()
    for one in found.sentences:
        spoken = SpokenPassage.of(one.quote.passage)
        whole = [one.quote] if spoken is None else spoken.with_what_it_replies_to(one.quote)
        for quote in reversed(whole):
            size = len(text_of(quote).split())
            place = (quote.passage.document_id, quote.passage.start + quote.start)
            if size <= words and place not in places:
                kept.append(quote)
                places.add(place)
                words -= size
    order = {passage.id: rank for rank, passage in enumerate(passages)}
    return sorted(dict.fromkeys(kept), key=lambda quote: (order[quote.passage.id], quote.start))


def weighed(each: Pointing, together: Pointing, weights: ReadingWeights = FITTED) -> Pointing:
    """A reading whose sentences are weighed, with the chances that its answers and those read together are right."""
    answers = [
        replace(one, chance=chance_of(signs, weights.answer, weights.answer_bias))
        for one, signs in answer_signs(each, together)
    ]
    return replace(each, answers=tuple(sorted(answers, key=lambda one: -one.chance)))


def sentence_signs(question: str, sentences: Sequence[Supporting], models: Models) -> dict[Quote, Signs]:
    """Of each sentence: that an answer rests on it, by the span model; by the cross-encoder, that it is about it."""
    passages = {one.quote.passage.id: one.quote.passage for one in sentences}
    spans = {name: list(sentence_spans(passage.text)) for name, passage in passages.items()}
    places = [_in_place(one.quote, spans[one.quote.passage.id]) for one in sentences]
    texts = list(dict.fromkeys(text for place in places for text in place))
    scores = dict(zip(texts, models.reranker.score(question, texts).tolist() if texts else (), strict=True))
    return {
        one.quote: (logit(one.chance), scores[alone], scores[behind])
        for one, (alone, behind) in zip(sentences, places, strict=True)
    }


def answer_signs(each: Pointing, together: Pointing) -> list[tuple[Pointed, Signs]]:
    """Of each likely answer: its chance in its passage alone, in the best sentences together, and of its sentence.

    And that these sentences together do not answer, which is the same for all; and whether it is the likeliest in both
    readings (1, else 0). A sentence that was not weighed is as likely as the least likely of those that were.
    """
    alone, joined = _by_text(each.answers[:ANSWERS]), _by_text(together.answers[:ANSWERS])
    sentences = {one.quote: one.chance for one in each.sentences}
    least = min(sentences.values(), default=0.0)

    def chance(answers: Mapping[str, Pointed], text: str) -> float:
        return logit(answers[text].chance if text in answers else 0.0)

    def resting(one: Pointed) -> float:
        return logit(sentences.get(one.quote, least)) if one.quote is not None else 0.0

    untold = logit(together.none)
    agreed = {fold(one.text) for one in each.answers[:1]} & {fold(one.text) for one in together.answers[:1]}
    return [
        (one, (chance(alone, text), chance(joined, text), resting(one), untold, float(text in agreed)))
        for text, one in {**joined, **alone}.items()
    ]


def leaning_signs(read: Weighed) -> Signs:
    """What speaks for a yes rather than a no: the model, and the likeliest sentence, as it denies what is asked or not.

    The model has read the sentences together and each passage; whichever is surer counts. It reads a rule and not its
    exception, so that both lean to what that says where it is the exception that is asked about.
    """
    told = max((read.each, read.together), key=lambda one: abs(one.yes - one.no))
    best = told_by(read)
    leans = logit(told.yes) - logit(told.no)
    if best is None:
        return leans, 0.0
    yes = turned(best.quote, told.question)
    if yes is not None:
        return (abs(leans), best.chance) if yes else (-abs(leans), -best.chance)
    return leans, best.chance * (-1 if denies(text_of(best.quote), told.question) else 1)


def verdict_signs(read: Weighed, leaning: float) -> Signs:
    """How far it leans to one verdict, that the model takes it to be told at all, and that a sentence tells it."""
    told = max((read.each, read.together), key=lambda one: abs(one.yes - one.no))
    best = told_by(read)
    none = 1.0 if best is not None and is_of_another_code(best.quote, told.question) else told.none
    return abs(leaning), logit(1 - none), logit(0.0 if best is None else best.chance)


def told_by(read: Weighed) -> Supporting | None:
    """The sentence that tells whether something is so: a likely one, whose words are those of the question."""
    likely = read.found.sentences[:TELLING]
    return max(likely, key=lambda one: one.chance * spoken_of(text_of(one.quote), read.found.question), default=None)


def leaning_of(signs: Signs, weights: ReadingWeights = FITTED) -> float:
    """Above 0 for a yes, below for a no."""
    return math.fsum(
        (*(sign * weight for sign, weight in zip(signs, weights.leaning, strict=True)), weights.leaning_bias)
    )


def _by_text(answers: Iterable[Pointed]) -> dict[str, Pointed]:
    return {fold(one.text): one for one in answers}


def _in_place(quote: Quote, sentences: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """A sentence of a passage's under its heading, or its title where it has none; and behind the one before it.

    Twice the same in running text.
    """
    passage = quote.passage
    spoken = SpokenPassage.of(passage)
    if spoken is not None:
        return spoken.in_place(quote)
    heading = heading_over(quote)
    alone = f"{heading or passage.title}: {text_of(quote)}"
    if not passage.headings and "\n" not in passage.text.strip():
        return alone, alone
    ended = [place for place in sentences if place[1] <= quote.start]
    before = passage.text[slice(*ended[-1])] if ended else ""
    return alone, f"{passage.title}: {heading} {before} {text_of(quote)}"


def chance_of(signs: Signs, weights: Signs, bias: float) -> float:
    """What a logistic model makes of signs, 0 to 1."""
    odds = math.fsum((*(sign * weight for sign, weight in zip(signs, weights, strict=True)), bias))
    return 1 / (1 + math.exp(-odds))


def logit(chance: float) -> float:
    """A chance as a logit, kept away from what no model can be sure of."""
    kept = min(max(chance, SURE), 1 - SURE)
    return math.log(kept / (1 - kept))
