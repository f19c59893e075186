"""Writes the questions that passages answer, with the answers, several passages a call (QCG-RAG, section 3.3)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polyhop.indexes.names import normal
from polyhop.ports import Failure
from polyhop.prompts.batches import Batches
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced
from polyhop.prompts.pair_grounding import Grounding, place_of
from polyhop.prompts.question_forms import FORMS, lacking
from polyhop.prompts.schemas import Schema, closed, listed
from polyhop.types import GeneratedQuestion, Passage

PAIRS = 20  # of a passage
LONGEST_QUESTION = 400  # characters
LONGEST_ANSWER = 600

SCHEMA: Schema = closed(pairs=listed(closed(passage="integer", question="string", answer="string")))

_ANSWERS: Mapping[Grounding, str] = {
    "strict": """copied from the passage, letter for letter, in as few words as answer the question. Only where no \
stretch of the passage would do, change as few words as possible. Never "yes" or "no".""",
    "near": """copied from the passage, or nearly so, in as few words as answer the question: with the passage's own \
names and numbers, and as far as possible its other words. After a "yes" or "no" say what the passage says of it.""",
}

_SYSTEM = f"""You write down which questions numbered passages answer. Readers will ask questions of their own later, \
and theirs are compared with yours to find the passage. Write %d pairs of a question and its answer for each passage; \
fewer only where a passage says too little for so many that differ.

- "passage": the number of the passage that answers the question.
- "question": what somebody might ask who has not seen the passage and knows only that it may exist. It has to be \
answerable from this one passage and understandable alone: write names, titles and dates where the passage says "she", \
"it", "there" or "last week", and never "the passage" or "the text". \
A line "Date:" below a title is the day on which the passage was said.
- "answer": %s

Cover the whole passage: each person, thing, number, date and event, what was done, why and how, what somebody thinks \
or asks for, what came of it, what it is an example of, where its limits are. Ask about small facts as well as about \
the whole, in many forms by turns: %s. Ask as people do who want different things: to know, to make sure, to compare, \
to decide, to do it themselves; and in words of their own, not always in the passage's or in the same order. No two \
questions of a passage may ask for the same thing in other words. Write nothing that you remember or conclude. A \
passage of which nothing can be asked gets one pair, with an empty question and an empty answer.

{DATA_RULE}

Output JSON: {{"pairs": [...]}}. An example with two pairs, for a passage 1 with the title "The Salt Harvest" and the \
text "It was painted by Ilse Dorn in 1871, after a winter in Fennick.": {{"pairs": [\
{{"passage": 1, "question": "Who painted The Salt Harvest?", "answer": "Ilse Dorn"}}, \
{{"passage": 1, "question": "Where had Ilse Dorn spent the winter before she painted The Salt Harvest?", \
"answer": "Fennick"}}]}}"""

_MORE = """Some of this is missing, or cannot be kept.

{passages}

Write these pairs and no other, as JSON in the same form."""

_UNSAID = "ANSWERS THAT PASSAGE %d DOES NOT SAY"  # the label of a block
_OTHERS = "%d answers are not what it says, in its words. Write others instead."
_ANOTHER = "1 answer is not what it says, in its words. Write another instead."
_IN_OTHER_FORMS = """Many questions are alike in form. Write up to %d more in these forms, and none in a form for \
which the passage says too little: %s."""

# Without _ANOTHER, which says of one answer what _OTHERS says, and _UNSAID, under which it is shown again: questions
# that were paid for stay fresh.
PROMPT_VERSION = hashlib.sha256(
    f"{_SYSTEM}\n{_ANSWERS}\n{FORMS}\n{_MORE}\n{_OTHERS}\n{_IN_OTHER_FORMS}\n{json.dumps(SCHEMA)}".encode()
).hexdigest()[:12]
"""Identifies what the model is asked, but for the number of pairs: another prompt or schema gives other questions."""

_SPARE_ANSWER = 100  # tokens that every call may answer, and
_ANSWER_PER_PAIR = 70  # for each pair of each passage: about twice what one takes


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLimits:
    """How passages are packed into calls, and how much a call may answer."""

    text_tokens: int = 3000  # of the passages of one call, about; a longer passage has a call of its own
    passages: int = 3  # of one call, at most
    max_tokens: int | None = None  # of one answer, at most; none: by the number of pairs

    def __post_init__(self) -> None:
        if min(self.text_tokens, self.passages, self.max_tokens or 1) < 1 or self.max_tokens == 0:
            raise ValueError("text_tokens, passages and max_tokens must be at least 1")

    def answer(self, pairs: int) -> int:
        """Tokens that a call for so many pairs may answer."""
        return _SPARE_ANSWER + _ANSWER_PER_PAIR * pairs if self.max_tokens is None else self.max_tokens


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """The questions of a passage with their answers, in the model's order, and how many were rejected, by reason.

    ``question``: it says nothing or is too long. ``answer``: it says nothing, is too long, or the passage does
    not say it (see ``place_of``). ``duplicate``: the question was there before. ``passage``: a number
    that no passage has, counted with the first of a call that has any pair. ``surplus``: more pairs than were asked
    for.
    """

    questions: tuple[GeneratedQuestion, ...] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)


