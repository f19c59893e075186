"""Answers sub-questions from evidence chains and the passages behind them (StepChain, section 3.4, Eq. 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.ports import LanguageModel, Message
from polyhop.prompts import support
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, WHICH_ONE, PromptBlock
from polyhop.prompts.borne_out import tells
from polyhop.prompts.earlier_steps import EarlierStep, earlier_blocks, one_line, quoted
from polyhop.prompts.schemas import Schema, closed, listed
from polyhop.prompts.support import CopiedQuote
from polyhop.types import Passage

_ANSWER: Mapping[str, str | Schema] = {"support": support.SCHEMA, "answer": "string", "sufficient": "boolean"}
SCHEMA: Schema = closed(**_ANSWER)
TOGETHER: Schema = closed(answers=listed(closed(question="integer", **_ANSWER)))

_SYSTEM = """You answer one step of a plan, a simple question, from numbered passages and from nothing else. What you \
remember about the world does not count, not even as a guess.
"""

_SEVERAL = """You answer steps of a plan, simple questions with numbers, from numbered passages and from nothing else. \
What you remember about the world does not count, not even as a guess. Answer each step by itself, from whichever \
passages tell it.
"""

_CHAINS = """
- The chains are facts that a program took from the passages: A -(r)-> B says that A stands in the relation r to B, \
and A <-(r)- B that B stands in it to A; [2] after a fact says that passage 2 states it. They may be wrong: where a \
chain and a passage differ, the passage decides. Never quote a chain."""

_EARLIER = """
- What earlier steps found may be taken as given. A sentence that was quoted for one may be quoted again where a \
passage has it."""

_SUPPOSED = """
- What a step marked A GUESS found is not established. Answer as if it were right."""

_GUESSED = """
- The block GUESS holds an answer that was read before, with sentences that make it likely and do not establish it. \
Passages that were not read then are among these. Confirm the guess, correct it or replace it, with quotations as for \
any answer. Where nothing speaks for another answer, give it again, as a guess."""

_LARGER = """
- The larger question shows what a step is for. Answer the step, with a thing of the kind that the larger question \
needs; where several fit it alike, take the one that fits the larger question best."""

_RULES = f"""
- "support": the sentences that establish the answer, as few as do, {support.MOST} at most: the number of the passage \
and the sentence, copied letter for letter. Do not shorten, join or correct it. An answer that is worked out, such as \
a sum, is supported by the sentences that it is worked out from.
- "answer": in as few words as possible: a name, a date, a number, a reason, yes or no. {WHICH_ONE} Where \
the passages make an answer likely without establishing it, write that one as a guess. Empty where they point to none.
- "sufficient": whether the passages establish the answer. What plainly follows from a sentence is established. A \
guess is not sufficient, and neither is an answer to some other question.

{DATA_RULE}

