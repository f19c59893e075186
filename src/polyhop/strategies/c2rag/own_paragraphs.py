"""The paragraphs that a benchmark supplies with each question: the set U(q) of C2RAG, Eq. 11."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polyhop.errors import UsageError
from polyhop.store.json_lines import RowLine, rows


@dataclass(frozen=True)
class OwnParagraphs:
    """Passage ids by question."""

    ids: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, file: Path) -> OwnParagraphs:
        """From JSON lines with ``question`` and ``context``, a list of passage ids. Raises UsageError."""
        return cls(dict(map(_paragraphs, rows(file))))

    def of(self, question: str) -> tuple[str, ...]:
        """The ids of a question's paragraphs. Raises UsageError for a question that has none."""
        found = self.ids.get(_key(question), ())
        if not found:
            raise UsageError(
                f"No paragraphs are given for {question!r}.",
                remedy="Leave recovery.paragraphs out, and all passages are searched.",
            )
        return found


def _paragraphs(row: RowLine) -> tuple[str, tuple[str, ...]]:
    question, context = row.fields.get("question"), row.fields.get("context", [])
    if not isinstance(question, str) or not isinstance(context, list):
        remedy = 'Each line is JSON such as {"question": "...", "context": ["passage id", ...]}.'
        raise row.wrong("not a question with its paragraphs", remedy)
    return _key(question), tuple(str(passage) for passage in context)


def _key(question: str) -> str:
    return " ".join(question.split())
