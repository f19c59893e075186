"""Puts together what the sub-questions of a question have found (StepChain, section 3.6, Eq. 10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about, asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock
from polyhop.prompts.earlier_steps import one_line
from polyhop.prompts.schemas import Schema, closed, listed, some_text

LONGEST: Final = 2000  # characters of what is handed on
SHOWN_CHAINS: Final = 3  # of one step
SHOWN_QUOTES: Final = 3
SHOWN_SUMMARIES: Final = 8
_SUMMARY: Final = 600  # characters of one that a model sees
_QUOTE: Final = 400  # characters of a quotation
_PART: Final = 200  # characters of a question, an answer, a chain or a summary in the plain text
_CONFLICT: Final = 300  # characters of a contradiction that the model names
SCHEMA: Schema = closed(conflicts=listed("string", maxItems=6), findings=some_text())

_SYSTEM = f"""A question was split into steps, and each step was looked up on its own. Put together what they found, \
for a reader who will answer the question from the documents. You do not answer it yourself. The reader sees neither \
the steps nor their numbers: speak of people and things by their names, and of no "step 2".

- A step marked ESTABLISHED has its answer from the documents, and where sentences were quoted for it, they are \
shown. A step marked NOT ESTABLISHED has none, or a guess: never state a guess as a fact, but say that it is one where \
the other steps fit it. Background tells what surrounds the steps, and proves nothing.
- A chain A -(r)-> B says that A stands in the relation r to B, and A <-(r)- B that B stands in it to A.
- "conflicts": where steps contradict each other or the background: who says what, which one you follow, and why. An \
established step comes before a guess and before the background; what a chain bears out comes before what none does. \
Empty if there are none.
- "findings": in two to five sentences, how the steps fit together: which names are the same thing, what leads from \
one step to the next, what is compared with what. Say what several steps found only once, and say what is missing. \
Use the names as the steps write them, and add nothing that you remember.

{DATA_RULE}

Output JSON: {{"conflicts": ["..."], "findings": "..."}}."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A sub-question with its answer, a guess unless it is established, None for nothing; and what is behind it."""

    question: str
    answer: str | None
    established: bool
    chains: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()  # sentences of documents; where there are some, chains are not shown
    supposing: bool = False  # whether the answer follows from the guess at an earlier step

    @property
    def fact(self) -> str | None:
        """The answer on one line where it is established."""
        return (one_line(self.answer or "") or None) if self.established else None


