"""The questions that a passage answers, from its stored parse alone (QCG-RAG's index, without a language model)."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.corpus.transcripts import transcript_of
from polyhop.layers.asking.articles import asked_of_article
from polyhop.layers.asking.chats import asked_of_chat
from polyhop.layers.asking.choosing import chosen
from polyhop.ports import ParsedSentence
from polyhop.types import GeneratedQuestion, Passage


def questions_of(passage: Passage, sentences: Sequence[ParsedSentence], *, most: int = 20) -> list[GeneratedQuestion]:
    """At most ``most`` questions with their answers, the most informative first, each question once.

    ``sentences`` is the passage's parse. Each answer stands at ``start`` to ``end`` in the passage's text. Passages
    that are transcripts ("Speaker: text" on each line) are read as such. What no rule can read gives no question, and
    never an error.
    """
    transcript = transcript_of(passage.text)
    if transcript is not None:
        asked = list(asked_of_chat(passage.text, transcript, sentences))
        known = [word for turn in transcript.turns for word in (*turn.speaker.split(), turn.speaker.replace(" ", ""))]
    else:
        asked = list(asked_of_article(passage, sentences))
        known = passage.title.split()
    return [
        GeneratedQuestion(question=one.question, answer=passage.text[one.start : one.end], start=one.start, end=one.end)
        for one in chosen(passage.text, asked, most, known)
    ]
