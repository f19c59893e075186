"""Says in a few sentences what several texts say together (StepChain, Eq. 5; RAPTOR's tree of summaries)."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.indexes.names import words
from polyhop.models.accounting import estimated_tokens
from polyhop.ports import LanguageModel, Message
from polyhop.prompts.asking import asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced, fitted
from polyhop.prompts.schemas import Schema, closed, some_text

log = logging.getLogger(__name__)

SHOWN_TOKENS: Final = 8000  # of all texts together, about; what comes after is not shown
SCHEMA: Schema = closed(summary=some_text())

_SYSTEM = f"""You summarise texts for somebody who looks things up and will see your summary instead of the texts.

- State who and what the texts are about, and what connects them: who did what, where, when, and with whom. What links \
two of the texts matters most.
- Copy names, dates and numbers letter for letter. Write the name again rather than "he", "she" or "it".
- State nothing that the texts do not say: no knowledge of your own, no guesses, no judgement. Where they contradict \
each other, say both.
- Write plain, complete sentences and nothing about the texts themselves: not "the texts say", no headings, no lists.
- Write a few sentences, in the language of the texts, and fewer where there is little to say.

{DATA_RULE}

Output JSON: {{"summary": "..."}}."""

PROMPT_VERSION: Final = hashlib.sha256(f"{_SYSTEM}\n{json.dumps(SCHEMA)}".encode()).hexdigest()[:12]
"""Identifies what the model is asked: another prompt or schema gives other summaries."""

# What a summary must not bring with it: a number, or a word with a capital letter that does not begin a sentence.
_NAME = re.compile(r"(?<![\w-])(?:\d[\d.,]*|[^\W\d_a-z][\w’'-]*)")
_LONG_ENOUGH = 4  # letters of a name by which a form of it is known ("Fennick", "Fennickers")


def summarise(model: LanguageModel, texts: Sequence[str], *, about: str = "", max_tokens: int = 300) -> str:
    """A summary of some texts as one line.

    ``about``: what they have in common, such as the names of entities. A sentence with a name or a number that stands
    in none of the texts is left out. The summary is empty where the model gives nothing usable. Raises EndpointError,
    BudgetExceeded.
    """
    shown = _first(texts)
    if not shown:
        return ""
    blocks = [PromptBlock("SUBJECT", about)] if about else []
    blocks += [PromptBlock(f"TEXT {number}", text) for number, text in enumerate(shown, 1)]
    length = f"Use at most {_most_words(max_tokens)} words.\n\n"
    messages = (Message("system", _SYSTEM), Message("user", length + fenced(fitted(blocks, model, length))))
    value = asked(model, messages, SCHEMA, max_tokens, in_vain="The texts are not summarised by the model")
    return "" if value is None else grounded(" ".join(value["summary"].split()), [*shown, about])


def grounded(summary: str, texts: Sequence[str]) -> str:
    """A summary without the sentences that have a name or a number that no text has."""
    known = {word for text in texts for word in words(text)}
    sentences = [summary[start:end] for start, end in sentence_spans(summary)]
    sound = [sentence for sentence in sentences if all(_is_known(name, known) for name in _names(sentence))]
    if len(sound) < len(sentences):
        log.info(
            "%d of %d sentences of a summary name what its texts do not", len(sentences) - len(sound), len(sentences)
        )
    return " ".join(sound)


def _names(sentence: str) -> list[str]:
    """The words of the names and numbers in a sentence; its first word only if it is a number."""
    found = _NAME.finditer(sentence)
    return [word for match in found if match.start() or match.group()[0].isdigit() for word in words(match.group())]


def _is_known(name: str, known: set[str]) -> bool:
    """Whether a word of a name occurs, or another form of it: one is the beginning of the other."""
    if name in known or name[0].isdigit() or len(name) < _LONG_ENOUGH:
        return name in known or len(name) == 1  # of "Ombry's", the s
    return any(len(word) >= _LONG_ENOUGH and (name.startswith(word) or word.startswith(name)) for word in known)


def _first(texts: Sequence[str]) -> list[str]:
    """The texts that are not empty, in order, as far as they can be shown."""
    shown: list[str] = []
    room = SHOWN_TOKENS
    for text in filter(str.strip, texts):
        needed = estimated_tokens(text)
        if needed > room:
            if not shown:
                shown.append(text[: int(len(text) * room / needed)])
            log.info("%d of %d texts are too long to be summarised together", len(texts) - len(shown), len(texts))
            break
        shown.append(text)
        room -= needed
    return shown


def _most_words(max_tokens: int) -> int:
    """A length that the cap on tokens does not cut off: a token is more than half a word, and JSON needs some."""
    return max(max_tokens // 2, 20)
