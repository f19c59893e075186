"""Extracts the named things of passages and the facts that connect them, several passages a call (StepChain, Eq. 3).

Each fact has a quotation that is checked. A thing has a type, which labels the ends of facts, and other names, each of
which becomes a fact that says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polyhop.documents.sentences import sentence_spans
from polyhop.english.words import PRONOUNS, word_set
from polyhop.indexes.names import normal
from polyhop.prompts.batches import Batches
from polyhop.prompts.blocks import DATA_RULE
from polyhop.prompts.grounding import as_written, fault_of, whole_words
from polyhop.prompts.quotes import locate, parted
from polyhop.prompts.schemas import Schema, closed, listed, one_of
from polyhop.types import Fact, Passage

LABELS: Mapping[str, str] = {  # what the parser calls the types that a model is offered
    "person": "PERSON",
    "group": "NORP",
    "organisation": "ORG",
    "place": "GPE",
    "landform": "LOC",
    "building": "FAC",
    "work": "WORK_OF_ART",
    "event": "EVENT",
    "product": "PRODUCT",
    "law": "LAW",
    "language": "LANGUAGE",
    "date": "DATE",
    "number": "CARDINAL",
    "other": "",
}
_SPELT: Mapping[str, str] = {"organization": "organisation"}
SCHEMA: Schema = {
    **closed(
        entities=listed(closed(passage="integer", name="string", type=one_of(LABELS), aliases=listed("string"))),
        facts=listed(closed(passage="integer", head="string", relation="string", tail="string", evidence="string")),
    ),
    "required": ["facts"],  # facts without types are worth having, too
}
_THING: Schema = {
    "type": "object",
    "properties": {"passage": {"type": "integer"}, "name": {"type": "string"}, "aliases": listed("string")},
    "required": ["passage", "name"],
}
ALSO: Schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "entities": listed(_THING)}}
"""What is understood as well: a thing of another type, such as "city", or without one, spoils no facts beside it."""

_SYSTEM = f"""You write down the facts that numbered passages state, for a graph in which questions are answered by \
going from fact to fact. A fact connects two things by a relation.

"entities": the things that the facts connect, each once a passage:
- "passage": the number of the passage.
- "name": what facts call it. "type": what kind of thing it is: "group" is a people or a religion, "place" a town or a \
country, "landform" a river or a hill, "building" also a bridge or a road, "number" also an amount or a price.
- "aliases": other names by which the same passage calls it, copied letter for letter: a full name, a title, an \
abbreviation. No "she" and no "the bridge". Mostly empty.

"facts":
- "passage": the number of the passage that states the fact.
- "head" and "tail": the two things: persons, places, organisations, works, events, dates, numbers, occupations. Copy \
each from the passage or its title, letter for letter, in as few words as name it. Where the passage says "she", "it" \
or "the bridge", write the name that this stands for.
- "relation": what connects them, in one to six words of the passage's language, so that head, relation and tail read \
as a sentence. Keep what changes the meaning, such as "not", "perhaps" or "until".
- "evidence": the stretch of the passage's text that states the fact, at most a sentence, copied letter for letter. Do \
not shorten, join or correct it. The title is no evidence.

Take a sentence that states several facts apart. Write down all that is stated, each fact once, and nothing that you \
remember or conclude, nor what a passage merely asks, supposes or demands. A passage that states no facts gets none; \
both lists may be empty.

{DATA_RULE}

