"""Reads the answer out of passages, with quotations that are checked against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel, Message
from polyhop.prompts import support
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced
from polyhop.prompts.support import CopiedQuote
from polyhop.types import Cost, Passage

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"support": support.SCHEMA, "found": {"type": "boolean"}, "answer": {"type": "string"}},
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

_FINDINGS = """

The block FINDINGS holds what was concluded on the way to you. Use it to see which passages matter and how they fit \
together. It may be wrong: where it differs from the passages, the passages decide. It is no passage: never quote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """An answer, None where the passages do not have it; its quotations; how many of the model's were not genuine."""

    text: str | None
    quotes: tuple[CopiedQuote, ...]
    dropped: int
    cost: Cost

    @property
    def grounded(self) -> bool:
        """Whether there is an answer and a passage that is quoted for it."""
        return self.text is not None and bool(self.quotes)


def read_answer(
    model: LanguageModel, question: str, passages: Sequence[Passage], *, findings: str = "", max_tokens: int = 700
) -> ReadAnswer:
    """The answer that the passages give, with every quotation located in them; what is in none of them is dropped.

    ``findings`` is what a strategy concluded (StepChain, Eq. 11); the model sees it, and it proves nothing. Raises
    EndpointError, OutputInvalid, BudgetExceeded.
    """
    if not passages:
        return ReadAnswer(text=None, quotes=(), dropped=0, cost=Cost())
    concluded = [PromptBlock("FINDINGS", findings.strip())] if findings.strip() else []
    blocks = [*support.shown(passages), *concluded, PromptBlock("QUESTION", question)]
    system = support.rules(_SYSTEM + (_FINDINGS if concluded else ""), passages)
    content, cost = complete_json(
        model, (Message("system", system), Message("user", fenced(blocks))), SCHEMA, max_tokens
    )
    quotes, dropped = support.placed(content["support"], passages)
    answer = " ".join(content["answer"].split())
    return ReadAnswer(text=answer if content["found"] and answer else None, quotes=quotes, dropped=dropped, cost=cost)