def batches(
    pairs: int = PAIRS, limits: QuestionLimits = QuestionLimits(), grounding: Grounding = "near"
) -> Batches[WrittenQuestions]:
    """The task: what comes of a passage is at most ``pairs`` questions. Raises ValueError for less than one.

    Where answers are not borne out, a passage has no pair at all, or questions are all of a few forms, the model is
    asked once more; where nothing has to be borne out, only for a passage without any pair. A passage that it has said
    nothing about even then is a failure.
    """
    if pairs < 1:
        raise ValueError("pairs must be at least 1")
    writer = _Writer(pairs, grounding)
    return Batches(
        system=_SYSTEM
        % (pairs, _ANSWERS["strict" if grounding == "strict" else "near"], "; ".join(writer.forms.values())),
        schema=SCHEMA,
        text_tokens=limits.text_tokens,
        passages=limits.passages,
        answer=lambda _, passages: limits.answer(pairs * passages),
        read=lambda answer, batch: [one.outcome for one in writer.kept(answer["pairs"], batch)],
        nothing=WrittenQuestions(),
        undone="questions",
        dated=True,
        more=lambda answer, batch: writer.wish(writer.kept(answer["pairs"], batch)),
        joined=lambda answer, further: {"pairs": [*answer["pairs"], *further["pairs"]]},
    )


@dataclass
class _Kept:
    """What is kept of the pairs of one passage."""

    pairs: dict[str, GeneratedQuestion] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)
    unsaid: list[str] = field(default_factory=list)  # pairs whose answers the passage does not say, as text
    silent: bool = False  # whether the model says that nothing can be asked

    @property
    def outcome(self) -> WrittenQuestions | Failure:
        """What comes of the passage."""
        if not (self.pairs or self.rejected or self.silent):
            return Failure("the language model wrote no questions about it")
        return WrittenQuestions(tuple(self.pairs.values()), self.rejected)


@dataclass(frozen=True, slots=True)
class _Writer:
    """What is kept of an answer, and what is missing of it."""

    most: int
    grounding: Grounding

    @property
    def forms(self) -> Mapping[str, str]:
        """The forms in which the model is to ask: without a stretch that answers, nothing is answered by yes or no."""
        return {form: said for form, said in FORMS.items() if self.grounding != "strict" or form != "whether"}

    def kept(self, items: Sequence[Mapping[str, Any]], batch: Sequence[Passage]) -> list[_Kept]:
        """What the passages bear out; the rest is counted where the model said that it belongs."""
        found = [_Kept() for _ in batch]
        strays = 0
        for item in items:
            named = 0 if len(batch) == 1 else item["passage"] - 1  # of one passage the number says nothing
            if not 0 <= named < len(batch):
                strays += 1
                continue
            one = found[named]
            if not item["question"].strip() and not item["answer"].strip():
                one.silent = True
                continue
            pair = self._pair(item, batch[named])
            if isinstance(pair, str):
                one.rejected[pair] += 1
                one.unsaid += [f"{item['question']} {item['answer']}"] if pair == "answer" else []
                continue
            key = normal(pair.question)
            fault = "duplicate" if key in one.pairs else "surplus" if len(one.pairs) == self.most else ""
            if fault:
                one.rejected[fault] += 1
            else:
                one.pairs[key] = pair
        for one in [one for one in found if one.pairs][:1]:
            one.rejected.update({"passage": strays} if strays else {})
        return found

    def _pair(self, item: Mapping[str, Any], passage: Passage) -> GeneratedQuestion | str:
        """A question with its answer and where that stands, or why it is rejected."""
        question, answer = (" ".join(item[key].split()) for key in ("question", "answer"))
        if not normal(question) or len(question) > LONGEST_QUESTION:
            return "question"
        if not normal(answer) or len(answer) > LONGEST_ANSWER:
            return "answer"
        span = place_of(question, answer, passage, self.grounding)
        if span is None:
            return "answer"
        return GeneratedQuestion(question=question, answer=answer, start=span[0], end=span[1])

    def wish(self, found: Sequence[_Kept]) -> str:
        """What to ask the model once more, or nothing where its answer suffices."""
        lines = [f"Passage {number}: {line}" for number, one in enumerate(found, 1) if (line := self._wish(one))]
        wishes = [_MORE.format(passages="\n".join(lines))] if lines else []
        unsaid = [PromptBlock(_UNSAID % number, "\n".join(one.unsaid)) for number, one in enumerate(found, 1)]
        blocks = [block for block in unsaid if block.text and lines]
        return "\n\n".join([*wishes, *([fenced(blocks)] if blocks else [])])

    def _wish(self, one: _Kept) -> str:
        room = self.most - len(one.pairs)
        if one.silent or not room:
            return ""
        unsaid = one.rejected["answer"]
        if not (one.pairs or unsaid):
            return "there is no pair. Write some or, if nothing can be asked of it, the empty one."
        if self.grounding == "off" and one.pairs:
            return ""  # what the model writes is kept as it is: nothing is asked for once more
        forms = lacking((pair.question for pair in one.pairs.values()), self.forms)
        parts = [_ANOTHER if unsaid == 1 else _OTHERS % unsaid] if unsaid else []
        if forms:
            wanted = "; ".join(self.forms[form] for form in forms)
            parts.append(_IN_OTHER_FORMS % (min(room, len(forms)), wanted))
        return " ".join(parts)
