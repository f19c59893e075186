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
        found: dict[str, tuple[str, ...]] = {}
        try:
            with file.open(encoding="utf-8-sig") as lines:
                for number, line in enumerate(lines, start=1):  # noqa: B007  (named where a line is refused)
                    if line.strip():
                        row = json.loads(line)
                        found[_key(row["question"])] = tuple(str(passage) for passage in row.get("context", ()))
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{file}, line {number}: not a question with its paragraphs ({error}).",
                remedy='Each line is JSON such as {"question": "...", "context": ["passage id", ...]}.',
            ) from error
        return cls(found)

    def of(self, question: str) -> tuple[str, ...]:
        """The ids of a question's paragraphs. Raises UsageError for a question that has none."""
        found = self.ids.get(_key(question), ())
        if not found:
            raise UsageError(
                f"No paragraphs are given for {question!r}.", remedy="Use recovery=open, which needs none."
            )
        return found


def _key(question: str) -> str:
    return " ".join(question.split())
