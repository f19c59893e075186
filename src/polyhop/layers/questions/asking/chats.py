"""Questions about a conversation: what its speakers told, asked, suggested and answered one another."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.conversations.stamps import is_dated
from polyhop.documents.conversations.transcripts import Transcript
from polyhop.documents.conversations.turn_lines import Turn
from polyhop.layers.grammar.tree import Tree, is_sound
from polyhop.layers.questions.asking.asked import Asked
from polyhop.layers.questions.asking.clauses import Clauses
from polyhop.layers.questions.asking.messages import Act, act_of, asks_openly, cut, referents
from polyhop.layers.questions.asking.replies import turned_question
from polyhop.layers.questions.asking.topics import joined_topics, said_topics, telling
from polyhop.layers.questions.asking.wording import Meant, Wording
from polyhop.ports import ParsedSentence

_LONGEST_SENTENCE: Final = 80  # words
_TOPICS: Final = 2  # of a question
_MAIN: Final = 4  # topics of the whole conversation
_LONGEST_ANSWER: Final = 700  # characters of what is said at a time
_GREETING: Final = 6  # words, at most
_OPENING: Final = 60  # characters of a message in which its addressee is greeted
_ALL: Final = ("guys", "all", "both")
_GROUP: Final = "the group"
_UNKNOWN: Final = "the recipient"
_SAID, _ACT, _REPLY, _TIME, _SENT, _CLAUSE = 0.9, 0.75, 0.9, 0.8, 0.7, 0.9


@dataclass(frozen=True)
class Message:
    """A turn with its sentences as trees, what each of them does and is about, and whom it speaks to."""

    turn: Turn
    trees: tuple[Tree, ...]
    acts: tuple[Act | None, ...]  # one for each tree
    topics: tuple[tuple[str, ...], ...]  # of each tree
    addressee: Meant

    @property
    def about(self) -> list[str]:
        """What all of it speaks of, each topic once."""
        return list(dict.fromkeys(topic for topics in self.topics for topic in topics))


class Chat:
    """A conversation, read for the questions that it answers."""

    __slots__ = ("_named", "main", "messages", "names", "text", "transcript", "us")

    def __init__(self, text: str, transcript: Transcript, sentences: Sequence[ParsedSentence]) -> None:
        self.text, self.transcript = text, transcript
        speakers = transcript.speakers
        self.messages = _messages(text, transcript, sentences)
        counted = Counter(topic for message in self.messages for topic in message.about)
        self.main = sorted(counted, key=lambda topic: -counted[topic] - telling(topic))[:_MAIN]
        self._named = self.main[0].lower().split() if self.main else []
        self.names = frozenset(word for name in speakers for word in name.lower().split())
        both = len(speakers) == 2
        self.us = Meant(" and ".join(speakers) if both else _GROUP, label="ORG", turned=not both)

    def read(self) -> Iterator[Asked]:
        """The questions, message by message, and at last when it was."""
        for part, message in enumerate(self.messages):
            after = self.messages[part + 1] if part + 1 < len(self.messages) else None
            before = self.messages[part - 1].about[:1] if part else []
            for asked in self._of_message(message, after, [*before, *self.main]):
                yield Asked(*asked[:-1], part)
        asked_when = self._of_time()
        if asked_when is not None:
            yield asked_when._replace(part=len(self.messages))

    def _of_message(self, message: Message, after: Message | None, context: Sequence[str]) -> Iterator[Asked]:
        """What one message answers: its clauses, what each sentence does, the whole, and the next one as a reply."""
        replied = after if after is not None and after.turn.speaker != message.turn.speaker else None
        for tree, act, topics in zip(message.trees, message.acts, message.topics, strict=True):
            wording = self._wording(message, tree, message.addressee)
            if not asks_openly(tree) and (act is None or act.verb != "ask"):
                for asked in Clauses(wording).read():
                    yield self._attributed(asked, message)
            if act is None:
                continue
            yield from self._of_act(message, tree, act, topics, context)
            if act.verb == "ask" and replied is not None:
                yield from self._of_reply(message, tree, replied)
        yield from self._said(message, context)
        yield from self._when_said(message, context)

    def _wording(self, message: Message, tree: Tree, you: Meant) -> Wording:
        turn = message.turn
        me = Meant(turn.speaker, turn.name_start, turn.name_end, turned=True)
        wording = Wording(tree, lowered=True, names=self.names)
        for i, meant in referents(tree, me, you, self.us):
            both = i + 1 < len(tree) and tree.lower[i + 1] in _ALL
            whole = i + 1 if both and tree.deps[i + 1] in ("nsubj", "dobj", "pobj") else i  # "you guys"
            wording.mean(whole, meant)
            if both:
                wording.hush([i if whole > i else i + 1])
        return wording

    def _attributed(self, asked: Asked, message: Message) -> Asked:
        """With the one who says so, where the question does not name them."""
        speaker = message.turn.speaker
        asked = self._placed(asked)
        if speaker in asked.question or asked.start == message.turn.name_start:
            return asked
        question = f"According to {speaker}, {asked.question[:1].lower()}{asked.question[1:]}"
        return asked._replace(question=question, certainty=asked.certainty * _CLAUSE)

    def _placed(self, asked: Asked) -> Asked:
        """With what the conversation is about, where neither the question nor its answer says it."""
        pair = f"{asked.question} {self.text[asked.start : asked.end]}".lower()
        if not self.main or any(word in pair for word in self._named):
            return asked
        return asked._replace(question=f"{asked.question[:-1]}, in the chat about {self.main[0]}?")

    def _of_act(
        self, message: Message, tree: Tree, act: Act, own: Sequence[str], context: Sequence[str]
    ) -> Iterator[Asked]:
        """``What did Ada ask Tom to do?``, with what she asks as its answer."""
        if not own:
            return  # "Sounds good!": it says nothing that a question could ask for
        about = joined_topics([*own[:_TOPICS], *message.about, *context], _TOPICS)
        who, whom = message.turn.speaker, message.addressee.name
        question = {
            "ask": f"What did {who} ask {whom}{about}?",
            "request": f"What did {who} ask {whom} to do{about}?",
            "suggest": f"What did {who} suggest to {whom}{about}?",
            "tell": f"What did {who} tell {whom}{about}?",
        }[act.verb]
        asked = Asked.of(self.text, question, tree.starts[act.first], tree.ends[-1], _ACT)
        if asked is not None:
            yield asked

    def _of_reply(self, message: Message, tree: Tree, after: Message) -> Iterator[Asked]:
        """The question as it was asked, of the one who answers it, with the reply as its answer."""
        answerer = Meant(after.turn.speaker, after.turn.name_start, after.turn.name_end, turned=True)
        around = [topic for topic in message.about if topic not in tree.text[tree.starts[0] : tree.ends[-1]]]
        question = turned_question(self._wording(message, tree, answerer), answerer.name, [*around, *self.main])
        span = _span(after)
        if question and span is not None:
            asked = Asked.of(self.text, question, *span, _REPLY)
            if asked is not None:
                yield self._placed(asked)

    def _said(self, message: Message, context: Sequence[str]) -> Iterator[Asked]:
        """``What did Ada say to Tom about the boat?``, with what the message says of it, without greetings."""
        if not (topics := message.about) or (span := _span(message)) is None:
            return
        on = f" on {day}" if (day := self._day(message)) else ""
        about = joined_topics([*topics, *context], 3)
        question = f"What did {message.turn.speaker} say to {message.addressee.name}{on}{about}?"
        if asked := Asked.of(self.text, question, *span, _SAID):
            yield asked

    def _day(self, message: Message) -> str:
        """The day of a message: its own where it has one, else as the header writes it."""
        return message.turn.date if message.turn.time_end else self.transcript.date

    def _when_said(self, message: Message, context: Sequence[str]) -> Iterator[Asked]:
        """``When did Ada tell Tom about the boat?``, with the message's own time, which nothing else may tell."""
        turn = message.turn
        if not turn.time_end or not message.about:
            return
        dated = is_dated(self.text[turn.time_start : turn.time_end])
        if not dated and (turn.minute < 0 or not turn.date):
            return  # the time of a recording, or of a day that nothing tells
        when = "When" if dated else f"At what time on {turn.date}"
        about = joined_topics([*message.about, *context], 3)
        question = f"{when} did {turn.speaker} write to {message.addressee.name}{about}?"
        if asked := Asked.of(self.text, question, turn.time_start, turn.time_end, _SENT):
            yield asked

    def _of_time(self) -> Asked | None:
        """The question when a conversation took place: ``When did Ada and Tom talk about the boat?``."""
        start, end = self._when()
        if not end:
            return None
        speakers = self.transcript.speakers
        who = " and ".join(speakers) if len(speakers) <= 2 else f"{', '.join(speakers[:3])} and the group"
        verb = "talk" if len(speakers) > 1 else "write"
        question = f"When did {who} {verb}{joined_topics(self.main, _MAIN)}?"
        return Asked.of(self.text, question, start, end, _TIME)

    def _when(self) -> tuple[int, int]:
        """Where the header tells when it was, or else the first message of one day; 0, 0 where neither does."""
        turns = self.transcript.turns
        if self.transcript.time_end or len({turn.date for turn in turns}) > 1:
            return self.transcript.time_start, self.transcript.time_end
        start, end = turns[0].time_start, turns[0].time_end
        return (start, end) if is_dated(self.text[start:end]) else (0, 0)