def merge_answers(
    model: LanguageModel, question: str, answered: Sequence[Answered], summaries: Sequence[str] = ()
) -> str:
    """What the steps and the community summaries say together, at most LONGEST characters.

    Contradictions are named, and so is each step that is not established, whatever the model writes. Nobody is asked
    where there is nothing to put together: fewer than two texts, or nothing established. Where the model's output
    cannot be used, the text is that of ``merged_offline``. Raises EndpointError, BudgetExceeded.
    """
    facts = sum(one.fact is not None for one in answered)
    if len(answered) + len(summaries) < 2 or facts + len(summaries) == 0:
        return merged_offline(question, answered, summaries)
    blocks = [PromptBlock(f"STEP {number}, {_status(one)}", _shown(one)) for number, one in enumerate(answered, 1)]
    background = enumerate(_nearest(question, answered, summaries), 1)
    blocks += [PromptBlock(f"BACKGROUND {number}", _clipped(summary, _SUMMARY)) for number, summary in background]
    blocks.append(PromptBlock("QUESTION", question))
    in_vain = "The answers are put together without the model"
    content = asked(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=400, in_vain=in_vain)
    if content is None:
        return merged_offline(question, answered, summaries)
    conflicts = [f"Conflict: {_clipped(one, _CONFLICT)}" for one in content["conflicts"] if one.strip()]
    findings = _clipped(content["findings"], LONGEST // 2)
    return _within([findings, *_missing(_by_question(answered), findings), *conflicts])


def plainly_together(answered: Sequence[Answered]) -> str | None:
    """What the steps found, a line each, where that needs no putting together; None where it does.

    That is where none has two answers: a guess is told as one, and what is quoted for an answer stands behind it.
    """
    groups = _by_question(answered)
    if not answered or any(len(_facts(group)) > 1 for group in groups):
        return None
    return _within([*_found(groups), *_missing(groups)])


def merged_offline(question: str, answered: Sequence[Answered], summaries: Sequence[str] = ()) -> str:
    """The same as plain text, without a model: one line a sub-question, then how the summaries begin.

    A sub-question that was asked twice has one line; where its established answers differ, the line names them all.
    """
    groups = _by_question(answered)
    background = [_clipped(one, _PART) for one in _nearest(question, answered, summaries)]
    return _within([*_found(groups), *_missing(groups), *(f"Background: {one}" for one in background)])


def _by_question(answered: Sequence[Answered]) -> list[list[Answered]]:
    """What was answered, with the same sub-question's answers side by side."""
    groups: dict[str, list[Answered]] = {}
    for one in answered:
        groups.setdefault(_key(one.question), []).append(one)
    return list(groups.values())


def _found(asked: Sequence[Sequence[Answered]]) -> Iterator[str]:
    """A line for each sub-question with an established answer, in order."""
    for group in asked:
        answers = _facts(group)
        if len(answers) == 1:
            because = _because([one for one in group if one.fact is not None])
            yield f"Established: {_clipped(group[0].question, _PART)} {_clipped(answers[0], _PART)}{because}"
        elif answers:
            differing = " or ".join(_clipped(answer, _PART) for answer in answers)
            yield f"Contradictory: {_clipped(group[0].question, _PART)} {differing}"


def _facts(group: Sequence[Answered]) -> list[str]:
    """The established answers to a sub-question, each once however it is spelt."""
    spelt: dict[str, str] = {}
    for one in group:
        if one.fact is not None:
            spelt.setdefault(_key(one.fact), one.fact)
    return list(spelt.values())


def _missing(asked: Sequence[Sequence[Answered]], said: str = "") -> Iterator[str]:
    """A line for each sub-question without an established answer, with the first guess at it.

    A guess that was told already, or is among what was ``said``, is not told again.
    """
    told = {""}
    for group in asked:
        if any(one.fact is not None for one in group):
            continue
        guesses = [one for one in group if one_line(one.answer or "")]
        guess = one_line(guesses[0].answer or "") if guesses else ""
        line = f"Not established: {_clipped(group[0].question, _PART)}"
        if _key(guess) not in told and not _says(said, guess):
            if_so = "If the guess before it is right, " if guesses[0].supposing else "Perhaps "
            line += f" {if_so}{_clipped(guess, _PART)}{_because(guesses[:1])}"
        told.add(_key(guess))
        yield line


def _says(text: str, guess: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(_key(guess))}(?!\w)", one_line(text).casefold()) is not None


def _because(group: Sequence[Answered]) -> str:
    """What the first of these answers rests on, in brackets: a whole sentence, which may be quoted again."""
    quotes = [_clipped(quote, _QUOTE) for one in group for quote in one.quotes[:1]]
    chains = [_clipped(chain, _PART) for one in group for chain in one.chains[:1] if one.fact is not None]
    return next((f" ({text})" for text in (*quotes, *chains)), "")


def _nearest(question: str, answered: Sequence[Answered], summaries: Sequence[str]) -> list[str]:
    """The summaries that share most words with the question and what is established, each once."""
    sought = _words(" ".join([question, *(one.fact or "" for one in answered)]))
    distinct = [one for one in dict.fromkeys(map(one_line, summaries)) if one]
    return sorted(distinct, key=lambda one: -len(sought & _words(one)))[:SHOWN_SUMMARIES]


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3}  # shorter ones say little


def _status(one: Answered) -> str:
    """Part of the block's mark, where no text can imitate it."""
    return "NOT ESTABLISHED" if one.fact is None else "ESTABLISHED"


def _shown(one: Answered) -> str:
    behind = [f"Quoted: {_clipped(quote, _QUOTE)}" for quote in one.quotes[:SHOWN_QUOTES]]
    behind = behind or [f"Chain: {one_line(chain)}" for chain in one.chains[:SHOWN_CHAINS]]
    said = one_line(one.answer or "")
    guess = "Guess, if the guess before it is right" if one.supposing else "Guess"
    found = f"{guess if one.fact is None else 'Answer'}: {said}" if said else "Nothing was found."
    return "\n".join((f"Question: {one_line(one.question)}", found, *behind))


def _within(lines: Sequence[str]) -> str:
    """The first lines that together have at most LONGEST characters."""
    ends = accumulate(len(line) + 1 for line in lines)
    return "\n".join(line for line, end in zip(lines, ends, strict=True) if end <= LONGEST + 1)


def _clipped(text: str, most: int) -> str:
    """The text on one line, cut between words where there are spaces."""
    line = one_line(text)
    if len(line) <= most:
        return line
    cut = line[: most - 2]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[most // 2 :] else cut} …"


def _key(text: str) -> str:
    return one_line(text).casefold().rstrip(" .?!")
