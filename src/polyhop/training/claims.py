"""Claims with the sentences that bear on them, as rows whose questions are answered with yes or no.

Rows of questions with a yes or no (BoolQ, CondaQA) say nothing of what it rests on; claims do, and half of them are
wrong by a word. Beside them stand questions with a sentence of the right page that does not answer them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from polyhop.english.verbs import base_of, is_past, is_third
from polyhop.store.json_lines import RowLine, rows
from polyhop.training.rows import Kind, ReadingRow

CLAIMS: Final = "evidence.jsonl.gz"
SOURCE: Final = "claims/"
INVERTED: Final = 0.75  # of the claims that can be turned into a question of one clause, that are
_VERDICTS: Final[dict[str, Kind]] = {"SUPPORTS": "yes", "REFUTES": "no"}
_NOT_ENTAILED: Final = 0  # label of a question beside a sentence that does not answer it
_FORMS: Final = ("Is it true that {claim}?", "True or false: {claim}?", "{claim}?", "Is it so that {claim}?")

_AUXILIARY = re.compile(r"((?:\S+ ){1,6}?)(is|are|was|were|can|could|will|would|must) (?!not\b|n't\b)(.+)")
_VERB = re.compile(r"((?:[A-Z]\S* ){1,4})([a-z]+)( .+)?")
_OPENERS = frozenset(("The", "A", "An", "There", "It", "He", "She", "They", "His", "Her", "Their", "In", "At", "One"))
_AUXILIARIES = frozenset(("be", "have", "do"))
_SIGNS = (("-LRB- ", "("), (" -RRB-", ")"), ("-LSB- ", "["), (" -RSB-", "]"), ("`` ", '"'), (" ''", '"'))
_BEFORE_MARK = re.compile(r" (?=[,.;:!?%)]|'s\b|n't\b|')")


def claim_rows(folder: Path, *, seed: int) -> list[ReadingRow]:
    """The rows of ``evidence.jsonl.gz``, none where that file is not there. Raises DatasetError with file and line."""
    path = folder / CLAIMS
    rng = random.Random(seed)  # noqa: S311
    return list(_rows(path, rng)) if path.exists() else []


def _rows(path: Path, rng: random.Random) -> Iterator[ReadingRow]:
    for line in rows(path):
        label = line.fields.get("label")
        if "claim" in line.fields:
            yield _claim(line, label, rng)
        elif label == _NOT_ENTAILED:
            yield ReadingRow(
                source=SOURCE + line.text("src"),
                licence=line.text("licence", "license"),
                question=line.text("question"),
                context=line.text("passage"),
                answers=(),
                kind="none",
            )


def _claim(line: RowLine, label: object, rng: random.Random) -> ReadingRow:
    if not isinstance(label, str) or label not in _VERDICTS:
        raise line.wrong(f"label is {label!r}, and none of {', '.join(_VERDICTS)}")
    sentences, gold = line.fields.get("sentences"), line.fields.get("gold")
    if not sentences:  # the claim's page is not there, only what bears on it
        sentences, gold = [line.text("evidence")], [0]
    if not isinstance(sentences, list) or not all(isinstance(one, str) for one in sentences):
        raise line.wrong("sentences is no list of texts")
    if not isinstance(gold, list) or not all(isinstance(at, int) and 0 <= at < len(sentences) for at in gold):
        raise line.wrong("gold is no list of places in sentences")
    context, rests_on = _joined([written(one) for one in sentences], gold)
    return ReadingRow(
        source=SOURCE + line.text("src"),
        licence=line.text("licence", "license"),
        question=asked(written(line.text("claim")), rng),
        context=context,
        answers=(),
        kind=_VERDICTS[label],
        rests_on=rests_on,
    )


def _joined(sentences: Sequence[str], gold: Sequence[int]) -> tuple[str, tuple[tuple[str, int], ...]]:
    starts, text = [], ""
    for sentence in sentences:
        text += " " if text else ""
        starts.append(len(text))
        text += sentence
    return text, tuple((sentences[at], starts[at]) for at in gold if sentences[at])


def written(text: str) -> str:
    """A text in tokens of a treebank as people write it."""
    for sign, meant in _SIGNS:
        text = text.replace(sign, meant)
    return _BEFORE_MARK.sub("", text).strip()


def asked(claim: str, rng: random.Random) -> str:
    """A claim as a question: with its verb in front where that is easily told, else whether it is true."""
    claim = claim.rstrip(" .")
    turned = _inverted(claim)
    if turned and rng.random() < INVERTED:
        return turned
    form = rng.choice(_FORMS)
    return form.format(claim=claim if form.startswith("{") else _opened(claim))


def _inverted(claim: str) -> str | None:
    if clause := _AUXILIARY.fullmatch(claim):
        subject, verb, rest = clause.groups()
        return f"{verb.capitalize()} {_opened(subject)}{rest}?"
    if clause := _VERB.fullmatch(claim):
        subject, verb, rest = clause.groups(default="")
        if base_of(verb) not in _AUXILIARIES and (is_past(verb) or is_third(verb)):
            return f"{'Did' if is_past(verb) else 'Does'} {_opened(subject)}{base_of(verb)}{rest}?"
    return None


def _opened(text: str) -> str:
    """A text as it goes on inside a sentence."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first in _OPENERS else text
