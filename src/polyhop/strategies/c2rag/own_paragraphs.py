"""The paragraphs that a benchmark supplies with each question: the set U(q) of C2RAG, Eq. 11."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polyhop.errors import UsageError


@dataclass(frozen=True)
class OwnParagraphs:
    """Passage ids by question."""

    ids: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, file: Path) -> OwnParagraphs:
        """From JSON lines with ``question`` and ``context``, a list of passage ids. Raises UsageError."""
        try:
            lines = file.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeError) as error:
            raise UsageError(f"The paragraphs in {file} cannot be read: {error}") from None
        return cls(dict(_row(line, f"{file}, line {number}") for number, line in enumerate(lines, 1) if line.strip()))

    def of(self, question: str) -> tuple[str, ...]:
        """The ids of a question's paragraphs. Raises UsageError for a question that has none."""
        found = self.ids.get(_key(question), ())
        if not found:
            raise UsageError(
                f"No paragraphs are given for {question!r}.",
                remedy="Leave recovery.paragraphs out, and all passages are searched.",
            )
        return found


def _row(line: str, where: str) -> tuple[str, tuple[str, ...]]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: this is no JSON: {error}") from None
    question, context = (row.get("question"), row.get("context", [])) if isinstance(row, dict) else (None, None)
    if not isinstance(question, str) or not isinstance(context, list):
        raise UsageError(
            f"{where}: not a question with its paragraphs.",
            remedy='Each line is JSON such as {"question": "...", "context": ["passage id", ...]}.',
        )
    return _key(question), tuple(str(passage) for passage in context)


def _key(question: str) -> str:
    return " ".join(question.split())
