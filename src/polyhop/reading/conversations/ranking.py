"""Which turn of a conversation, and which of its sentences, answers a question: the cross-encoder and who is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.models.choice import Models
from polyhop.reading.conversations.asked import ChatQuestion, stems
from polyhop.reading.conversations.utterances import Utterance
from polyhop.reading.conversations.wording import FORMULA, WONDERS_WHETHER

_BY_ASKING: Final = ("verdict", "moment")  # wishes that the turn which asks may fulfil itself
_WONDERS: Final = re.compile(
    r"(?:[\w'’]+,? ){0,2}?(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"(?! about\b| if\b| not\b| don['’]t\b| do you (?:think|say)\b)[^?？]*[?？]\W*\Z",
    re.IGNORECASE,
)
NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred"
    r"|thousand|once|twice|a (?:few|couple)|several|half|dozen|every|daily|weekly|monthly|free)\b",
    re.IGNORECASE,
)
"""What tells how many, how much or how often."""

_DATED: Final = 2.0  # words of the question that its day is worth at a glance
_SHORT: Final = 3  # words of a greeting or of thanks


UNHEARD: Final = -11.5  # the cross-encoder's logit for what has nothing to do with a question


@dataclass(frozen=True, slots=True)
class Ranked:
    """A turn or a sentence, and how well it seems to answer."""

    utterance: Utterance
    logit: float  # the cross-encoder's for it after what was said before
    score: float  # comparable within one question only


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Ranks turns, then their sentences; the weights are in logits."""

    turns: int = 16  # read by the cross-encoder
    kept: int = 4  # of them, whose sentences are read
    teller: float = 4.0  # who speaks is whom the question names first
    named: float = 0.3  # or later
    dated: float = 6.0  # the conversation took place on a day that the question names
    in_month: float = 3.0  # or in a month
    on_time: float = 4.0  # and at the hour that it names
    unheard: float = UNHEARD  # at least this
    covers: float = 6.0  # and times the share of the question's words that it has, or the question before it
    around: float = 4.0  # and times the share that its passage has
    rank: float = -0.3  # each passage before its own
    replies: float = 0.2  # it follows a question
    of_turn: float = 2.0  # what a sentence inherits of its turn's score
    alone: float = 0.25  # what a sentence's own logit counts beside that after what was said before
    echo: float = -0.25  # and that of the sentence before: what it said already is not to be counted again
    tells: float = 1.8  # each word that neither the question nor a name says
    most_told: int = 8  # such words that count
    opens: float = 3.5  # it opens its turn, so that nothing before it counts as said
    closes: float = -5.0  # it closes its turn: what comes last hands on
    exclaims: float = -2.0
    wonders: float = -3.0  # a turn that only asks what the question asks, too: its reply tells
    asks: float = 2.0  # it asks: suggestions do
    asked_for: float = 3.0  # and a question is asked for
    measures: float = 3.0  # it has a number, and an amount is asked for
    formula: float = -6.0  # it only thanks, or looks forward
    wonders_whether: float = -4.0  # it asks without a question mark, and no question is asked for
    repeats: float = -8.0  # it says nothing that the question does not

    def of_turns(self, asked: ChatQuestion, told: Sequence[Utterance], models: Models) -> list[Ranked]:
        """The turns that are likeliest to answer, best first: a glance at their words, then the cross-encoder."""
        wanted = asked.words
        glanced = sorted(told, key=lambda turn: (-_glance(turn, asked), turn.rank, turn.turn))[: self.turns]
        logits = models.reranker.score(asked.question, [turn.shown for turn in glanced]).tolist() if glanced else []
        texts = {turn.passage.id: turn.passage.text for turn in glanced}
        around = {passage: len(wanted & stems(text)) for passage, text in texts.items()}
        heard: list[Ranked] = []
        for turn, logit in zip(glanced, logits, strict=True):
            worded = self._worded(wanted, turn, around[turn.passage.id])
            heard.append(Ranked(turn, logit, max(logit, worded) + self._placed(asked, turn)))
        return sorted(self._handed_on(asked, heard, told), key=lambda one: -one.score)

    def of_sentences(self, asked: ChatQuestion, turns: Sequence[Ranked], models: Models) -> list[Ranked]:
        """The sentences of the best turns, best first."""
        heard: list[Ranked] = []
        for turn in turns[: self.kept]:
            sentences = turn.utterance.sentences()
            texts = [sentence.shown for sentence in sentences]
            texts += [f"{sentence.speaker}: {sentence.text}" for sentence in sentences]
            logits: list[float] = models.reranker.score(asked.question, texts).tolist()
            together, alone = logits[: len(sentences)], logits[len(sentences) :]
            for at, sentence in enumerate(sentences):
                worth = self.of_turn * turn.score + together[at] + self.alone * alone[at] + self._says(asked, sentence)
                worth += self.opens if at == 0 else self.echo * alone[at - 1]
                worth += self.closes * (at == len(sentences) - 1)
                heard.append(Ranked(sentence, max(together[at], alone[at]), worth))
        return sorted(heard, key=lambda one: -one.score)

    def _handed_on(self, asked: ChatQuestion, heard: Sequence[Ranked], told: Sequence[Utterance]) -> list[Ranked]:
        """Turns where those that only ask what the question asks hand their score on to the turn after them."""
        if asked.of_question or asked.wish in _BY_ASKING:
            return list(heard)
        turns = {turn.place: turn for turn in told}
        found = {one.utterance.place: one for one in heard}
        for one in heard:
            passage, turn = one.utterance.place
            reply = turns.get((passage, turn + 1))
            if reply is None or not _wonders(one.utterance.text):
                continue
            own = found.get(reply.place, one)
            found[reply.place] = Ranked(reply, max(own.logit, one.logit), max(own.score, one.score))
            found[one.utterance.place] = Ranked(one.utterance, one.logit, one.score + self.wonders)
        return list(found.values())

    def _worded(self, wanted: frozenset[str], turn: Utterance, around: int) -> float:
        """What its words alone are worth: the cross-encoder hears nothing in a short turn that speaks of "it"."""
        said = len(wanted & stems(f"{turn.before} {turn.speaker} {turn.text}"))
        return self.unheard + (self.covers * said + self.around * around) / max(1, len(wanted))

    def _placed(self, asked: ChatQuestion, turn: Utterance) -> float:
        """What it is worth who says it, when, in reply to what, and in which passage."""
        speaks = self.teller if turn.speaker == asked.teller else self.named * (turn.speaker in asked.named)
        speaks += self.replies * turn.before.endswith("?")
        in_month = turn.date[4:6].isdigit() and int(turn.date[4:6]) in asked.months
        clocked = asked.minute >= 0 and turn.date in asked.dates and turn.minute == asked.minute
        timely = self.on_time * clocked + self.dated * (turn.date in asked.dates) + self.in_month * in_month
        return speaks + timely + self.rank * turn.rank

    def _says(self, asked: ChatQuestion, sentence: Utterance) -> float:
        """What the words of a sentence are worth beyond what the question says, and how it is said."""
        new = stems(sentence.text) - asked.words - stems(sentence.speaker)
        asking = self.asks + self.asked_for * asked.of_question
        return (
            self.tells * min(len(new), self.most_told)
            + self.repeats * (not new)
            + self.formula * (FORMULA.match(sentence.text) is not None)
            + self.wonders_whether * (not asked.of_question and WONDERS_WHETHER.search(sentence.text) is not None)
            + self.measures * (asked.measured and NUMBER.search(sentence.text) is not None)
            + self.exclaims * sentence.text.rstrip().endswith("!")
            + asking * sentence.asks
        )


def _wonders(text: str) -> bool:
    """Whether somebody asks to be told something, rather than suggests it, and says little else."""
    *others, last = [text[start:end] for start, end in sentence_spans(text)] or [""]
    return _WONDERS.match(last) is not None and all(len(other.split()) <= _SHORT for other in others)


def _glance(turn: Utterance, asked: ChatQuestion) -> float:
    own = len(asked.words & stems(f"{turn.speaker} {turn.text}")) + (turn.speaker == asked.teller)
    on_day = _DATED * (turn.date in asked.dates)
    return own + on_day + 0.5 * len(asked.words & stems(turn.before)) - 0.15 * turn.rank
