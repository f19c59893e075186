"""Splits a question into steps that can be looked up one after the other."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from polyhop.planning.filling import filled
from polyhop.plans import REFERENCE
from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock
from polyhop.prompts.earlier_steps import EarlierStep, one_line, quoted
from polyhop.prompts.schemas import Schema, closed, listed, some_text

log = logging.getLogger(__name__)

MAX_STEPS = 6
SCHEMA: Schema = closed(steps=listed(some_text(), minItems=1, maxItems=MAX_STEPS))

_SYSTEM = f"""You plan how to answer a question from a collection of documents. Split it into the fewest simple \
questions, each of which one document can answer.

- Write #1 for the answer to the first step, #2 for the answer to the second, and so on. A step may refer only to \
steps before it.
- Take names over exactly as the question writes them. Add no names and no facts of your own.
- A comparison looks up each side in a step of its own; its last step compares them, and names what is compared.
- Where several things are known of what is sought, look up each in a step of its own; the last step asks what they \
have in common.
- A question that one document can answer is one step: the question itself.
- At most {MAX_STEPS} steps.

{DATA_RULE}

Output JSON: {{"steps": [...]}}. Three examples, for "Who was the teacher of the painter of The Salt Harvest?", for \
"Was the Tide Mill built before the Corn Mill?" and for "Which singer appeared at Ossby Hall in 1931 and in the opera \
Rain?":
{{"steps": ["Who painted The Salt Harvest?", "Who was the teacher of #1?"]}}
{{"steps": ["When was the Tide Mill built?", "When was the Corn Mill built?", \
"Is the date of the Tide Mill, #1, before that of the Corn Mill, #2?"]}}
{{"steps": ["Which singers appeared at Ossby Hall in 1931?", "Which singers appeared in the opera Rain?", \
"Who is named both among #1 and among #2?"]}}"""

_KNOWN = """

The question was split before, and some steps were tried. They are shown with what they found and a sentence that says \
so, as A GUESS where that is likely and not established, or as NOT ANSWERED. Plan only what is still missing:

- Write what an earlier step found into the new steps by name; do not ask for it again. Go on from a guess in the same \
way where its sentence fits the question. Nothing is known about a step that was not answered.
- Do not ask a step that was not answered again, not in other words either. Find another way: start from another name \
in the question, go through another thing that is connected with both, ask from the other side, or split the step \
into smaller ones. Where there is no other way, give the question itself as the only step.
- The new steps are numbered from #1, and refer only to each other."""


def decompose(model: LanguageModel, question: str, *, known: Sequence[EarlierStep] = ()) -> tuple[str, ...]:
    """Up to six sub-questions in which ``#1`` stands for the answer to the first (Eq. 6).

    ``known`` holds the steps of an earlier plan, in words that refer to nothing, with what they came to: the new steps
    then lead to what is missing, by another way. Nothing where the model gives no usable plan, or asks again for what
    was not found; the question itself where it is the only step.

    Raises EndpointError, BudgetExceeded.
    """
    tried = [_block(number, step) for number, step in enumerate(known, 1)]
    messages = about(model, _SYSTEM + (_KNOWN if known else ""), [PromptBlock("QUESTION", question), *tried])
    plan = asked(model, messages, SCHEMA, max_tokens=400, in_vain="The question is not decomposed")
    if plan is None:
        return ()
    steps = tuple(" ".join(step.split()) for step in plan["steps"])
    if not well_formed(steps):
        log.warning("The question is not decomposed: the plan %s does not hold together.", steps)
        return ()
    steps = without_known(steps, [(step.question, step.answer if _leads_on(step) else None) for step in known])
    failed = {_key(step.question) for step in known if not _leads_on(step)}
    if any(_key(step) in failed for step in steps):
        log.info("The question is not decomposed again: the plan %s repeats a step that was not answered.", steps)
        return ()
    return steps if known or len(steps) > 1 else (question,)


def well_formed(steps: Sequence[str]) -> bool:
    """Whether there are one to six steps, none empty, each referring only to steps before it."""
    return 0 < len(steps) <= MAX_STEPS and all(
        step.strip() and all(0 < int(number) <= index for number in REFERENCE.findall(step))
        for index, step in enumerate(steps)
    )


def without_known(steps: Sequence[str], known: Sequence[tuple[str, str | None]]) -> tuple[str, ...]:
    """The steps of a well-formed plan that are not answered yet, with known answers in place of references to them."""
    answers = {_key(question): found for question, found in known if found and not REFERENCE.search(found)}
    kept: list[str] = []
    meant: list[str] = []  # what a reference to each step becomes
    for step in steps:
        rewritten = filled(step, REFERENCE, {f"#{number}": one for number, one in enumerate(meant, 1)})
        found = answers.get(_key(rewritten))
        if found is None:
            kept.append(rewritten)
        meant.append(f"#{len(kept)}" if found is None else found)
    return tuple(kept)


def _leads_on(step: EarlierStep) -> bool:
    """Whether a step has an answer from which one may go on: also a guess, where a sentence was quoted for it."""
    return bool(step.answer) and (step.established or bool(step.quotes))


def _block(number: int, step: EarlierStep) -> PromptBlock:
    """A step that was tried; what became of it is part of the block's mark, where no text can imitate it."""
    if not step.answer:
        return PromptBlock(f"STEP {number}, NOT ANSWERED", one_line(step.question))
    status = "ANSWERED" if step.established else "A GUESS"
    found = (one_line(step.question), one_line(step.answer), *quoted(step, 1))
    return PromptBlock(f"STEP {number}, {status}", "\n".join(found))


def _key(question: str) -> str:
    return " ".join(question.split()).casefold().rstrip(" ?.")
