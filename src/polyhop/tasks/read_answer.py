"""Reads the answer out of passages, with quotations that are checked against them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel, Message
from polyhop.tasks.blocks import DATA_RULE, Block, fenced
from polyhop.tasks.quotes import cuts_word, locate
from polyhop.types import Cost, Passage

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "support": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"passage": {"type": "integer"}, "quote": {"type": "string"}},
                "required": ["passage", "quote"],
                "additionalProperties": False,
            },
            "maxItems": 12,
        },
        "found": {"type": "boolean"},
        "answer": {"type": "string"},
    },
    "required": ["support", "found", "answer"],
    "additionalProperties": False,
}

_SYSTEM = f"""You answer a question from numbered passages and from nothing else. What you remember about the world \
does not count: if the passages together do not establish the answer, say so.

- "support": for each step to the answer, the number of the passage and the sentence that says it, copied letter for \
letter, without the sentence's number in front. Do not shorten, join or correct what you copy.
- "found": whether these sentences establish the answer.
- "answer": the answer in as few words as possible: a name, a date, a number, yes or no. Empty if nothing was found.

{DATA_RULE}

Output JSON: {{"support": [{{"passage": 1, "quote": "..."}}], "found": true or false, "answer": "..."}}."""

_SENTENCE_NUMBER = re.compile(r"\(s\d+\)\s?", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\n\s*")
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[\.{3}\]|\[…\])\s*")


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of one of the passages that were read: its index in their order, offsets into its text."""

    passage_index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """An answer, None where the passages do not have it; its quotations; how many of the model's were not genuine."""

    text: str | None
    quotes: tuple[Quote, ...]
    dropped: int
    cost: Cost

    @property
    def grounded(self) -> bool:
        """Whether there is an answer and a passage that is quoted for it."""
        return self.text is not None and bool(self.quotes)


def read_answer(
    model: LanguageModel, question: str, passages: Sequence[Passage], *, max_tokens: int = 700
) -> ReadAnswer:
    """The answer that the passages give, with every quotation located in them; what is in none of them is dropped.

    Raises EndpointError, OutputInvalid, BudgetExceeded.
    """
    if not passages:
        return ReadAnswer(text=None, quotes=(), dropped=0, cost=Cost())
    blocks = [Block(f"PASSAGE {number}", _numbered(passage)) for number, passage in enumerate(passages, 1)]
    blocks.append(Block("QUESTION", question))
    messages = (Message("system", _SYSTEM), Message("user", fenced(blocks)))
    content, cost = complete_json(model, messages, SCHEMA, max_tokens)
    texts = [passage.text for passage in passages]
    placed = [_placed(item["quote"], item["passage"] - 1, texts) for item in content["support"]]
    quotes = tuple(dict.fromkeys(quote for found in placed for quote in found))
    answer = " ".join(content["answer"].split())
    return ReadAnswer(
        text=answer if content["found"] and answer else None,
        quotes=quotes,
        dropped=sum(not found for found in placed),
        cost=cost,
    )


def _numbered(passage: Passage) -> str:
    lines = (f"(s{number}) {sentence}" for number, sentence in enumerate(_sentences(passage.text), 1))
    return "\n".join((f"Title: {passage.title}", *lines))


def _sentences(text: str) -> Iterator[str]:
    """Sentences by their punctuation, in any script: good enough to point at, and nothing is lost between them."""
    return (sentence for sentence in _SENTENCE_END.split(text) if sentence.strip())


def _placed(quote: str, index: int, texts: Sequence[str]) -> list[Quote]:
    """Where a quotation stands: as written, else its parts around an ellipsis, all of them or none."""
    plain = _SENTENCE_NUMBER.sub("", quote).strip()
    for parts in ([quote.strip()], [plain], [part for part in _ELLIPSIS.split(plain) if part]):
        found = [_anywhere(part, index, texts) for part in parts]
        places = [place for place in found if place is not None]
        if places and len(places) == len(found):
            return places
    return []


def _anywhere(quote: str, index: int, texts: Sequence[str]) -> Quote | None:
    """The passage that the model named comes first; but a genuine quotation under a wrong number is still genuine."""
    if not any(character.isalnum() for character in quote):
        return None
    for candidate in sorted(range(len(texts)), key=lambda other: other != index):
        span = locate(quote, texts[candidate])
        if span is not None and not cuts_word(texts[candidate], *span):
            return Quote(candidate, *span)
    return None
