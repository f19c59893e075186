"""Has a language model say what a follow-up question means without the questions before it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from polyhop.english.question import mentions
from polyhop.ports import LanguageModel, Message
from polyhop.prompts.asking import asked
from polyhop.prompts.blocks import DATA_RULE, QUESTION, PromptBlock, fenced, fitted
from polyhop.prompts.schemas import Schema, closed, listed, some_text

log = logging.getLogger(__name__)

LONGEST = 600  # characters of a question that stands alone; what is longer has the thread copied into it
SCHEMA: Schema = closed(points_back=listed("string", maxItems=8), question=some_text())

_SYSTEM = f"""You prepare questions for a search in documents. You see earlier questions of a conversation, each with \
its answer where it had one, and a further QUESTION. The search does not see the conversation: write the QUESTION so \
that it means the same on its own.

First list under "points_back" each word of it that points back, with what it stands for, such as "she = Ada Brisk"; \
also what is left out and understood from before. Then write the question.

- Put names in place of pronouns and of descriptions such as "that town". Complete what is left out: "And her \
teacher?" asks about her teacher what was asked before about her.
- Take names over exactly as they are written. Keep every name and number of the QUESTION. Add none that the \
conversation does not have.
- Add nothing else, and do not answer it. A question that stands alone already is written as it is.

{DATA_RULE}

Output JSON: {{"points_back": [...], "question": "..."}}. Two examples, after "Who painted The Salt Harvest?" with the \
answer "Ivo Carr", for "Where did he die?" and for "What about The Long Noon?":
{{"points_back": ["he = Ivo Carr"], "question": "Where did Ivo Carr die?"}}
{{"points_back": ["what about = who painted"], "question": "Who painted The Long Noon?"}}"""

_AGAIN = "That question cannot be used: {fault} Write the JSON again with this put right."


def standalone_question(model: LanguageModel, question: str, earlier: Sequence[tuple[str, str | None]]) -> str | None:
    """The question as it stands alone after earlier ones with their answers.

    None where the model gives no usable one, also when told what is wrong: one that has lost a name or a number of the
    question, or has one that nobody mentioned. Raises EndpointError, BudgetExceeded.
    """
    messages = [Message("system", _SYSTEM), Message("user", fenced(_shown(model, question, earlier)))]
    said = " ".join([question, *(text for pair in earlier for text in pair if text)])
    for _ in range(2):
        content = asked(model, messages, SCHEMA, max_tokens=300, in_vain="The question is not made to stand alone")
        if content is None:
            return None
        written = " ".join(content["question"].split())
        fault = wrong_with(written, question, said)
        if fault is None:
            return written
        messages += [Message("assistant", written), Message("user", _AGAIN.format(fault=fault))]
    log.warning("The question is not made to stand alone: %s", fault)
    return None


def _shown(model: LanguageModel, question: str, earlier: Sequence[tuple[str, str | None]]) -> list[PromptBlock]:
    """The question and those before it with their answers, of which the oldest make way where there is no room."""
    blocks: list[PromptBlock] = []
    for number, (before, answer) in enumerate(earlier, 1):
        blocks.append(PromptBlock(f"EARLIER QUESTION {number}", before))
        blocks += [PromptBlock(f"ITS ANSWER {number}", answer)] if answer else []
    newest_first = sorted(blocks, key=lambda block: int(block.label.split()[-1]), reverse=True)
    blocks.append(PromptBlock(QUESTION, question))
    kept = {block.label: block for block in fitted([*newest_first, blocks[-1]], model)}
    return [kept[block.label] for block in blocks if block.label in kept]


def wrong_with(written: str, question: str, said: str) -> str | None:
    """What is wrong with a question that is to stand alone, in words that a model can act upon; None for nothing.

    ``said`` is all that was said by then, the question itself among it.
    """
    if len(written) > LONGEST:
        return f"it has {len(written)} characters, and {LONGEST} is the most."
    lost = [term for term in _fixed(question) if not _holds(written, term)]
    if lost:
        return f"it has lost {', '.join(map(repr, lost))}."
    added = [term for term in _fixed(written) if not all(_holds(said, word) for word in term.split())]
    if added:
        return f"nobody mentioned {', '.join(map(repr, added))}."
    return None


def _fixed(text: str) -> tuple[str, ...]:
    """What may be neither lost nor invented: names, and words with digits."""
    numbers = (word.strip(".,;:!?()\"'“”") for word in text.split() if any(letter.isdigit() for letter in word))
    return tuple(dict.fromkeys([*(name.removesuffix("'s") for name in mentions(text)), *numbers]))


def _holds(text: str, term: str) -> bool:
    return term.casefold() in text.casefold()