"""

_OUTPUT = """Output JSON: \
{"support": [{"passage": 1, "quote": "..."}], "answer": "...", "sufficient": true or false}."""

_OUTPUTS = """Output JSON, with an answer for each question: {"answers": [{"question": 1, "support": [{"passage": 1, \
"quote": "..."}], "answer": "...", "sufficient": true or false}, ...]}."""

MOST_TOGETHER = 4  # questions that one call answers: what each is shown has to be read for it alone
_NO_ANSWER = frozenset({"", "n/a", "none", "not found", "not stated", "null", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAnswer:
    """What a step found, None for nothing; whether it is established; its quotations; how many were not genuine.

    An answer that its genuine quotations do not tell is never sufficient, whatever the model says: what comes after it
    would go on from an invention.
    """

    text: str | None
    sufficient: bool
    quotes: tuple[CopiedQuote, ...]
    dropped: int
    usable: bool = True  # whether the model said anything of the step; otherwise nobody knows what the passages say


def answer_step(
    model: LanguageModel,
    question: str,
    chains: Sequence[str],
    passages: Sequence[Passage],
    *,
    known: Sequence[EarlierStep] = (),
    larger: str = "",
    guess: EarlierStep | None = None,
) -> StepAnswer:
    """The answer to a sub-question, with every quotation located in the passages; without passages nobody is asked.

    ``known`` holds earlier sub-questions with their answers, ``larger`` the question that all of them are steps to; the
    model is told of what it is shown, and of nothing else. ``guess`` is what an earlier reading held for likely.
    Where the model's output cannot be used, the step is not answered. Raises EndpointError, BudgetExceeded.
    """
    if not passages:
        return _nothing()
    messages = _messages(model, [question], chains, passages, known, larger, guess)
    in_vain = f"The step {question!r} is not answered"
    content = asked(model, messages, SCHEMA, max_tokens=400, in_vain=in_vain)
    return _nothing(usable=False) if content is None else _read(content, question, passages)


def answer_together(
    model: LanguageModel,
    questions: Sequence[str],
    chains: Sequence[str],
    passages: Sequence[Passage],
    *,
    known: Sequence[EarlierStep] = (),
    larger: str = "",
) -> tuple[StepAnswer, ...]:
    """The answers to several sub-questions that need nothing of each other, in one call, in their order.

    A question that the model leaves out is not answered. Raises EndpointError, BudgetExceeded.
    """
    if not passages:
        return tuple(_nothing() for _ in questions)
    messages = _messages(model, questions, chains, passages, known, larger, None)
    in_vain = f"The steps {list(questions)} are not answered"
    content = asked(model, messages, TOGETHER, max_tokens=400 * len(questions), in_vain=in_vain)
    answers = [] if content is None else content["answers"]
    said = {one["question"]: one for one in reversed(answers)}  # of two answers to one question the first
    return tuple(
        _read(said[number], question, passages) if number in said else _nothing(usable=False)
        for number, question in enumerate(questions, 1)
    )


def _messages(
    model: LanguageModel,
    questions: Sequence[str],
    chains: Sequence[str],
    passages: Sequence[Passage],
    known: Sequence[EarlierStep],
    larger: str,
    guess: EarlierStep | None,
) -> tuple[Message, Message]:
    several = len(questions) > 1
    blocks, system = support.shown(passages), _SEVERAL if several else _SYSTEM
    if chains:
        blocks.append(PromptBlock("CHAINS", "\n".join(map(one_line, chains))))
        system += _CHAINS
    if known:
        blocks += earlier_blocks(known, passages)
        system += _EARLIER + ("" if all(step.established for step in known) else _SUPPOSED)
    if guess is not None:
        blocks.append(PromptBlock("GUESS", "\n".join((one_line(guess.answer), *quoted(guess)))))
        system += _GUESSED
    if larger and larger not in questions:
        blocks.append(PromptBlock("LARGER QUESTION", larger))
        system += _LARGER
    labels = [f"QUESTION {number}" for number in range(1, len(questions) + 1)] if several else ["QUESTION"]
    blocks += [PromptBlock(label, question) for label, question in zip(labels, questions, strict=True)]
    rules = support.rules(system + _RULES + (_OUTPUTS if several else _OUTPUT), passages)
    return about(model, rules, blocks)


def _read(content: Mapping[str, Any], question: str, passages: Sequence[Passage]) -> StepAnswer:
    quotes, dropped = support.placed(content["support"], passages)
    text = _answer(content["answer"], said=content["sufficient"])
    quoted = [support.quoted(quote, passages) for quote in quotes]
    told = text is not None and tells(text, question, quoted, support.texts(passages))
    established = content["sufficient"] and told
    return StepAnswer(text=text, sufficient=established, quotes=quotes, dropped=dropped)


def _nothing(*, usable: bool = True) -> StepAnswer:
    return StepAnswer(text=None, sufficient=False, quotes=(), dropped=0, usable=usable)


def _answer(text: str, *, said: bool) -> str | None:
    """The answer on one line; "unknown" is none, unless the model says that the passages establish it."""
    answer = one_line(text)
    return answer if answer and (said or answer.casefold().rstrip(".") not in _NO_ANSWER) else None
