"""Reads a data set: a folder with a corpus or documents, and questions about it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from polyhop.documents.loading import one_line
from polyhop.documents.reading import Source, find
from polyhop.errors import DatasetError
from polyhop.models.weights import sha256_of
from polyhop.store.json_lines import RowLine, rows

T = TypeVar("T")

MISSING = "Name a folder with questions.jsonl and either corpus.jsonl or a folder documents."
ROWS = (
    'Corpus rows are {"id", "title", "text"}; question rows are {"id", "question", "answer"} with "supporting", ids of '
    'the corpus, or "evidence", sentences.'
)
CORPUS = "corpus.jsonl"
DOCUMENTS = "documents"
KNOWN_FIELDS = frozenset({"id", "question", "answer", "aliases", "type", "supporting", "evidence"})
HOPS_IN_TYPE = re.compile(r"(\d+)\s*-?hop", re.IGNORECASE)  # as in 3hop1
LONGEST_HOPS = 9  # digits
# How LiHuaWorld and MultiHop-RAG mark a question whose answer is in no document; compared in lower case.
NULL_TYPES = frozenset({"null", "null_query"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its gold answer, which is None where the corpus does not answer it, and its gold evidence.

    Evidence is named by the ids of passages, or told in sentences where a data set knows no passages; or both.
    """

    id: str
    text: str
    answer: str | None
    aliases: tuple[str, ...] = ()
    type: str | None = None
    supporting: tuple[str, ...] = ()  # ids of the passages that together answer it, without repetition
    evidence: tuple[str, ...] = ()  # sentences that together answer it, not in the corpus's own words
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
            return str(int(said)) if isinstance(said, float) and said.is_integer() else str(said)
        if self.decomposition:
            return str(len(self.decomposition))
        in_type = HOPS_IN_TYPE.match(self.type or "")
        return in_type[1] if in_type else None

    def takes(self, hops: int) -> bool:
        """Whether it is known to take at least so many hops: what has more digits than such a number tells none."""
        said = self.hops or ""
        return said.isdecimal() and len(said) <= LONGEST_HOPS and int(said) >= hops


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Questions about a corpus, and what identifies the data they came from."""

    folder: Path
    split: str | None
    questions: tuple[Question, ...]
    passages: frozenset[str] | None  # the ids of the corpus; None: it is documents, whose passages indexing makes
    hashes: Mapping[str, str]  # file name to sha256, hexadecimal

    @classmethod
    def read(cls, folder: Path | str, split: str | None = None) -> Dataset:
        """The data set in a folder: ``questions_SPLIT.jsonl`` or ``questions.jsonl`` and what they are about.

        That is ``corpus.jsonl``, whose rows are passages; without it the files below ``documents/`` of which there is
        a loader. Raises DatasetError, which names the file and the line.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DatasetError(f"{folder} is not a folder.", remedy=MISSING)
        asked = _questions_file(folder, split)
        files, passages = _corpus(folder)
        read = ((row, _question(row, by_id=passages is not None)) for row in rows(asked))
        questions = tuple(_by_id((row, question.id, question) for row, question in read).values())
        if not questions:
            raise DatasetError(f"{asked} has no questions.", remedy="Write one question a line.")
        hashes = {}
        for file in (*files, asked):
            with suppress(OSError):  # indexing leaves out such a document, too, and says why
                hashes[file.relative_to(folder).as_posix()] = sha256_of(file)
        return cls(folder=folder, split=split, questions=questions, passages=passages, hashes=hashes)

    @property
    def corpus(self) -> Path:
        """What to index: a file, every row of which is one passage that keeps its id, or a folder of documents."""
        return self.folder / (DOCUMENTS if self.passages is None else CORPUS)

    @property
    def sha256(self) -> str:
        """Identifies corpus and questions together, hexadecimal."""
        lines = "\n".join(f"{name} {value}" for name, value in self.hashes.items())
        return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()  # a name may be of any bytes

    @property
    def unknown_supporting(self) -> Mapping[str, tuple[str, ...]]:
        """By question id, supporting passages that the corpus lacks: no ranking can reach them."""
        known = self.passages or frozenset()
        missing = {
            question.id: tuple(passage for passage in question.supporting if passage not in known)
            for question in self.questions
        }
        return {question: passages for question, passages in missing.items() if passages}


