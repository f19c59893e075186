"""Questions about a conversation: what its speakers told, asked and answered one another, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.documents.conversations.stamps import is_dated
from polyhop.documents.conversations.transcripts import Transcript
from polyhop.layers.questions.rules.clause_questions import questions_of_clause
from polyhop.layers.questions.rules.question_candidate import QuestionCandidate
from polyhop.layers.questions.rules.realisation import Referent
from polyhop.layers.questions.rules.turns import SpokenTurn, TurnToAsk, realiser_of, spoken_turns
from polyhop.ports import ParsedSentence

_TOPICS: Final = 3  # of a question
_LONGEST_ANSWER: Final = 700  # characters of what is said at a time
_SAID, _UTTERED, _REPLY, _WHEN, _CLAUSE = 0.9, 0.75, 0.9, 0.8, 0.9
_VERBS: Final = {"statement": "tell {}", "question": "ask {}", "command": "ask {} to do"}


class Conversation:
    """A transcript, read for the questions that it answers."""

    __slots__ = ("everyone", "main", "names", "text", "transcript", "turns")

    def __init__(self, text: str, transcript: Transcript, sentences: Sequence[ParsedSentence]) -> None:
        self.text, self.transcript = text, transcript
        self.turns = list(spoken_turns(text, transcript, sentences))
        counted = Counter(topic for turn in self.turns for topic in turn.topics)
        self.main = sorted(counted, key=lambda topic: -counted[topic] - (" " in topic))[:_TOPICS]
        speakers = transcript.speakers
        self.names = frozenset(word for name in speakers for word in name.lower().split())
        both = len(speakers) == 2
        self.everyone = Referent(" and ".join(speakers) if both else "the group", label="ORG", speaks=not both)

    def read(self) -> Iterator[QuestionCandidate]:
        """The questions, turn by turn, and at last when it was."""
        for part, turn in enumerate(self.turns):
            after = self.turns[part + 1] if part + 1 < len(self.turns) else None
            for asked in (*self._of_turn(turn), *self._of_reply(turn, after), *self._of_clauses(turn)):
                yield asked._replace(part=part)
        yield from self._when_it_was()

    def _of_clauses(self, turn: SpokenTurn) -> Iterator[QuestionCandidate]:
        """What its clauses state, with who says so where the question does not name them."""
        speaker = turn.turn.speaker
        for utterance in turn.utterances:
            if utterance.tree.forms[-1] == "?":
                continue
            realiser = realiser_of(utterance.tree, turn, self.everyone, self.names)
            for clause in utterance.clauses:
                for asked in questions_of_clause(clause, realiser):
                    question = asked.question
                    if speaker not in question and asked.start != turn.turn.name_start:
                        question = f"According to {speaker}, {question[:1].lower()}{question[1:]}"
                    yield asked._replace(question=self._placed(question, asked), certainty=asked.certainty * _CLAUSE)

    def _placed(self, question: str, asked: QuestionCandidate) -> str:
        """With what the conversation is about, where neither the question nor its answer says it."""
        pair = f"{question} {self.text[asked.start : asked.end]}".lower()
        if not self.main or any(word in pair for word in self.main[0].lower().split()):
            return question
        return f"{question[:-1]}, in the chat about {self.main[0]}?"

    def _of_turn(self, turn: SpokenTurn) -> Iterator[QuestionCandidate]:
        """What someone said on a day, all of it and sentence by sentence, and at what time."""
        who, whom = turn.turn.speaker, turn.addressee.name
        about = self._about(turn.topics)
        day = turn.turn.date if turn.turn.time_end else self.transcript.date
        if turn.topics:
            asked = f"What did {who} say to {whom}{f' on {day}' if day else ''}{about}?"
            yield from self._answered(asked, turn.utterances, _SAID)
            start, end = turn.turn.time_start, turn.turn.time_end
            dated = is_dated(self.text[start:end])
            if dated or (turn.turn.minute >= 0 and day):
                when = "When" if dated else f"At what time on {day}"
                yield from _all(
                    QuestionCandidate.of(self.text, f"{when} did {who} write to {whom}{about}?", start, end, _WHEN)
                )
        for one in turn.utterances if len(turn.utterances) > 1 else ():
            if one.topics:
                verb = _VERBS[_mood(one)].format(whom)
                topics = self._about([*one.topics, *turn.topics])
                yield from self._answered(f"What did {who} {verb}{topics}?", [one], _UTTERED)

    def _of_reply(self, turn: SpokenTurn, after: SpokenTurn | None) -> Iterator[QuestionCandidate]:
        """What the next one answers, where someone asks: the question as it stands, and the reply."""
        if after is None or after.turn.speaker == turn.turn.speaker:
            return
        for one in turn.utterances:
            if _mood(one) == "question":
                said = self.text[one.tree.start : one.tree.end].strip(" \n?")
                asked = f'What did {after.turn.speaker} answer when {turn.turn.speaker} asked "{said}"?'
                yield from self._answered(asked, after.utterances, _REPLY)

    def _answered(
        self, question: str, utterances: Sequence[TurnToAsk], certainty: float
    ) -> Iterator[QuestionCandidate]:
        """A question that some sentences answer, as many as an answer may have, without a greeting before them."""
        spoken = [one.tree for one in utterances]
        while len(spoken) > 1 and len(spoken[0]) <= 6 and not utterances[-len(spoken)].topics:
            del spoken[0]  # "Hey Otto, how are you?"
        ends = [tree.ends[-1] for tree in spoken if tree.ends[-1] - spoken[0].starts[0] <= _LONGEST_ANSWER]
        if ends:
            yield from _all(QuestionCandidate.of(self.text, question, spoken[0].starts[0], ends[-1], certainty))

    def _when_it_was(self) -> Iterator[QuestionCandidate]:
        """When a conversation took place: as its header tells, or the first turn of a single day."""
        turns, speakers = self.transcript.turns, self.transcript.speakers
        start, end = self.transcript.time_start, self.transcript.time_end
        if not end and len({turn.date for turn in turns}) == 1:
            start, end = turns[0].time_start, turns[0].time_end
        if end and (self.transcript.time_end or is_dated(self.text[start:end])):
            who = " and ".join(speakers) if len(speakers) <= 2 else f"{', '.join(speakers[:3])} and the group"
            question = f"When did {who} {'talk' if len(speakers) > 1 else 'write'}{self._about([])}?"
            for asked in _all(QuestionCandidate.of(self.text, question, start, end, _WHEN)):
                yield asked._replace(part=len(turns))

    def _about(self, topics: Sequence[str]) -> str:
        """`` about the sails and the oars``, of the first few topics, then of what all of it is about; or nothing."""
        kept: list[str] = []
        for topic in [*topics, *self.main]:
            if len(kept) < _TOPICS and not any(topic.lower() in other.lower() for other in kept):
                kept.append(topic)
        return " about " + " and ".join(filter(None, (", ".join(kept[:-1]), kept[-1]))) if kept else ""


def _mood(utterance: TurnToAsk) -> str:
    roots = (clause.mood for clause in utterance.clauses if clause.dependency == "ROOT")
    return next(roots, "question" if utterance.tree.forms[-1] == "?" else "statement")


def _all(asked: QuestionCandidate | None) -> tuple[QuestionCandidate, ...]:
    return () if asked is None else (asked,)
