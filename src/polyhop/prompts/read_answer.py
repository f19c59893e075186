"""Reads the answer out of passages, in the shape that the question asks for, with quotations that are checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from polyhop.documents.sentences import sentence_spans
from polyhop.models.structured import mended, spoken
from polyhop.ports import LanguageModel
from polyhop.prompts import support
from polyhop.prompts.asking import about, understood
from polyhop.prompts.blocks import DATA_RULE, WHICH_ONE, PromptBlock
from polyhop.prompts.lacking import Lacking
from polyhop.prompts.schemas import Schema, closed, listed, one_of
from polyhop.prompts.support import CopiedQuote
from polyhop.types import Cost, Passage

Shape = Literal["short", "list", "steps", "text"]
SHAPES: Final[tuple[Shape, ...]] = ("short", "list", "steps", "text")
MOST_QUOTES: Final = 24

_SUPPORT: Final[Schema] = {**support.SCHEMA, "maxItems": MOST_QUOTES}
BRIEF: Final[Schema] = closed(support=_SUPPORT, found="boolean", answer="string")
_PART: Final[Schema] = closed(text="string", support=listed("integer"))
SCHEMA: Final[Schema] = closed(support=_SUPPORT, found="boolean", shape=one_of(SHAPES), answer=listed(_PART))

_SYSTEM = """You answer a question from numbered passages{stance}

- "support": for each step to the answer, the number of the passage and the sentence that says it, copied letter for \
letter. Do not shorten, join or correct what you copy; of a long table or list copy only what matters. Among them has \
to be the sentence that holds the answer itself, in its own words; for a comparison, a count or a yes or no, the \
sentences that it follows from, one for each thing that is compared or counted. A title counts, too, but is not copied.
- "found": whether these sentences establish the answer. If not, "support" holds what {nearest}, or nothing.
"""

_BRIEF = """- "answer": the answer in as few words as possible: a name, a date, a number, a phrase, yes or no{unsure}. \
{which}

{rule}

Output JSON: {{"support": [{{"passage": 1, "quote": "..."}}], "found": true or false, {further}"answer": "..."}}."""

_FULL = """- "shape": what the question asks for. "short": a name, a date, a number, yes or no. "list": several \
things. "steps": how something is done. "text": an explanation, a description or a summary.
- "answer": the answer in parts{unsure}. Of a short answer one part, in as few words as possible, as the passages \
write it. Of a list one part for each thing. Of steps one for each, in order. Of a text one for each sentence: as many \
as the question needs and no more, in the language of the question. Copy code and commands letter for letter, with \
their line breaks. Each part has its "text", and in "support" the numbers of those entries of "support" above that say \
it: 1 is the first. {which}

{rule}

Output JSON: {{"support": [{{"passage": 2, "quote": "..."}}], "found": true or false, {further}"shape": "short", \
"answer": [{{"text": "...", "support": [1]}}]}}."""

# By stance, what an answer may rest on: where the two are told in one prompt, they contradict each other.
_CAUTIOUS: Final[Mapping[str, str]] = {
    "stance": " and from nothing else. What you remember about the world does not count: if the passages together do "
    "not establish the answer, say so.",
    "nearest": "comes nearest to it",
    "unsure": '; empty if "found" is false',
}
_BEST: Final[Mapping[str, str]] = {
    "stance": ". Only these establish an answer. Where they do not, give the likeliest one all the same, and say that "
    "it is not established.",
    "nearest": "speaks for the answer that you give",
    "unsure": "; never empty. Where the passages do not establish one, the likeliest that they leave open, or else the "
    'one that you remember or hold for most likely, with "found" false',
}

_FINDINGS = """