Output JSON: {{"entities": [...], "facts": [...]}}. An example, for a passage 1 with the title "The Salt Harvest" and \
the text "It was painted by Ilse Dorn, a pupil of Jorun Vey, called Old Vey.": {{"entities": [\
{{"passage": 1, "name": "The Salt Harvest", "type": "work", "aliases": []}}, \
{{"passage": 1, "name": "Ilse Dorn", "type": "person", "aliases": []}}, \
{{"passage": 1, "name": "Jorun Vey", "type": "person", "aliases": ["Old Vey"]}}], "facts": [\
{{"passage": 1, "head": "The Salt Harvest", "relation": "was painted by", "tail": "Ilse Dorn", \
"evidence": "It was painted by Ilse Dorn"}}, \
{{"passage": 1, "head": "Ilse Dorn", "relation": "was a pupil of", "tail": "Jorun Vey", \
"evidence": "Ilse Dorn, a pupil of Jorun Vey"}}]}}"""

PROMPT_VERSION = hashlib.sha256(f"{_SYSTEM}\n{json.dumps(SCHEMA)}".encode()).hexdigest()[:12]
"""Identifies what the model is asked: another prompt or schema gives other facts."""

ALSO_KNOWN_AS = "also known as"  # joins its two ends to one entity
_SPARE_ANSWER = 300  # tokens that every call may answer, and
_ANSWER_PER_TOKEN = 6  # for each token of text: facts quote their evidence, and a sentence may state several
_PRONOUNS = PRONOUNS | word_set("this that these those who which his her hers its their theirs one")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLimits:
    """How passages are packed into calls, and how much a call may answer."""

    text_tokens: int = 1500  # of the passages of one call, about; a longer passage has a call of its own
    passages: int = 4  # of one call, at most
    max_tokens: int = 6000  # of one answer, at most; calls with little text may answer less
    facts: int = 100  # kept of one passage; those of 1,200 tokens, StepChain's, state more than 40

    def __post_init__(self) -> None:
        if min(self.text_tokens, self.passages, self.max_tokens, self.facts) < 1:
            raise ValueError("text_tokens, passages, max_tokens and facts must be at least 1")

    def answer(self, text_tokens: int) -> int:
        """Tokens that a call with so many tokens of text may answer."""
        return min(self.max_tokens, _SPARE_ANSWER + _ANSWER_PER_TOKEN * text_tokens)


@dataclass(frozen=True, slots=True)
class Extracted:
    """The facts of a passage, and how many were rejected, by reason (see ``grounding.fault_of``).

    More reasons: ``passage``, a number that no passage has, ``surplus``, more facts than are kept, and ``pronoun``, an
    end that names nothing.
    """

    facts: tuple[Fact, ...] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)


def batches(limits: FactLimits = FactLimits()) -> Batches[Extracted]:
    """The task: what comes of a passage is the facts that it states."""
    return Batches(
        system=_SYSTEM,
        schema=SCHEMA,
        also=(ALSO,),
        text_tokens=limits.text_tokens,
        passages=limits.passages,
        answer=lambda text_tokens, _: limits.answer(text_tokens),
        read=lambda answer, batch: _grounded(answer, batch, limits.facts),
        nothing=Extracted(),
        undone="facts",
    )


def _grounded(answer: Mapping[str, Any], batch: Sequence[Passage], most: int) -> Iterator[Extracted]:
    """What the passages bear out; the rest is counted where the model said that it stands."""
    facts: list[dict[tuple[str, str, str], Fact]] = [{} for _ in batch]
    rejected: list[Counter[str]] = [Counter() for _ in batch]
    entities = answer.get("entities", ())
    for item in (*answer["facts"], *_aliases(entities, batch)):
        index, fact, fault = _placed(item, batch)
        if fact is None:
            rejected[index][fault] += 1
            continue
        key = (normal(fact.head), normal(fact.relation), normal(fact.tail))
        if key not in facts[index] and len(facts[index]) == most:
            rejected[index]["surplus"] += 1
        else:
            facts[index].setdefault(key, fact)
    types = _types(entities)
    labelled = ([_labelled(fact, types) for fact in found.values()] for found in facts)
    return (Extracted(tuple(found), counts) for found, counts in zip(labelled, rejected, strict=True))


def _aliases(entities: Sequence[Mapping[str, Any]], batch: Sequence[Passage]) -> Iterator[Mapping[str, Any]]:
    """Other names as facts like those of the model, with the sentence that one of the names stands in."""
    for entity in entities:
        for alias in dict.fromkeys(entity.get("aliases", ())):
            known = 0 < entity["passage"] <= len(batch)
            text = batch[entity["passage"] - 1].text if known else ""
            spans = (locate(name, text) for name in (alias, entity["name"]))
            at = next((span[0] for span in spans if span is not None), 0)
            evidence = next((text[start:end] for start, end in sentence_spans(text) if start <= at < end), "")
            yield {
                "passage": entity["passage"],
                "head": entity["name"],
                "relation": ALSO_KNOWN_AS,
                "tail": alias,
                "evidence": evidence,
            }


def _types(entities: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """The label of each name; none for one that is called two kinds of thing, or a kind that was not offered."""
    labels: dict[str, set[str]] = {}
    for entity in entities:
        kind = str(entity.get("type", "")).strip().lower()
        label = LABELS.get(_SPELT.get(kind, kind), "")
        for name in (entity["name"], *entity.get("aliases", ())):
            labels.setdefault(normal(name), set()).add(label)
    return {name: min(found) for name, found in labels.items() if len(found) == 1}


def _labelled(fact: Fact, types: Mapping[str, str]) -> Fact:
    """A fact with the types of its ends; an end that its passage is titled after stays the title."""
    head, tail = (types.get(normal(name), "") for name in (fact.head, fact.tail))
    return replace(fact, head_label=fact.head_label or head, tail_label=fact.tail_label or tail)


def _placed(item: Mapping[str, Any], batch: Sequence[Passage]) -> tuple[int, Fact | None, str]:
    """The passage that states a fact, the fact, or why it is rejected; a genuine one may have a wrong number."""
    named = item["passage"] - 1
    known = 0 <= named < len(batch)
    fault = "" if known else "passage"
    for index in sorted(range(len(batch)), key=lambda other: other != named):
        fact = _fact(item, batch[index])
        found = fault_of(fact, batch[index]) or _unsupported(fact, batch[index]) or _unnamed(fact, batch[index])
        if found is None:
            return index, _polished(fact, batch[index]), ""
        fault = fault or found
    return named if known else 0, None, fault


def _fact(item: Mapping[str, Any], passage: Passage) -> Fact:
    start, end = _evidence(item["evidence"], passage.text) or (0, 0)
    head, relation, tail = (" ".join(item[key].split()) for key in ("head", "relation", "tail"))
    return Fact(head=head, relation=relation, tail=tail, start=start, end=end)


def _evidence(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quotation stands, or the stretch around its parts where the model left something out between them."""
    parts = parted(" ".join(quote.split()))
    return _around([quote.strip()], text) or _around(parts, text)


