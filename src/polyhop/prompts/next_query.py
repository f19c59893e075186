"""Decides what to search for next, or that the evidence suffices (the loop of KG-Translator's appendix M)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, passage_blocks
from polyhop.prompts.schemas import Schema, closed
from polyhop.types import Passage

Search = tuple[str, Sequence[Passage]]
MAX_QUERY = 300  # characters; anything longer is no search query
SCHEMA: Schema = closed(reasoning="string", next_query={"type": ["string", "null"]})

_SYSTEM = f"""You gather evidence for a question, one search at a time. You see the question and the searches made so \
far, each before the passages that it was the first to find.

First think, in at most three sentences under "reasoning": which links of the chain to the answer do the \
passages establish, and which is the first that they do not? Rely on the passages alone, not on what you remember.
Then write under "next_query" the one short question that would find the missing link. Put the names that the \
passages revealed into it in place of descriptions such as "the director of that film". Do not repeat a search already \
made: one that found nothing new may be put in other words, or with another name that the passages connect with what \
is missing. If the passages suffice to answer the question, end the reasoning with the answer, and write null; write \
null also where no further search promises anything.

{DATA_RULE}

Output JSON: {{"reasoning": "...", "next_query": "..." or null}}."""

_IN_VAIN = "(It found no passage that is not shown already.)"
_NOTHING = frozenset({"", "null", "none", "n/a"})
# What is added to a thought, or stands for one, where the search ends.
_ENOUGH = "(It asks for nothing more.)"
_AGAIN = "(It asks for what was searched for already.)"
_UNUSABLE = "(Its reply cannot be used.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextQuery:
    """What the model decided: what to search for next, or None where nothing more is to be had."""

    query: str | None
    thought: str  # why, on one line: in the model's words, or what is wrong with them
    nothing_missing: bool  # whether the model itself says that no search is wanted


def next_query(model: LanguageModel, question: str, searches: Sequence[Search]) -> NextQuery:
    """The next search query, or that the evidence suffices or the model knows no further.

    ``searches``: what was searched for, and the passages that each brought and none before it. Raises EndpointError,
    BudgetExceeded.
    """
    blocks = [PromptBlock("QUESTION", question)]
    passages = iter(passage_blocks([one for _, new in searches for one in new]))
    for number, (query, new) in enumerate(searches, 1):
        blocks.append(PromptBlock(f"SEARCH {number}", query if new else f"{query}\n{_IN_VAIN}"))
        blocks += islice(passages, len(new))
    in_vain = "The search ends here, because no next query is to be had"
    verdict = asked(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=400, in_vain=in_vain)
    if verdict is None:
        return NextQuery(query=None, thought=_UNUSABLE, nothing_missing=False)
    wanted = " ".join((verdict["next_query"] or "").split())[:MAX_QUERY]
    thought = " ".join(verdict["reasoning"].split())
    if wanted.casefold() in _NOTHING:
        return NextQuery(query=None, thought=f"{thought} {_ENOUGH}".strip(), nothing_missing=True)
    if wanted.casefold() in {" ".join(known.split()).casefold() for known, _ in searches}:  # it would find nothing new
        return NextQuery(query=None, thought=f"{thought} {_AGAIN}".strip(), nothing_missing=False)
    return NextQuery(query=wanted, thought=thought, nothing_missing=False)
