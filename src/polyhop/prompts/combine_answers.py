"""Answers a sub-question from what earlier ones found: a comparison, a choice, a count (StepChain, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock
from polyhop.prompts.earlier_steps import EarlierStep, earlier_blocks, one_line
from polyhop.prompts.schemas import Schema, closed

SCHEMA: Schema = closed(reason="string", follows="boolean", answer="string")

_SYSTEM = f"""Earlier steps looked things up in documents. You see each step's question, its answer and sentences of \
the documents that say so. Decide whether the answer to one more question follows from these answers alone: by \
comparing them, choosing between them, counting or calculating. What you remember about the world does not count.

- "reason": in one sentence, how the answer follows, or what is missing.
- "follows": whether it follows. A question that asks for something else about what was found, such as a place, a \
date or a name that is not there yet, does not follow: it will be looked up.
- "answer": the answer in as few words as possible: a name, a number, yes or no. Empty if it does not follow. A \
question that offers a choice is answered with one of the things that it offers, as the question writes it.

{DATA_RULE}

Output JSON: {{"reason": "...", "follows": true or false, "answer": "..."}}. Two examples:
Found: When was the Tide Mill built? 1702; when was the Corn Mill built? 1688. Asked: Which is older, the Tide Mill \
(1702) or the Corn Mill (1688)?
{{"reason": "1688 is before 1702.", "follows": true, "answer": "the Corn Mill"}}
Found: Who painted The Salt Harvest? Ilse Dorn; who taught Ilse Dorn? Jorun Vey. Asked: In which town did Ilse Dorn \
and Jorun Vey both live?
{{"reason": "No step says where either of them lived.", "follows": false, "answer": ""}}"""


def combine_answers(model: LanguageModel, question: str, steps: Sequence[EarlierStep]) -> str | None:
    """The answer to a question that earlier answers settle, None where they do not.

    Nobody is asked where there are fewer than two. Raises EndpointError, BudgetExceeded.
    """
    if len(steps) < 2:
        return None
    blocks = [*earlier_blocks(steps), PromptBlock("QUESTION", question)]
    in_vain = f"The step {question!r} is not answered from earlier ones"
    content = asked(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=200, in_vain=in_vain)
    follows = content is not None and content["follows"]
    return (one_line(content["answer"]) or None) if follows else None
