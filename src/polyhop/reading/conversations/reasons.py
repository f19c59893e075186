"""Why: the reason that is told, what somebody turns to somebody for, and what a whole conversation is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.reading.conversations.asked import ChatQuestion, stems
from polyhop.reading.conversations.finding import Finding
from polyhop.reading.conversations.ranking import UNHEARD, Ranked
from polyhop.reading.conversations.utterances import Utterance, after
from polyhop.reading.conversations.wording import FORMULA, purpose, reason, reason_before, said

_WHY: Final = re.compile(r"\b(?:why(?! not| don['’]t)|how come|what for)\b", re.IGNORECASE)
_GREETS: Final = re.compile(
    r"\W*(?:(?:(?:hey|hi|hello|dear|yo|good (?:morning|afternoon|evening)|morning|evening)\b(?: [\w’'-]+){0,3},?\s*)?"
    r"(?:(?:i )?(?:just )?hop(?:e|ing) (?:you|all|everything|this|your)\b.*|how(?:['’]s| are| is| have) .{0,40}"
    r"|long time no see|what['’]s up.{0,20})?)[\W_]*",
    re.IGNORECASE | re.DOTALL,
)
_URGES: Final = re.compile(r"\W*(?:would love|let['’]s)\b", re.IGNORECASE)
_REQUESTS: Final = re.compile(r"\W*(?:please|(?:could|can|would|will) (?:you|we|i)) \w+ \w+", re.IGNORECASE)
_MOST: Final = 3  # sentences of what somebody turns to somebody for
_SAYS_LITTLE: Final = 2  # stems of a sentence that is not worth an answer


def told_reason(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked], sentences: Sequence[Ranked]
) -> Finding | None:
    """The reason that one of the best sentences gives, or that is told when asked why."""
    near = sorted(sentences[:3], key=lambda one: -len(stems(one.utterance.text) & asked.words))
    for one in near:
        if where := reason(one.utterance) or reason_before(one.utterance, asked.words):
            return Finding(one, *where)
    best = turns[0]
    replies = after(best.utterance, told)
    if len(replies) > 1 and _WHY.search(replies[0].text):
        return Finding(Ranked(replies[1], best.logit, best.score), *said(replies[1]))
    where = purpose(sentences[0].utterance, asked.words)
    return Finding(sentences[0], *where) if where else None


def errand(asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked]) -> Finding | None:
    """What somebody turns to somebody for: what their turn says, without greetings."""
    best, chat = _conversation(asked, told, turns)
    own = [turn for turn in chat if turn.speaker == asked.teller] or [best.utterance]
    turn = best.utterance if best.utterance in own and stems(best.utterance.text) & asked.words else own[0]
    for one in turn.sentences():
        if where := reason(one):
            return Finding(Ranked(one, best.logit, best.score), *where)
    return _gist(turn, best)


def topic(asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked]) -> Finding | None:
    """What a conversation is about: the turn that opens it, after greetings."""
    of_day = [turn for turn in told if turn.date in asked.dates]
    on_time = [turn for turn in of_day if asked.minute >= 0 and turn.minute == asked.minute]
    first = next(iter([*on_time, *of_day]), turns[0].utterance)
    best = next(
        (turn for turn in turns if turn.utterance.passage.id == first.passage.id), Ranked(first, UNHEARD, UNHEARD)
    )
    chat = (turn for turn in told if turn.passage.id == first.passage.id)
    found = next(filter(None, (_gist(turn, best) for turn in chat)), None)
    elsewhere = bool(asked.dates) and not of_day
    return Finding(found.heard, found.start, found.end, unmet=elsewhere, whole=bool(of_day)) if found else None


def _conversation(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked]
) -> tuple[Ranked, list[Utterance]]:
    """The best turn on a day that the question names, or of all, and the turns of its conversation."""
    best = next((turn for turn in turns if turn.utterance.date in asked.dates), turns[0])
    return best, [turn for turn in told if turn.passage.id == best.utterance.passage.id]


def _tells(text: str) -> bool:
    """Whether a sentence says something, or asks for something to be done."""
    says = len(stems(text)) > _SAYS_LITTLE or _REQUESTS.match(text) is not None
    return says and _GREETS.fullmatch(text) is None


def _gist(turn: Utterance, best: Ranked) -> Finding | None:
    """The first sentences of a turn that say something; None where it only greets."""
    sentences = turn.sentences()
    telling = [one for one in sentences if _tells(one.text)]
    if not telling:
        return None
    kept = telling[:_MOST]
    while len(kept) > 1 and (FORMULA.match(kept[-1].text) or _URGES.match(kept[-1].text)):
        kept.pop()
    return Finding(Ranked(turn, best.logit, best.score), said(kept[0])[0], said(kept[-1])[1])