def _around(parts: Sequence[str], text: str) -> tuple[int, int] | None:
    start, end = len(text), 0
    for part in parts:
        span = locate(part, text[end:])
        if span is None or not whole_words(text[end:], *span):
            return None
        start, end = min(start, end + span[0]), end + span[1]
    return (start, end) if start < end else None


def _unsupported(fact: Fact, passage: Passage) -> str | None:
    """Evidence that speaks of neither end is of something else."""
    evidence = replace(passage, title="", text=passage.text[fact.start : fact.end])
    spoken = any(as_written(name, evidence) is not None for name in (fact.head, fact.tail))
    return None if spoken else "evidence"


def _unnamed(fact: Fact, passage: Passage) -> str | None:
    """An end such as "It" or "she" names nothing: in the graph it would join all things that are called so.

    It may be a name where the passage is titled so, or where it is capitalised within a sentence ("wrote It").
    """
    evidence = passage.text[fact.start : fact.end]
    for end in (fact.head, fact.tail):
        within = re.search(rf"[\w,] {re.escape(end[:1].upper() + end[1:])}\b", evidence)
        if normal(end) in _PRONOUNS and normal(end) != normal(passage.title) and (within is None or end == "I"):
            return "pronoun"
    return None


def _polished(fact: Fact, passage: Passage) -> Fact:
    """A fact with its ends spelt as in the passage, and the one labelled that is the passage's title."""
    head, tail = (as_written(name, passage) or name for name in (fact.head, fact.tail))
    labels = ["TITLE" if normal(name) == normal(passage.title) else "" for name in (head, tail)]
    return replace(fact, head=head, tail=tail, head_label=labels[0], tail_label=labels[1])
