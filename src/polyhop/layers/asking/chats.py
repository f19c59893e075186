"""Questions about a conversation: what its speakers told, asked, suggested and answered one another."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from polyhop.layers.asking.asked import Asked
from polyhop.layers.asking.clauses import Clauses
from polyhop.layers.asking.messages import Act, act_of, asks_openly, cut, referents, said_topics
from polyhop.layers.asking.replies import turned_question
from polyhop.layers.asking.transcripts import Transcript, Turn
from polyhop.layers.asking.wording import Meant, Wording
from polyhop.layers.syntax.tree import Tree, is_sound
from polyhop.ports import ParsedSentence

_LONGEST_SENTENCE: Final = 80  # words
_TOPICS: Final = 2  # of a question
_MAIN: Final = 4  # topics of the whole conversation
_LONGEST_MESSAGE: Final = 700  # characters of an answer
_GROUP: Final = "the group"
_UNKNOWN: Final = "the recipient"
_WHOLE, _ACT, _REPLY, _TIME = 0.9, 0.75, 0.9, 0.8


class Message(NamedTuple):
    """A turn with its sentences as trees, whom it speaks to, and what it is about."""

    turn: Turn
    trees: list[Tree]
    addressee: Meant
    topics: list[str]


def asked_of_chat(text: str, transcript: Transcript, sentences: Sequence[ParsedSentence]) -> Iterator[Asked]:
    """The questions that the messages of a conversation answer, message by message; never an error."""
    messages = _messages(text, transcript, sentences)
    everyone = transcript.speakers
    counted = Counter(topic for message in messages for topic in dict.fromkeys(message.topics))
    main = [topic for topic, _ in counted.most_common(_MAIN)]
    for part, message in enumerate(messages):
        before = messages[part - 1].topics if part else []
        after = messages[part + 1] if part + 1 < len(messages) else None
        for asked in _of_message(text, message, after, [*before[:1], *main], everyone, transcript.date):
            yield asked._replace(part=part)
    asked_when = _of_time(text, transcript, main)
    if asked_when is not None:
        yield asked_when._replace(part=len(messages))


def _messages(text: str, transcript: Transcript, sentences: Sequence[ParsedSentence]) -> list[Message]:
    found: list[Message] = []
    sound = [sentence for sentence in sentences if sentence.words and is_sound(sentence, len(text))]
    starts = [sentence.start for sentence in sound]
    for at, turn in enumerate(transcript.turns):
        first = max(bisect_right(starts, turn.start) - 1, 0)
        parts = [
            cut(sentence, turn.start, turn.end, text) for sentence in sound[first : bisect_right(starts, turn.end)]
        ]
        trees = [Tree(text, part, ()) for part in parts if part is not None and len(part.words) <= _LONGEST_SENTENCE]
        trees = [tree for tree in trees if len(tree)]  # a tree has no words where all of them are blanks
        topics = list(dict.fromkeys(topic for tree in trees for topic in said_topics(tree, transcript.speakers)))
        found.append(Message(turn, trees, _addressee(text, transcript, at), topics))
    return found


def _addressee(text: str, transcript: Transcript, at: int) -> Meant:
    """Whom a turn speaks to: who is named in it, the only other one, or the group."""
    turn = transcript.turns[at]
    others = {other.speaker: other for other in transcript.turns if other.speaker != turn.speaker}
    if not others:
        return Meant(_UNKNOWN, turned=True)
    if len(others) == 1:
        [other] = others.values()
        return Meant(other.speaker, other.name_start, other.name_end, turned=True)
    said = text[turn.start : turn.end]
    opening = said[:60].lower()
    for name, other in others.items():
        written = text[other.name_start : other.name_end]
        first = name.split()[0].lower()
        if f"@{written}".lower() in said.lower() or f"{first}!" in opening or f"{first}," in opening:
            return Meant(name, other.name_start, other.name_end, turned=True)
    return Meant(_GROUP)


def _of_message(
    text: str, message: Message, after: Message | None, context: Sequence[str], everyone: Sequence[str], date: str
) -> Iterator[Asked]:
    """What one message answers: its clauses, what each sentence does, the whole, and the next message as a reply."""
    turn = message.turn
    me = Meant(turn.speaker, turn.name_start, turn.name_end, turned=True)
    us = Meant(" and ".join(everyone) if len(everyone) == 2 else _GROUP, label="ORG")
    for tree in message.trees:
        wording = Wording(tree, lowered=True)
        for i, meant in referents(tree, me, message.addressee, us):
            wording.mean(i, meant)
        if not asks_openly(tree):
            yield from Clauses(wording).read()
        act = act_of(tree, text)
        if act is not None and len(message.trees) > 1:  # the only sentence is the whole message
            yield from _of_act(text, message, tree, act, context)
        if act is not None and act.verb == "ask" and after is not None and after.turn.speaker != turn.speaker:
            yield from _of_reply(text, wording, after)
    if not message.topics:
        return
    topics = _about(message.topics, context, 3)
    on = f" on {date}" if date else ""
    question = f"What did {turn.speaker} say to {message.addressee.name}{on}{topics}?"
    if turn.end - turn.start <= _LONGEST_MESSAGE and (whole := Asked.of(text, question, turn.start, turn.end, _WHOLE)):
        yield whole


def _of_act(text: str, message: Message, tree: Tree, act: Act, context: Sequence[str]) -> Iterator[Asked]:
    """``What did Ada ask Tom to do?``, with the sentence as its answer."""
    own = [topic for topic in message.topics if topic in tree.text[tree.starts[0] : tree.ends[-1]]]
    if not own and act.verb != "request":
        return  # "Sounds good!": it says nothing that a question could ask for
    about = _about(own, [topic for topic in [*message.topics, *context] if topic not in own], _TOPICS)
    who, whom = message.turn.speaker, message.addressee.name
    question = {
        "ask": f"What did {who} ask {whom}{about}?",
        "request": f"What did {who} ask {whom} to do{about}?",
        "suggest": f"What did {who} suggest to {whom}{about}?",
        "tell": f"What did {who} tell {whom}{about}?",
    }[act.verb]
    asked = Asked.of(text, question, tree.starts[act.first], tree.ends[-1], _ACT)
    if asked is not None:
        yield asked


def _of_reply(text: str, wording: Wording, after: Message) -> Iterator[Asked]:
    """The question as it was asked, of the one who was asked, with the reply as its answer."""
    question = turned_question(wording)
    end = min(after.turn.end, after.turn.start + _LONGEST_MESSAGE)
    if question and after.trees:
        last = [tree.ends[-1] for tree in after.trees if tree.ends[-1] <= end]
        asked = Asked.of(text, question, after.turn.start, last[-1] if last else end, _REPLY)
        if asked is not None:
            yield asked


def _about(own: Sequence[str], context: Sequence[str], most: int) -> str:
    topics = list(dict.fromkeys([*own[:most], *context]))[:most]
    if not topics:
        return ""
    return " about " + (f"{', '.join(topics[:-1])} and {topics[-1]}" if len(topics) > 1 else topics[0])


def _of_time(text: str, transcript: Transcript, main: Sequence[str]) -> Asked | None:
    """The question when a conversation took place: ``When did Ada and Tom talk about the boat?``."""
    if not transcript.time_end:
        return None
    speakers = transcript.speakers
    who = " and ".join(speakers) if len(speakers) <= 2 else f"{', '.join(speakers[:3])} and the group"
    verb = "talk" if len(speakers) > 1 else "write"
    question = f"When did {who} {verb}{_about(main, (), _MAIN)}?"
    return Asked.of(text, question, transcript.time_start, transcript.time_end, _TIME)
