"""Several things that answer a question: the items of an enumeration or a sentence, several answers, a paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.indexes.folding import pieces
from polyhop.ports import Reranker
from polyhop.reading.chosen_rows import any_of, names_value, of_rows_alike, rows_agreeing, rows_told
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.enumerations import items_around, items_at, items_within, lists_in
from polyhop.reading.negation import negated
from polyhop.reading.pointing import Pointed, Pointing
from polyhop.reading.reader import Quote, heading_over, text_of
from polyhop.reading.rows import Row, RowCell, row_at, tables_in, word_families
from polyhop.reading.weighing import chance_of, logit
from polyhop.types import Passage

LEAST: Final = 0.1  # of the likeliest answer's chance, from which another speaks for an enumeration
SHARE: Final = 0.6  # of the likeliest answer's chance, that another needs to be listed
MEMBERS: Final = 2  # sentences of a paragraph that are likely, from which it is what is asked for
LIKELY: Final = 0.5  # of the likeliest sentence's chance
LONGEST: Final = 120  # words of a paragraph that is an answer
TELLING: Final = 0.6  # of a sentence's words, that a question for a reason does not have
TOLD: Final = 0.8  # chance of what was looked up in a table
SCORE: Final = 0.2  # what a logit of the cross-encoder for a whole list counts beside one of its lines
NEUTRAL: Final = -4.0  # its logit that speaks neither for a list nor against it
STEPS: Final = 0.5  # what a logit of the cross-encoder for a whole list counts where it is asked how to do something
SUREST: Final = 0.95  # chance of a list: its lines do not speak for it independently
_BEHIND_ITEMS: Final = " ;,"  # what parts an item from the next one
_NUMBERED: Final = re.compile(r"[ \t]*(?:[Ss]tep )?\(?(?:\d{1,3}|[a-z])[.):]")
_BLANK: Final = re.compile(r"\n\s*\n")

Items = Sequence[tuple[str, Quote]]
_Place = tuple[str, int]  # of a list: its passage, and where its first item begins


def likeliest_list(found: Pointing, *, anchored: bool = True, reranker: Reranker | None = None) -> tuple[Items, float]:
    """The items of the enumeration that the likeliest sentences and answers stand in, and its chance; none, and 0.

    One item may answer a question by itself. Several that are likely, the line that introduces them, and what is
    pointed at in them, speak for the whole, each by its chance. A single sentence that is likelier than all of that is
    no list. ``anchored``: the likeliest sentence or answer has to be of the list. ``reranker``: says of whole lists,
    under their headings and with the lines that introduce them, whether they are about the question.
    """
    lists: dict[_Place, Items] = {}
    said: dict[_Place, list[float]] = {}
    pointed: dict[_Place, list[float]] = {}
    anchors: set[_Place] = set()
    sentences = [(said, rank, one.chance, one.quote) for rank, one in enumerate(found.sentences)]
    answers = [(pointed, rank, one.chance, one.quote) for rank, one in enumerate(found.answers)]
    for chances, rank, chance, quote in (*sentences, *answers):
        items = [] if quote is None else _items_at(quote)
        if items:
            place = (items[0][1].passage.id, items[0][1].start)
            lists[place] = items
            chances.setdefault(place, []).append(chance)
            anchors |= {place} if rank == 0 else set()
    told = {
        place: any_of([*_likely(chances), *pointed.get(place, ())])
        for place, chances in said.items()
        if len(_likely(chances)) > 1 and (place in anchors or not anchored)
    }
    if reranker is not None and told:
        scores = reranker.score(found.question, [_whole(lists[place]) for place in told]).tolist()
        told = {place: _about(chance, score) for (place, chance), score in zip(told.items(), scores, strict=True)}
    best = max(told, key=lambda place: told[place], default=None)
    if best is None or told[best] < found.sentences[0].chance:
        return [], 0.0
    return lists[best], min(told[best], SUREST)


def listed_steps(question: str, passages: Sequence[Passage], reranker: Reranker) -> tuple[Items, float]:
    """The list of the passages that the cross-encoder takes for the answer as a whole, and its chance; none, and 0.

    What has to be done is told in many lines, of which none has the words of the question: those are in the heading and
    the line above, which the cross-encoder reads together with them. A short section whose heading says what is to be
    done, and that is no list, is one item. Lists without numbers may list anything: most words have to be theirs.
    """
    section = _section_asked_for(question, passages)
    lists = [_items(one, places) for one in passages for places in lists_in(one.text) if len(places) > MEMBERS]
    if section is not None:
        inside = [items for items in lists if items[0][1].passage == section.passage and _is_within(items, section)]
        return (inside[0] if inside else [(without_fences(text_of(section)), section)]), TOLD
    lists = [items for items in lists if _is_numbered(items) or _speaks_of(question, items)]
    if not lists:
        return [], 0.0
    scores = reranker.score(question, [_whole(items) for items in lists]).tolist()
    score, items = max(zip(scores, lists, strict=True), key=lambda one: one[0])
    return items, min(chance_of((score,), (STEPS,), 0.0), SUREST)


def _section_asked_for(question: str, passages: Sequence[Passage]) -> Quote | None:
    """The short section whose heading, with the title, has every word of a question: "Install" in "Chalk"."""
    asked = word_families(question)
    for passage in passages:
        for at, (start, end) in enumerate(passage.headings):
            said = word_families(passage.text[start:end])
            if said & asked and len(asked) > 1 and asked <= said | word_families(passage.title):
                behind = passage.headings[at + 1][0] if at + 1 < len(passage.headings) else len(passage.text)
                body = passage.text[end:behind].rstrip("#= \n")
                begins = end + len(body) - len(body.lstrip(" \n=-~"))
                if body.strip(" \n=-~") and len(body.split()) <= LONGEST:
                    return Quote(passage, begins, end + len(body))
    return None


def _is_within(items: Items, section: Quote) -> bool:
    return section.start <= items[0][1].start and items[-1][1].end <= section.end


def _is_numbered(items: Items) -> bool:
    passage, start = items[0][1].passage, items[0][1].start
    return _NUMBERED.match(passage.text, passage.text.rfind("\n", 0, start) + 1) is not None


def _speaks_of(question: str, items: Items) -> bool:
    """Whether most words of a question stand in a list, under its title and heading and behind the line before it."""
    asked = word_families(question)
    return 2 * len(asked & word_families(_whole(items))) > len(asked)


def without_fences(text: str) -> str:
    """A text on one line, without the lines that fence its code off."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(("```", "~~~")))
    return " ".join(" ".join(lines).split())


def _whole(items: Items) -> str:
    """A list under its title and heading, behind the line before it."""
    passage, start, end = items[0][1].passage, items[0][1].start, items[-1][1].end
    above = heading_over(items[0][1])
    lines = [line for line in passage.text[:start].splitlines()[:-1] if line.strip()]
    before = [line for line in lines[-1:] if line.strip(" #") != above]
    return f"{': '.join(filter(None, (passage.title, above, *before)))} {passage.text[start:end]}"


def _about(chance: float, score: float) -> float:
    """The chance of a list, with what the cross-encoder makes of the whole of it."""
    return chance_of((logit(chance), score - NEUTRAL), (1.0, SCORE), 0.0)


def introduces(quote: Quote) -> bool:
    """Whether a sentence says that something comes behind it, and nothing by itself."""
    return text_of(quote).rstrip().endswith((":", "："))


def introduced(quote: Quote) -> Items:
    """The items of the list that a sentence introduces; none where it introduces nothing, or something else."""
    return _items_at(quote) if introduces(quote) else []


def _likely(chances: Sequence[float]) -> list[float]:
    return [chance for chance in chances if chance >= LIKELY * max(chances)]


def answers_listed(found: Pointing, passages: Sequence[Passage] = ()) -> tuple[Items, float]:
    """The enumeration in a sentence that answers are part of; else several likely answers, each of its own sentence.

    Of an answer in a row, the same of the rows that it goes with. None, and 0, of one thing.
    """
    items, chance = enumerated(found, objects=True)
    if items:
        return items, chance
    beside = of_rows_alike(found, passages)
    if beside:
        return beside, found.chance
    likely = {one.quote: one for one in reversed(found.answers) if one.chance >= SHARE * found.chance}
    answers = sorted(likely.values(), key=lambda one: -one.chance)
    each = [item for one in answers if one.quote is not None for item in _within(one) or [(one.text, one.quote)]]
    items = list({word_families(text): (text, quote) for text, quote in reversed(each)}.values())[::-1]
    return (items, found.chance) if len(items) > 1 else ([], 0.0)


def _within(one: Pointed) -> Items:
    """The items of what was pointed at, where that is an enumeration."""
    quote = one.quote
    return [] if quote is None else _items(quote.passage, items_within(quote.passage.text, one.start, one.end))


def enumerated(found: Pointing, *, objects: bool = False) -> tuple[Items, float]:
    """The enumeration in a sentence that the likeliest answer is part of, as likely as any of those that are.

    What the question names is no item of it: a sentence whose subject stands before a comma enumerates nothing there.
    """
    asked = word_families(found.question)
    told: dict[_Place, tuple[Items, list[float]]] = {}
    for one in found.answers:
        items = [] if one.quote is None or one.chance < LEAST * found.chance else _items_around(one, objects=objects)
        if items and not any(word_families(text) <= asked for text, _ in items):
            place = (items[-1][1].passage.id, items[-1][1].end)
            told.setdefault(place, (items, []))[1].append(one.chance)
    best = max(told.values(), key=lambda one: max(one[1]), default=None)
    return ([], 0.0) if best is None or max(best[1]) < found.chance else (best[0], min(any_of(best[1]), SUREST))


def _items_around(one: Pointed, *, objects: bool) -> Items:
    quote = one.quote
    if quote is None or row_at(quote) is not None:
        return []
    text = quote.passage.text
    around = items_around(text, one.start, one.end, (quote.start, quote.end), objects=objects)
    return _items(quote.passage, around or items_within(text, one.start, one.end))


def several_listed(found: Pointing) -> tuple[Items, float]:
    """Several things that answer a question which may ask for one: rows, or an enumeration; none, and 0, without.

    An enumeration that both of the likeliest answers are part of. Of amounts each is of something else.
    """
    rows, chance = rows_told(found, TOLD)
    if rows or answer_type(found.question) is AnswerType.NUMBER:
        return rows, min(chance, SUREST)
    items, chance = enumerated(found)
    second = found.answers[1].quote if len(found.answers) > 1 else None
    start = found.answers[1].start if second is not None else -1
    both = second is not None and any(
        quote.passage == second.passage and quote.start <= start < quote.end for _, quote in items
    )
    return (items, chance) if both and len(items) > MEMBERS else ([], 0.0)


def in_its_sentence(quote: Quote) -> Quote:
    """The sentence that an item stands in, which says what it is an item of; the item where its line has no other."""
    text = quote.passage.text
    before = text[text.rfind("\n", 0, quote.start) + 1 : quote.start]
    if row_at(quote) is not None or not any(character.isalpha() for character in before):
        return quote
    around = (place for place in sentence_spans(text) if place[0] <= quote.start and quote.end <= place[1])
    return Quote(quote.passage, *next(around, (quote.start, quote.end)))


def paragraph_of(found: Pointing) -> Quote | None:
    """The paragraph of the likeliest sentence, where another of its sentences is likely too; none that is long."""
    best = found.sentences[0].quote
    text = best.passage.text
    starts = [match.end() for match in _BLANK.finditer(text, 0, best.start)]
    behind = _BLANK.search(text, best.end)
    start, end = max(starts, default=0), behind.start() if behind else len(text)
    start = max([start, *(stop for _, stop in best.passage.headings if stop <= best.start)])
    least = LIKELY * found.sentences[0].chance
    inside = [one for one in found.sentences if one.quote.passage == best.passage and start <= one.quote.start < end]
    if sum(one.chance >= least for one in inside) < MEMBERS or len(text[start:end].split()) > LONGEST:
        return None
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Quote(best.passage, start, start + len(text[start:end].rstrip()))


def explained(quote: Quote, question: str) -> Quote | None:
    """A sentence that says little more than the question for its reason, with the one behind it in its paragraph."""
    said, passage = word_families(text_of(quote)), quote.passage
    if not said or len(said - word_families(question)) > TELLING * len(said):
        return None
    if row_at(quote) or SpokenPassage.of(passage) is not None:
        return None
    for begins, ends in sentence_spans(passage.text):
        if begins >= quote.end:
            apart = _BLANK.search(passage.text, quote.start, begins) is not None
            headed = any(start <= begins < end for start, end in passage.headings)
            return None if apart or headed else Quote(passage, quote.start, ends)
    return None


def looked_up(question: str, passages: Sequence[Passage]) -> Items:
    """The cells that rows have under what a question asks for, where it names the value of another cell of theirs.

    Where it denies that value, those of the other rows. Of columns that say yes or no, the name is what is named.
    """
    asked, denies = pieces(question), negated(question)
    for table in tables_in(passages):
        if agreeing := rows_agreeing(question, table):
            return agreeing
        names = {word: name for name in reversed(table.columns) for word in word_families(name)}
        named = next((names[word] for each in asked for word in word_families(each) if word in names), "")
        found = [(cell, row) for row in table.rows if (cell := row.under(named)) is not None]
        said = [_said_of(row, cell, asked) for cell, row in found]
        denied = denies and not any(negated(value) for value in said)
        rows = [one for one, value in zip(found, said, strict=True) if bool(value) != denied]
        if table.is_whole and any(said) and 1 < len(rows) < len(table.rows):
            return [(cell.said, Quote(row.quote.passage, cell.start, cell.end)) for cell, row in rows]
    return []


def _said_of(row: Row, named: RowCell, asked: Sequence[str]) -> str:
    """The value of another cell of a row that a question names; nothing where it names none."""
    others = (cell.said for cell in row.cells if cell is not named)
    return next((value for value in others if names_value(asked, pieces(value))), "")


def _items_at(quote: Quote) -> Items:
    return _items(quote.passage, items_at(quote.passage.text, quote.start, quote.end))


def _items(passage: Passage, places: Sequence[tuple[int, int]]) -> list[tuple[str, Quote]]:
    said = (" ".join(passage.text[start:end].split()).rstrip(_BEHIND_ITEMS) for start, end in places)
    return [(text, Quote(passage, start, end)) for text, (start, end) in zip(said, places, strict=True)]