def _corpus(folder: Path) -> tuple[list[Path], frozenset[str] | None]:
    """The files that questions are about, in order, and the ids of their passages where they have any."""
    corpus, documents = folder / CORPUS, folder / DOCUMENTS
    if corpus.is_file():
        return [corpus], frozenset(_by_id((row, _passage_id(row), None) for row in rows(corpus)))
    if not documents.is_dir():
        raise DatasetError(f"{folder} has neither {CORPUS} nor a folder {DOCUMENTS}.", remedy=MISSING)
    files = sorted(source.path for source in find([documents]) if isinstance(source, Source))
    if not files:
        raise DatasetError(f"{documents} has no file that can be read.", remedy="Put documents there.")
    return files, None


def _questions_file(folder: Path, split: str | None) -> Path:
    """The file of a split among those that are there: no path is made of its name, which may be any text."""
    name = "questions.jsonl" if split is None else f"questions_{split}.jsonl"
    there = {path.name: path for path in sorted(folder.glob("questions*.jsonl"))}
    if name in there and there[name].is_file():
        return there[name]
    splits = [path.stem.removeprefix("questions_") for path in there.values() if path.is_file() and "_" in path.stem]
    remedy = f"Choose one with --split: {', '.join(splits)}." if splits else "Write one question a line to that file."
    missing = f"{folder / name} does not exist." if split is None else f"{folder} has no file of a split {split!r}."
    if name in there:  # perhaps a link to what is not there
        missing = f"{there[name]} is {'a folder, not a file' if there[name].is_dir() else 'no file that can be read'}."
    raise DatasetError(missing, remedy=remedy)


def _refused(row: RowLine, reason: str) -> DatasetError:
    return row.wrong(reason, ROWS)


def _by_id(read: Iterable[tuple[RowLine, str, T]]) -> dict[str, T]:
    """What rows hold (row, id, content) by id, in the order of the file."""
    found: dict[str, T] = {}
    for row, name, content in read:
        if name in found:
            raise _refused(row, f"the id {name!r} is used twice")
        found[name] = content
    return found


def _passage_id(row: RowLine) -> str:
    if not isinstance(row.fields.get("text"), str):
        raise _refused(row, "the field 'text' is missing or not a text")
    return _identifier(row.fields.get("id"), row)


def _identifier(value: object, row: RowLine) -> str:
    """An id as the index keeps it: white space in it is one blank, and none at its ends."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not (identity := one_line(str(value))):
        raise _refused(row, f"the id must be a text or a whole number, not {value!r}")
    return identity


def _question(row: RowLine, *, by_id: bool) -> Question:
    """A row's question; ``by_id``: whether there are passages whose ids it may name."""
    fields = row.fields
    text, kind, supporting = fields.get("question"), fields.get("type"), fields.get("supporting")
    if not isinstance(text, str) or not text.strip():
        raise _refused(row, "the field 'question' is missing or empty")
    if not isinstance(supporting, (list, type(None))):
        raise _refused(row, "'supporting' must be a list of passage ids")
    if supporting and not by_id:
        raise _refused(row, "'supporting' names passages, but documents have none before they are indexed")
    answers, aliases = (_answers(fields.get(name), row, name) for name in ("answer", "aliases"))
    right = [*answers, *aliases] if answers and str(kind).lower() not in NULL_TYPES else []
    return Question(
        id=_identifier(fields.get("id"), row),
        text=text,
        answer=right[0] if right else None,
        aliases=tuple(dict.fromkeys(right[1:])),
        type=None if kind is None else str(kind),
        supporting=tuple(dict.fromkeys(_identifier(passage, row) for passage in supporting or ())),
        evidence=_sentences(fields.get("evidence"), row),
        extra={key: value for key, value in fields.items() if key not in KNOWN_FIELDS},
    )


def _sentences(value: object, row: RowLine) -> tuple[str, ...]:
    """The sentences of a field, each once."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(sentence, str) and sentence.strip() for sentence in value):
        raise _refused(row, "'evidence' must be a list of sentences")
    return tuple(dict.fromkeys(value))


def _answers(value: object, row: RowLine, name: str) -> list[str]:
    """A field's answers as texts: none for null and blank text, several for a list."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, (str, int, float)):
        return [str(value)]
    if isinstance(value, list):
        return [text for item in value for text in _answers(item, row, name)]
    raise _refused(row, f"{name!r} must be a text, a number, null or a list of them, not {value!r}")
