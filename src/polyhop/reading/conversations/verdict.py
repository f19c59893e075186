"""Yes or no: what conversations answer to a question that begins with "did" or "is"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.reading.conversations.asked import ChatQuestion, stems
from polyhop.reading.conversations.finding import Finding
from polyhop.reading.conversations.ranking import Ranked
from polyhop.reading.conversations.utterances import Utterance, after
from polyhop.reading.conversations.wording import clause_about

_YES: Final = re.compile(
    r"\b(?:yes|yeah|yep|sure|absolutely|definitely|of course|totally|certainly|okay|ok"
    r"|sounds (?:good|great|awesome|perfect|fun)|no problem|count me in|i['’]m in|happy to|love to|glad to|great idea"
    r"|why not|you can|feel free|go ahead)\b",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\b(?:no(?! problem| worries| need to worry)|nope|not|never|nobody|none|unfortunately|can['’]?t|cannot|won['’]t"
    r"|don['’]t|didn['’]t|haven['’]t|hasn['’]t|isn['’]t|aren['’]t|wasn['’]t|sorry)\b",
    re.IGNORECASE,
)
_DENIES_NOTHING: Final = re.compile(
    r"\b(?:can['’]t wait|don['’]t (?:worry|forget|hesitate)|not only|why not)\b", re.IGNORECASE
)
_LATER: Final = 6  # turns in which a question is still replied to


def verdict(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked], sentences: Sequence[Ranked]
) -> Finding:
    """Yes or no: what the reply to a question says, or whether the clause that speaks of it denies it."""
    best = turns[0]
    asking = best.utterance
    if asking.asks and _replies_to(asked, asking):  # it asks back: what it replies to is the question
        asking = next((turn for turn in told if turn.place == (asking.passage.id, asking.turn - 1)), asking)
    reply = _reply(asking, told) if asking.asks else None
    if reply is not None:
        heard = Ranked(reply, best.logit, best.score)
    elif _replies_to(asked, best.utterance):
        heard = best
    else:
        heard = sentences[0]
    text = _DENIES_NOTHING.sub(" ", heard.utterance.text)
    if heard is sentences[0]:  # nothing is replied to: only the clause that speaks of it counts
        text = text[slice(*clause_about(text, asked.words))]
    yes, no = _YES.search(text), _NO.search(text)
    denied = no is not None and (yes is None or no.start() < yes.start())
    return Finding(heard, heard.utterance.start, heard.utterance.end, "No" if denied else "Yes")


def _reply(asking: Utterance, told: Sequence[Utterance]) -> Utterance | None:
    """The turn that says yes or no to a question, after what is asked back; or else the next; None after the last."""
    following = after(asking, told)[:_LATER]
    others = [turn for turn in following if turn.speaker != asking.speaker and not turn.asks]
    if following and not following[0].asks:
        return following[0]
    clear = (turn for turn in others if _YES.search(turn.text) or _NO.search(turn.text))
    return next(clear, following[0] if following else None)


def _replies_to(asked: ChatQuestion, told: Utterance) -> bool:
    """Whether a turn replies to what is asked, rather than saying it by itself."""
    start, end = clause_about(told.text, asked.words)
    return len(asked.words & stems(told.before)) > len(asked.words & stems(told.text[start:end]))
