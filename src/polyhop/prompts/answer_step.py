"""Answers a sub-question from evidence chains and the passages behind them (StepChain, section 3.4, Eq. 9)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.models.accounting import WastedOutput
from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel, Message
from polyhop.prompts import support
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced, fitted
from polyhop.prompts.earlier_steps import EarlierStep, earlier_blocks, one_line
from polyhop.prompts.support import CopiedQuote
from polyhop.types import Cost, Passage

log = logging.getLogger(__name__)

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"support": support.SCHEMA, "answer": {"type": "string"}, "sufficient": {"type": "boolean"}},
    "required": ["support", "answer", "sufficient"],
    "additionalProperties": False,
}

_SYSTEM = """You answer one step of a plan: a simple question that was looked up on its own. You see numbered \
passages. Answer from what you are shown and from nothing else. What you remember about the world does not count, not \
even as a guess.
"""

_CHAINS = """
- The chains are facts that a program took from the passages: A -(r)-> B says that A stands in the relation r to B, \
and A <-(r)- B that B stands in it to A; [2] after a fact says that passage 2 states it. They show how things hang \
together, and may be wrong: where a chain and a passage differ, the passage decides. A chain is no passage: never \
quote it."""

_EARLIER = """
- What earlier steps found may be taken as given."""

_LARGER = """
- The larger question shows what the step is for. Answer the step, with a thing of the kind that the larger question \
needs. Where several fit, take the one that fits the larger question best."""

_OUTPUT = f"""
- "support": the sentences that establish the answer, as few as do, {support.MOST} at most: the number of the passage \
and the sentence, copied letter for letter, without the sentence's number in front. Do not shorten, join or correct \
what you copy. An answer that is worked out, such as a sum or a comparison, is supported by the sentences that it is \
worked out from.
- "answer": one thing, in as few words as possible: a name, a date, a number, yes or no. Where the step asks for \
several, name all. Where the passages make an answer likely without establishing it, write that one as a guess. Empty \
where they point to none.
- "sufficient": whether the passages establish the answer. What plainly follows from a sentence is established. A \
guess is not sufficient, and neither is an answer to some other question.

{DATA_RULE}

Output JSON: {{"support": [{{"passage": 1, "quote": "..."}}], "answer": "...", "sufficient": true or false}}."""

_NO_ANSWER = frozenset({"", "n/a", "none", "not found", "not stated", "null", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAnswer:
    """What a step found, None for nothing; whether it is established; its quotations; how many were not genuine.

    An answer without a genuine quotation is never sufficient, whatever the model says.
    """

    text: str | None
    sufficient: bool
    quotes: tuple[CopiedQuote, ...]
    dropped: int
    cost: Cost


def answer_step(
    model: LanguageModel,
    question: str,
    chains: Sequence[str],
    passages: Sequence[Passage],
    *,
    known: Sequence[EarlierStep] = (),
    larger: str = "",
    max_tokens: int = 400,
) -> StepAnswer:
    """The answer to a sub-question, with every quotation located in the passages; without passages nobody is asked.

    ``known`` holds earlier sub-questions with their answers, ``larger`` the question that all of them are steps to; the
    model is told of what it is shown, and of nothing else.
    Where the model's output cannot be used, the step has no answer. Raises EndpointError, BudgetExceeded.
    """
    if not passages:
        return StepAnswer(text=None, sufficient=False, quotes=(), dropped=0, cost=Cost())
    blocks, system = support.shown(passages), _SYSTEM
    if chains:
        blocks.append(PromptBlock("CHAINS", "\n".join(map(one_line, chains))))
        system += _CHAINS
    if known:
        blocks += earlier_blocks(known)
        system += _EARLIER
    if larger and larger != question:
        blocks.append(PromptBlock("LARGER QUESTION", larger))
        system += _LARGER
    blocks.append(PromptBlock("QUESTION", question))
    rules = support.rules(system + _OUTPUT, passages)
    messages = (Message("system", rules), Message("user", fenced(fitted(blocks, model))))
    try:
        content, cost = complete_json(model, messages, SCHEMA, max_tokens)
    except WastedOutput as wasted:
        log.warning("The step %r is not answered: %s", question, wasted)
        return StepAnswer(text=None, sufficient=False, quotes=(), dropped=0, cost=wasted.cost)
    quotes, dropped = support.placed(content["support"], passages)
    text = _answer(content["answer"], said=content["sufficient"])
    established = content["sufficient"] and text is not None and bool(quotes)
    return StepAnswer(text=text, sufficient=established, quotes=quotes, dropped=dropped, cost=cost)


def _answer(text: str, *, said: bool) -> str | None:
    """The answer on one line; "unknown" is none, unless the model says that the passages establish it."""
    answer = one_line(text)
    return answer if answer and (said or answer.casefold().rstrip(".") not in _NO_ANSWER) else None