def asked_of_chat(text: str, transcript: Transcript, sentences: Sequence[ParsedSentence]) -> Iterator[Asked]:
    """The questions that the messages of a conversation answer, message by message; never an error."""
    return Chat(text, transcript, sentences).read()


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
        acts = tuple(act_of(tree, text) for tree in trees)
        topics = tuple(tuple(said_topics(tree, transcript.speakers)) for tree in trees)
        found.append(Message(turn, tuple(trees), acts, topics, _addressee(text, transcript, at)))
    return found


def _span(message: Message) -> tuple[int, int] | None:
    """From where to where a message says something: without the greeting before it, not longer than an answer."""
    parts = list(zip(message.trees, message.acts, strict=True))
    while parts and parts[0][1] is None and len(parts[0][0]) <= _GREETING:
        del parts[0]  # "Hey Otto!"
    if not parts:
        return None
    tree, act = parts[0]
    start = tree.starts[act.first if act is not None and act.verb != "suggest" else 0]
    ends = [tree.ends[-1] for tree, _ in parts if tree.ends[-1] - start <= _LONGEST_ANSWER]
    return (start, ends[-1]) if ends else None


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
    opening = said[:_OPENING].lower()
    for name, other in others.items():
        written = text[other.name_start : other.name_end]
        first = name.split()[0].lower()
        if f"@{written}".lower() in said.lower() or f"{first}!" in opening or f"{first}," in opening:
            return Meant(name, other.name_start, other.name_end, turned=True)
    return Meant(_GROUP, turned=True)
