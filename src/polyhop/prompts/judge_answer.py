"""Judges whether an answer says what the reference says: the language model as a judge (QCG-RAG, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about
from polyhop.prompts.blocks import DATA_RULE, PromptBlock
from polyhop.prompts.schemas import Schema, closed

SCHEMA: Schema = closed(reason="string", correct="boolean")

_SYSTEM = f"""You mark an answer to a question against the reference, which is right. What you remember about the \
world does not count, and neither does how an answer is worded.

- The answer is correct if it commits itself to what the reference says: all of it that the question asks for. \
Other words, another spelling, another way to write a date or a number, more detail and a sentence around it do no harm.
- It is not correct if it contradicts the reference anywhere, names something else or several things of which one is \
meant, leaves out a part that was asked for, stays vaguer than the question wants, or says that it does not know.
- Where several references are given, each is right on its own: one that agrees suffices.
- Where the reference is NONE, nothing that is known answers the question. Then an answer is correct only if it says \
so; any other answer, however likely, is not.
- "reason": in one line, what agrees, or what is wrong.
- "correct": true or false.

{DATA_RULE}

Output JSON: {{"reason": "...", "correct": true or false}}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether an answer is correct, and why, on one line."""

    correct: bool
    reason: str


def judge_answer(model: LanguageModel, question: str, answer: str | None, references: Sequence[str]) -> Judgement:
    """Whether the answer agrees with one of the references; the same texts are judged the same way.

    None stands for abstaining, which is right exactly where there is no reference; nobody is asked about it. Raises
    EndpointError, OutputInvalid, BudgetExceeded.
    """
    if answer is None:
        reason = "there is an answer, and none was given" if references else "nothing is known, and nothing was said"
        return Judgement(correct=not references, reason=reason)
    known = [PromptBlock(f"REFERENCE {number}", text) for number, text in enumerate(references, 1)]
    blocks = [
        PromptBlock("QUESTION", question),
        *(known or [PromptBlock("REFERENCE", "NONE")]),
        PromptBlock("ANSWER", answer),
    ]
    content, _ = complete_json(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=200)
    return Judgement(correct=content["correct"], reason=" ".join(content["reason"].split()))
