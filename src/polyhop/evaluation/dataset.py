"""Reads a data set: a folder with a corpus and questions about it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from polyhop.errors import DatasetError

T = TypeVar("T")

CORPUS = "corpus.jsonl"
KNOWN_FIELDS = frozenset({"id", "question", "answer", "aliases", "type", "supporting"})
HOPS_IN_TYPE = re.compile(r"(\d+)\s*-?hop", re.IGNORECASE)  # as in 3hop1
# How LiHuaWorld and MultiHop-RAG mark a question whose answer is in no document; compared in lower case.
NULL_TYPES = frozenset({"null", "null_query"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its gold answer, which is None where the corpus does not answer it."""

    id: str
    text: str
    answer: str | None
    aliases: tuple[str, ...] = ()
    type: str | None = None
    supporting: tuple[str, ...] = ()  # ids of the passages that together answer it, without repetition
    extra: Mapping[str, Any] = field(default_factory=dict)  # fields of the row that the bench gives no meaning to

    @property
    def answerable(self) -> bool:
        """Whether the corpus answers it."""
        return self.answer is not None

    @property
    def references(self) -> tuple[str, ...]:
        """Every text that counts as the answer: none where the question is unanswerable."""
        return () if self.answer is None else (self.answer, *self.aliases)

    @property
    def decomposition(self) -> Sequence[Any]:
        """The steps that the data set takes it apart into, as the row has them; none where it does not."""
        steps = self.extra.get("decomposition")
        return steps if isinstance(steps, list) else ()

    @property
    def hops(self) -> str | None:
        """How many hops it takes, as text: what the row says, else its decomposition, else a type such as 3hop1."""
        said = self.extra.get("hops")
        if said is not None:
            return str(said)
        if self.decomposition:
            return str(len(self.decomposition))
        in_type = HOPS_IN_TYPE.match(self.type or "")
        return in_type[1] if in_type else None

    def takes(self, hops: int) -> bool:
        """Whether it is known to take at least so many hops."""
        return self.hops is not None and self.hops.isdecimal() and int(self.hops) >= hops


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Questions about a corpus, and what identifies the data they came from."""

    folder: Path
    split: str | None
    questions: tuple[Question, ...]
    passages: frozenset[str]  # the ids of the corpus
    hashes: Mapping[str, str]  # file name to sha256, hexadecimal

    @classmethod
    def read(cls, folder: Path | str, split: str | None = None) -> Dataset:
        """The data set in a folder: ``corpus.jsonl`` with ``questions_SPLIT.jsonl``, or ``questions.jsonl``.

        Raises DatasetError, which names the file and the line.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DatasetError(f"{folder} is not a folder.", remedy=f"Name a folder with {CORPUS} and questions.jsonl.")
        corpus, asked = folder / CORPUS, _questions_file(folder, split)
        passages = _by_id(corpus, ((line, _passage_id(row, corpus, line), None) for line, row in _rows(corpus)))
        read = ((line, _question(row, asked, line)) for line, row in _rows(asked))
        questions = tuple(_by_id(asked, ((line, question.id, question) for line, question in read)).values())
        if not questions:
            raise DatasetError(f"{asked} has no questions.", remedy="Write one question a line.")
        hashes = {file.name: _sha256(file) for file in (corpus, asked)}
        return cls(folder=folder, split=split, questions=questions, passages=frozenset(passages), hashes=hashes)

    @property
    def corpus(self) -> Path:
        """The file to index: every row is one passage that keeps its id."""
        return self.folder / CORPUS

    @property
    def sha256(self) -> str:
        """Identifies corpus and questions together, hexadecimal."""
        return hashlib.sha256("\n".join(f"{name} {value}" for name, value in self.hashes.items()).encode()).hexdigest()

    @property
    def unknown_supporting(self) -> Mapping[str, tuple[str, ...]]:
        """By question id, supporting passages that the corpus lacks: no ranking can reach them."""
        missing = {
            question.id: tuple(passage for passage in question.supporting if passage not in self.passages)
            for question in self.questions
        }
        return {question: passages for question, passages in missing.items() if passages}


def _questions_file(folder: Path, split: str | None) -> Path:
    file = folder / ("questions.jsonl" if split is None else f"questions_{split}.jsonl")
    if file.is_file():
        return file
    splits = sorted(path.stem.removeprefix("questions_") for path in folder.glob("questions_*.jsonl"))
    remedy = f"Choose one with --split: {', '.join(splits)}." if splits else "Write one question a line to that file."
    raise DatasetError(f"{file} does not exist.", remedy=remedy)


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers; empty lines are passed over."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _row(line, file, number)
    except OSError as error:
        raise DatasetError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{file} is not UTF-8 ({error.reason}).", remedy="Save it as UTF-8.") from error


def _row(line: str, file: Path, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{file}, line {number}: not JSON ({error}).") from error
    if not isinstance(row, dict):
        _refuse(file, number, f"an object was expected, not {type(row).__name__}")
    return row


def _refuse(file: Path, line: int, reason: str) -> NoReturn:
    raise DatasetError(
        f"{file}, line {line}: {reason}.",
        remedy='Corpus rows are {"id", "title", "text"}; question rows are {"id", "question", "answer", "supporting"}.',
    )


def _by_id(file: Path, rows: Iterable[tuple[int, str, T]]) -> dict[str, T]:
    """Rows (line number, id, content) as contents by id, in the order of the file."""
    found: dict[str, T] = {}
    for line, name, content in rows:
        if name in found:
            _refuse(file, line, f"the id {name!r} is used twice")
        found[name] = content
    return found


def _passage_id(row: Mapping[str, Any], file: Path, line: int) -> str:
    if not isinstance(row.get("text"), str):
        _refuse(file, line, "the field 'text' is missing or not a text")
    return _identifier(row.get("id"), file, line)


def _identifier(value: object, file: Path, line: int) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        _refuse(file, line, f"the id must be a text or a whole number, not {value!r}")
    return str(value)


def _question(row: Mapping[str, Any], file: Path, line: int) -> Question:
    text, kind, supporting = row.get("question"), row.get("type"), row.get("supporting")
    if not isinstance(text, str) or not text.strip():
        _refuse(file, line, "the field 'question' is missing or empty")
    if not isinstance(supporting, (list, type(None))):
        _refuse(file, line, "'supporting' must be a list of passage ids")
    answers = [*_answers(row.get("answer"), file, line, "answer"), *_answers(row.get("aliases"), file, line, "aliases")]
    extra = {key: value for key, value in row.items() if key not in KNOWN_FIELDS}
    if str(kind).lower() in NULL_TYPES and answers:
        extra["answer"], answers = row.get("answer"), []
    return Question(
        id=_identifier(row.get("id"), file, line),
        text=text,
        answer=answers[0] if answers else None,
        aliases=tuple(dict.fromkeys(answers[1:])),
        type=None if kind is None else str(kind),
        supporting=tuple(dict.fromkeys(_identifier(passage, file, line) for passage in supporting or ())),
        extra=extra,
    )


def _answers(value: object, file: Path, line: int, name: str) -> list[str]:
    """A field's answers as texts: none for null and empty text, several for a list."""
    if value is None or value == "":
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, (str, int, float)):
        return [str(value)]
    if isinstance(value, list):
        return [text for item in value for text in _answers(item, file, line, name)]
    _refuse(file, line, f"{name!r} must be a text, a number, null or a list of them, not {value!r}")


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