The block FINDINGS holds what was concluded on the way to you. Use it to see which passages matter and how they fit \
together. It may be wrong: where it differs from the passages, the passages decide. It is no passage: never quote it, \
but what it quotes from a passage here may be copied from there."""

_LOOSE: Final = {"type": "object", "required": ["answer"]}
NAME: Final = 5  # words; what is longer is a sentence
_TYPED_RANGE: Final = re.compile(r"(?<=\d) ?-- ?(?=\d)")  # 1950 -- 1953, as typewriters write it
_FENCE: Final = re.compile(r"\A```[\w-]*\n(.*)\n```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A name, an item, a step or a sentence of an answer, with the quotations that it is said to rest on."""

    text: str
    quotes: tuple[CopiedQuote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """An answer in parts, none where there is none; its quotations; how many of the model's were not genuine.

    ``found``: whether the model holds that the passages establish it. ``broken``: that the output was not in the form
    that was asked for, even after a repair, and what could be understood of it is here. ``learnt``: the answers to what
    was looked up, each of which may be empty; ``lacking``: the questions that have to be looked up before it is found.
    """

    parts: tuple[AnswerPart, ...]
    found: bool
    shape: Shape
    quotes: tuple[CopiedQuote, ...]
    dropped: int
    cost: Cost
    broken: bool = False
    learnt: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def quoted(self) -> bool:
        """Whether the model holds that there is an answer, and quotes a passage for it."""
        return self.found and bool(self.parts) and bool(self.quotes)

    @property
    def text(self) -> str | None:
        """The parts together, with white space inside them as it was written."""
        if not self.parts:
            return None
        texts = [part.text for part in self.parts]
        if self.shape == "steps":
            return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
        if self.shape == "list":
            return _enumerated(texts)
        return "".join(_joined(before, text) for before, text in zip(["", *texts], texts, strict=False))


def read_answer(
    model: LanguageModel,
    question: str,
    passages: Sequence[Passage],
    *,
    findings: str = "",
    supplied: Sequence[str] | None = None,
    brief: bool = False,
    best: bool = False,
    max_tokens: int = 2000,
) -> ReadAnswer:
    """The answer that the passages give, with every quotation located in them; what is in none of them is dropped.

    ``findings`` is what a strategy concluded (StepChain, Eq. 11); the model sees it, and it proves nothing.
    ``supplied``: the questions that were looked up because it lacked them; None: it is not asked what it lacks.
    ``brief``: in as few words as possible, whatever is asked. ``best``: the likeliest answer where the passages give
    none. Raises EndpointError, BudgetExceeded.
    """
    if not passages:
        return ReadAnswer(parts=(), found=False, shape="short", quotes=(), dropped=0, cost=Cost())
    concluded = [PromptBlock("FINDINGS", findings.strip())] if findings.strip() else []
    lacking = Lacking(supplied)
    blocks = [*support.shown(passages), *concluded, *lacking.blocks, PromptBlock("QUESTION", question)]
    told = (_SYSTEM + lacking.rules + (_BRIEF if brief else _FULL)).format(
        rule=DATA_RULE, which=WHICH_ONE, further=lacking.example, **(_BEST if best else _CAUTIOUS)
    )
    system = support.rules(told + (_FINDINGS if concluded else ""), passages)
    messages = about(model, system, blocks)
    plain = (BRIEF, SCHEMA) if brief else (SCHEMA, BRIEF)
    wanted, other = map(lacking.said_in, plain)
    also = (other, *plain)  # a reply that says nothing of what it lacks is as good
    content, cost, broken = understood(model, messages, wanted, max_tokens, otherwise=_understood, also=also)
    return _read(content, passages, cost, broken=broken)


def _read(content: Mapping[str, Any], passages: Sequence[Passage], cost: Cost, *, broken: bool) -> ReadAnswer:
    copied = content["support"]
    placed = [support.placed([one], passages) for one in copied]
    each = [quotes for quotes, _ in placed]
    answer = content["answer"]
    said: Sequence[Mapping[str, Any]]
    said = [{"text": answer, "support": range(1, len(each) + 1)}] if isinstance(answer, str) else answer
    short = content.get("shape", "short") == "short"
    parts = tuple(
        AnswerPart(
            text=_worded(part["text"], short=short),
            quotes=tuple(quote for at in part["support"] if 0 < at <= len(each) for quote in each[at - 1]),
        )
        for part in said
        if part["text"].strip()
    )
    return ReadAnswer(
        parts=parts,
        found=content["found"],
        shape=content.get("shape", "short"),
        quotes=tuple(dict.fromkeys(quote for quotes in each for quote in quotes)),
        dropped=sum(dropped for _, dropped in placed),
        cost=cost,
        broken=broken,
        learnt=tuple(one.strip() for one in content.get("learnt", ())),
        lacking=tuple(one.strip() for one in content.get("lacking", ()) if one.strip()),
    )


def _worded(text: str, *, short: bool) -> str:
    return _TYPED_RANGE.sub("–", text.strip()) if short else text.strip()


def answer_so_far(content: Mapping[str, Any]) -> str:
    """The text of an answer whose JSON is still being written; empty where nothing was found, or nothing is there yet.

    Once all of it is there, this is the answer that ``read_answer`` gives.
    """
    if content.get("found") is False:
        return ""
    texts = [
        one["text"] for one in map(_part, _listed(content.get("answer"))) if one is not None and one["text"].strip()
    ]
    shape = content.get("shape", "short" if len(texts) < 2 else "list")
    parts = tuple(AnswerPart(text=_worded(text, short=shape == "short")) for text in texts)
    return ReadAnswer(parts=parts, found=True, shape=shape, quotes=(), dropped=0, cost=Cost()).text or ""


def _understood(text: str) -> dict[str, Any]:
    """What can be understood of an output that is not in the form that was asked for: JSON of another form, or text."""
    content = mended(text, _LOOSE)
    if content is None:
        without_json = "" if mended(text, {"type": "object"}) else spoken(text).strip()
        return _of_plain_text(without_json)
    copied = [one for one in map(_copied, _listed(content.get("support"))) if one is not None]
    parts = [one for one in map(_part, _listed(content["answer"])) if one is not None]
    shape = content.get("shape")
    shapes = "short" if len(parts) == 1 else "list"
    return {
        "support": copied[:MOST_QUOTES],
        "found": content.get("found") is not False and bool(parts),
        "shape": shape if shape in SHAPES else shapes,
        "answer": [{**one, "support": one["support"] or list(range(1, len(copied) + 1))} for one in parts],
    }


def _of_plain_text(text: str) -> dict[str, Any]:
    """An answer in words alone: each sentence may be a quotation of its own, and rests on nothing else."""
    fence = _FENCE.match(text)
    inner = fence[1] if fence else text
    sentences = [inner[start:end] for start, end in sentence_spans(inner)] if inner.strip() else []
    return {
        "support": [{"passage": 1, "quote": sentence} for sentence in sentences],
        "found": bool(sentences),
        "shape": "text" if len(inner.split()) > NAME else "short",
        "answer": [{"text": sentence, "support": [number]} for number, sentence in enumerate(sentences, 1)],
    }


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _copied(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        return {"passage": 1, "quote": value}
    if not isinstance(value, dict) or not isinstance(value.get("quote"), str):
        return None
    passage = value.get("passage")
    return {"passage": passage if isinstance(passage, int) else 1, "quote": value["quote"]}


def _part(value: Any) -> dict[str, Any] | None:
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, str | int | float):
        return {"text": str(value), "support": []}
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return None
    return {"text": value["text"], "support": [one for one in _listed(value.get("support")) if isinstance(one, int)]}


def _enumerated(texts: Sequence[str]) -> str:
    """Items in one line: set apart by semicolons where one has a comma in it, without full stops where all have one."""
    plain = [text.removesuffix(".") for text in texts] if all(text.endswith(".") for text in texts) else texts
    return ("; " if any(", " in text for text in plain) else ", ").join(plain)


def _joined(before: str, text: str) -> str:
    """A part behind the one before it: on a line of its own where either has several lines."""
    if not before:
        return text
    return ("\n" if "\n" in before or "\n" in text else " ") + text
