"""Writes the next sentence of a chain of thought, which is searched for next (IRCoT, section 3.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, passage_blocks
from polyhop.prompts.schemas import Schema, closed
from polyhop.types import Passage

MAX_THOUGHT = 400  # characters; anything longer is no sentence
SCHEMA: Schema = closed(thought="string")

_SYSTEM = f"""You answer a question by thinking one sentence at a time. You see passages that searches have found so \
far, the question, and your thoughts up to here. Write the next one, and nothing after it: it will be searched for, \
and you will see what it finds.

- A thought is one short sentence that adds one step to the thoughts before it. Write names out in full; write no \
"he", "it" or "that film".
- Rely on the passages. Where they lack the next step, write the beginning of the sentence that a document would have.
- Once the thoughts suffice, the next one is "So the answer is: X", where X is the answer in as few words as possible: \
a name, a date, a number, yes or no.

{DATA_RULE}

Output JSON: {{"thought": "..."}}. An example, for "Where did the painter of The Salt Harvest study?", in three turns: \
{{"thought": "The Salt Harvest was painted by Runa Vell."}}, {{"thought": "Runa Vell studied at the Ostel Academy."}}, \
{{"thought": "So the answer is: the Ostel Academy"}}"""

_ANSWER: Final = re.compile(r"\b(?:so )?the (?:final )?answer is\b\s*:?\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextThought:
    """A thought, empty where the model gave none; and the answer, None unless the thought says it."""

    text: str
    answer: str | None


def next_thought(
    model: LanguageModel, question: str, passages: Sequence[Passage], thoughts: Sequence[str]
) -> NextThought:
    """One more sentence of the chain of thought; of several that the model writes, the first counts.

    A thought that was there before counts as none. Raises EndpointError, BudgetExceeded.
    """
    blocks = [*passage_blocks(passages), PromptBlock("QUESTION", question)]
    blocks += [PromptBlock(f"THOUGHT {number}", thought) for number, thought in enumerate(thoughts, 1)]
    in_vain = "The search ends here, because no thought is to be had"
    verdict = asked(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=200, in_vain=in_vain)
    if verdict is None:
        return NextThought(text="", answer=None)
    said = " ".join(verdict["thought"].split())
    thought = said[slice(*sentence_spans(said)[0])][:MAX_THOUGHT] if said else ""
    if thought.casefold() in {known.casefold() for known in thoughts}:
        thought = ""
    return NextThought(text=thought, answer=answer_in(thought))


def answer_in(thought: str) -> str | None:
    """What a thought such as ``So the answer is: 1841.`` gives as the answer; None where it gives none."""
    found = _ANSWER.search(thought)
    return found[1].strip().removesuffix(".").strip() if found else None
