"""Reads answers with the configured language model; what the passages do not bear out does not count, or is marked."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from polyhop.english.options import choices
from polyhop.errors import UsageError
from polyhop.models.choice import Models
from polyhop.prompts import support
from polyhop.prompts.answer_by_heart import answer_by_heart
from polyhop.prompts.borne_out import VERDICTS, contains, told, words_of
from polyhop.prompts.read_answer import AnswerPart, ReadAnswer, read_answer
from polyhop.prompts.support import CopiedQuote
from polyhop.reading.enumerations import items_at
from polyhop.reading.reader import Quote, Reading
from polyhop.types import AnswerKind, ConfidenceKind, Evidence, Passage

logger = logging.getLogger(__name__)

UNPROVEN: Final = 0.2  # confidence in what the model holds for established, and no quotation bears out
NAMED: Final = 6  # words of an item that is a name; longer ones tell something, in words of their own
GUESSED: Final = 0.1  # in what it holds for likely only


@dataclass(frozen=True, kw_only=True)
class Grounded:
    """Asks the language model, which has to quote what bears its answer out.

    ``prompts/borne_out.py`` has the rule.
    """

    stance: Literal["cautious", "best"] = "cautious"  # best: what cannot be borne out is answered too, and marked
    brief: bool = False  # on: in as few words as possible, as in the papers; off: in the shape that is asked for
    threshold: float = 0.3  # of the confidence, for stance=cautious: below, nothing is found; 0: nothing is checked
    max_tokens: int = 2000  # that the model may write

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1 or self.max_tokens < 1:
            raise ValueError("threshold is 0 to 1, max_tokens at least 1")

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """The model's answer with its quotations, None where the passages do not have it.

        It sees what the strategy concluded, and has to quote passages for it all the same (StepChain, Eq. 11). The
        confidence is the share of its quotations that are genuine, times that of its parts that they bear out,
        ``GUESSED`` in what it only guesses, and 0 where it gives nothing, whatever it quotes. Raises UsageError without
        a language model, EndpointError, BudgetExceeded.
        """
        model = models.language_model
        if model is None:
            raise UsageError(
                "The reader 'grounded' needs a language model, and none is configured.",
                remedy="Set POLYHOP_BASE_URL and POLYHOP_MODEL, or use the reader 'trained'.",
            )
        if evidence.by_heart:
            best = self.stance == "best"
            said = answer_by_heart(model, question, brief=self.brief, best=best, max_tokens=self.max_tokens)
            reading = _Judged(question, said, ()).reading("best", self.threshold)  # marked, but never withheld
            return replace(reading, note="answered by heart: no passage was looked for")
        passages = [one for one in evidence.passages if one.id not in evidence.aside] or list(evidence.passages)
        answer = read_answer(
            model,
            question,
            passages,
            findings=evidence.synthesis,
            supplied=evidence.supplied,
            brief=self.brief,
            best=self.stance == "best",
            max_tokens=self.max_tokens,
        )
        reading = _Judged(question, answer, passages).reading(self.stance, self.threshold)
        if answer.broken and reading.text is None:
            logger.warning(
                "%s did not answer in the form that was asked for, and nothing that counts could be read from what it "
                "wrote: the documents may have an answer all the same. Use a larger model, or one that supports "
                "structured output.",
                model.name,
            )
        return reading


@dataclass(frozen=True)
class _Judged:
    """What a model read, part by part held against what it quotes."""

    question: str
    answer: ReadAnswer
    passages: Sequence[Passage]

    def reading(self, stance: Literal["cautious", "best"], threshold: float) -> Reading:
        """The answer; where the stance is cautious, none that nothing bears out, and no such item of a list.

        Unless nothing has to be borne out at all: then it is what the model holds for established.
        """
        borne_out = {part: self._borne_out(part) for part in self.answer.parts}
        answer = self.answer
        if stance == "cautious" and threshold and answer.shape == "list":
            answer = replace(answer, parts=tuple(part for part in answer.parts if borne_out[part]))
        proven = sum(borne_out[part] for part in answer.parts)
        share = proven / len(answer.parts) if answer.parts else 0.0
        genuine = len(answer.quotes) / (len(answer.quotes) + answer.dropped) if answer.quotes else 0.0
        sure = genuine * share if answer.found else 0.0  # what it only calls likely is a guess, whatever it quotes
        confidence = (sure or (UNPROVEN if answer.found else GUESSED)) if answer.parts else 0.0
        given = answer.text is not None and (stance == "best" or (answer.found and sure >= threshold))
        return Reading(
            text=answer.text if given else None,
            kind=self._kind(),
            items=self._items(answer, borne_out) if given else (),
            quotes=self._quotes(answer.quotes),
            confidence=confidence,
            confidence_kind=ConfidenceKind.QUOTED if sure else ConfidenceKind.CHANCE,
            grounded=given and answer.found and proven == len(answer.parts),
            note=self._note(proven, withheld="" if given else answer.text or ""),
            cost=answer.cost,
            learnt=answer.learnt,
            lacking=answer.lacking,
            withheld=not given and (self.answer.broken or (self.answer.found and bool(self.answer.parts))),
        )

    def _borne_out(self, part: AnswerPart) -> bool:
        """Whether a part's quotations bear it out, or all quotations do: a model may count them wrongly."""
        texts = support.texts(self.passages)
        explained = self.answer.shape == "list" and len(words_of(part.text)) > NAMED
        rule = told if explained or self.answer.shape in ("text", "steps") else contains
        each = (part.quotes, self.answer.quotes)
        quoted = ([support.quoted(quote, self.passages) for quote in some] for some in each)
        return any(rule(part.text, self.question, some, texts) for some in quoted) or self._is_listed(part)

    def _is_listed(self, part: AnswerPart) -> bool:
        """Whether the part of a list is a quoted item of an enumeration, which says no more than the thing itself."""
        if self.answer.shape != "list":
            return False
        words = words_of(part.text)
        texts = ((self.passages[quote.passage_index].text, quote) for quote in part.quotes)
        return any(
            words <= words_of(text[start:end])
            for text, quote in texts
            for start, end in items_at(text, quote.start, quote.end)
            if quote.start < end and start < quote.end
        )

    def _quotes(self, copied: Sequence[CopiedQuote]) -> tuple[Quote, ...]:
        return tuple(Quote(self.passages[quote.passage_index], quote.start, quote.end) for quote in copied)

    def _items(
        self, answer: ReadAnswer, borne_out: dict[AnswerPart, bool]
    ) -> tuple[tuple[str, *tuple[Quote, ...]], ...]:
        """The parts of an answer of several, each with what bears it out."""
        if answer.shape == "short" or len(answer.parts) < 2:
            return ()
        return tuple(
            (part.text, *(self._quotes(part.quotes or answer.quotes) if borne_out[part] else ()))
            for part in answer.parts
        )

    def _kind(self) -> AnswerKind:
        if self.answer.shape in ("list", "steps"):
            return AnswerKind.LIST
        if self.answer.shape == "text":
            return AnswerKind.PROSE
        text = (self.answer.text or "").strip(" .").lower()
        if text in VERDICTS:
            return AnswerKind.VERDICT
        offered = [option.lower() for option in choices(self.question) or ()]
        return AnswerKind.CHOICE if text and any(text in option for option in offered) else AnswerKind.VALUE

    def _note(self, proven: int, withheld: str) -> str:
        """What was checked, in words, and which answer is not given because of it."""
        answer = self.answer
        broken = "; the model did not answer in the form that was asked for" if answer.broken else ""
        if not answer.parts:
            return f"the passages do not establish an answer{broken}"
        return (
            f"{f'{withheld!r} is withheld: ' if withheld else ''}"
            f"{len(answer.quotes)} quotations are genuine, {answer.dropped} are not; they bear out {proven} of "
            f"{len(answer.parts)} parts of the answer{broken}"
        )
