"""Answers a question from what the model remembers: the baseline without retrieval, where no passage is shown."""

from __future__ import annotations

from typing import Final

from polyhop.models.structured import mended, spoken
from polyhop.ports import LanguageModel, Message
from polyhop.prompts.asking import understood
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced
from polyhop.prompts.read_answer import NAME, AnswerPart, ReadAnswer
from polyhop.prompts.schemas import Schema, closed

SCHEMA: Final[Schema] = closed(reasoning="string", answer="string")

_SYSTEM = f"""You answer a question from memory. No documents are shown to you, and none can be looked up.

- "reasoning": what you remember that leads to the answer, one short sentence for each step, with the names of things.
- "answer": {{shape}} {{unsure}}

{DATA_RULE}

Output JSON: {{{{"reasoning": "...", "answer": "..."}}}}."""

_BRIEF = "the answer in as few words as possible: a name, a date, a number, yes or no."
_FULL = "the answer in the shape and the language that the question asks for, and no longer than it needs."
_CAUTIOUS = "Empty if you do not know it."
_BEST = "If you are not sure, what you hold for most likely; never empty."

_LOOSE: Final = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


def answer_by_heart(
    model: LanguageModel, question: str, *, brief: bool = False, best: bool = False, max_tokens: int = 2000
) -> ReadAnswer:
    """What the model answers without a passage; nothing bears it out, so that it never counts as found.

    ``brief`` and ``best``: as for ``read_answer``. Raises EndpointError, BudgetExceeded.
    """
    system = _SYSTEM.format(shape=_BRIEF if brief else _FULL, unsure=_BEST if best else _CAUTIOUS)
    messages = (Message("system", system), Message("user", fenced([PromptBlock("QUESTION", question)])))
    content, cost, broken = understood(model, messages, SCHEMA, max_tokens, otherwise=_said)
    text = content["answer"].strip()
    return ReadAnswer(
        parts=(AnswerPart(text=text),) if text else (),
        found=False,
        shape="short" if len(text.split()) <= NAME else "text",
        quotes=(),
        dropped=0,
        cost=cost,
        broken=broken,
    )


def _said(text: str) -> dict[str, str]:
    """The answer in an output of another form than was asked for: in other JSON, or in plain words."""
    content = mended(text, _LOOSE)
    if content is not None:
        return {"answer": str(content["answer"])}
    return {"answer": "" if mended(text, {"type": "object"}) else spoken(text)}
