"""The questions that a passage answers, from its stored parse alone (QCG-RAG's index, without a language model)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polyhop.documents.conversations.transcripts import transcript_of
from polyhop.layers.questions.rules.articles import questions_of_article
from polyhop.layers.questions.rules.conversations import Conversation
from polyhop.layers.questions.rules.quotations import Excerpt, excerpts_of, questions_of_excerpts
from polyhop.layers.questions.rules.selection import chosen
from polyhop.layers.questions.rules.titles import names_something
from polyhop.ports import ParsedSentence
from polyhop.types import GeneratedQuestion, Passage


def questions_of(passage: Passage, sentences: Sequence[ParsedSentence], *, most: int = 20) -> list[GeneratedQuestion]:
    """At most ``most`` questions with their answers, the most informative first, each question once.

    ``sentences`` is the passage's parse. Each answer stands at ``start`` to ``end`` in the passage's text. Passages
    that are transcripts ("Speaker: text" on each line) are read as such. What no rule can read gives no question, and
    never an error. What is not in English is quoted, sentence by sentence: questions in English would be wrong.
    """
    text, transcript = passage.text, transcript_of(passage.text)
    if transcript is None and not names_something(passage.title, text):
        passage = replace(passage, title="")
    strange, everything = excerpts_of(passage, transcript)
    if everything:
        sentences = ()
    elif strange:
        sentences = [one for one in sentences if not _touches(one, strange)]
    if transcript is not None:
        known = [word for turn in transcript.turns for word in (*turn.speaker.split(), turn.speaker.replace(" ", ""))]
        asked = [] if everything else list(Conversation(text, transcript, sentences).read())
    else:
        known = passage.title.split()
        asked = list(questions_of_article(passage, sentences))
    room = round(most * len(strange) / (len(strange) + len(sentences))) if strange else 0
    quoted = list(questions_of_excerpts(text, strange, max(room, 1)))
    return [
        GeneratedQuestion(question=one.question, answer=text[one.start : one.end], start=one.start, end=one.end)
        for one in [*chosen(text, asked, most - len(quoted), known), *quoted]
    ]


def _touches(sentence: ParsedSentence, excerpts: Sequence[Excerpt]) -> bool:
    return any(one.start < sentence.end and sentence.start < one.end for one in excerpts)
