"""Drafts an answer with its reasoning; what the draft says is searched for next (Iter-RetGen, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, passage_blocks
from polyhop.prompts.schemas import Schema, closed
from polyhop.types import Passage

MAX_REASONING = 1000  # characters; the rest would drown the question when both are searched for
MAX_ANSWER = 200  # characters; anything longer is no short answer
SCHEMA: Schema = closed(reasoning="string", answer="string")

_SYSTEM = f"""You draft an answer to a question. You see the question and passages that a search found for it. Your \
draft will be searched for next, so that it should sound like the documents that establish the answer.

- "reasoning": two to four short sentences that go from what the question names to its answer, one step each. Write \
names out in full where the passages give them; write no "he", "it" or "that film". Where the passages lack a step, \
write what a document would say that had it, leaving out what you do not know.
- "answer": the answer in as few words as possible: a name, a date, a number, yes or no. Empty if you do not know it.

{DATA_RULE}

Output JSON: {{"reasoning": "...", "answer": "..."}}. An example, for "Where did the painter of The Salt Harvest \
study?": {{"reasoning": "The Salt Harvest was painted by Runa Vell. Runa Vell studied at", "answer": ""}}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftAnswer:
    """A draft: its reasoning and its short answer, each empty where the model gave none."""

    reasoning: str
    answer: str

    @property
    def text(self) -> str:
        """Both in one line, to be searched for."""
        return " ".join(part for part in (self.reasoning, self.answer) if part)


def draft_answer(model: LanguageModel, question: str, passages: Sequence[Passage]) -> DraftAnswer:
    """What the model takes for the answer, given these passages; an empty draft where it says nothing usable.

    Raises EndpointError, BudgetExceeded.
    """
    blocks = [*passage_blocks(passages), PromptBlock("QUESTION", question)]
    in_vain = "The search ends here, because no draft is to be had"
    draft = asked(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=400, in_vain=in_vain)
    if draft is None:
        return DraftAnswer(reasoning="", answer="")
    reasoning, answer = (" ".join(draft[name].split()) for name in ("reasoning", "answer"))
    return DraftAnswer(reasoning=reasoning[:MAX_REASONING], answer=answer[:MAX_ANSWER])
