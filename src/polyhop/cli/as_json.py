"""Answers and reports as JSON: the same names as in the library."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from polyhop.types import Answer, Evidence


def text_of(content: Any) -> str:
    """JSON text for people and programs: readable where standard output can show every letter, else escaped."""
    shows_all = (sys.stdout.encoding or "").lower().replace("_", "-") in ("utf-8", "utf8")
    return json.dumps(content, ensure_ascii=not shows_all, indent=2)


def evidence_of(evidence: Evidence) -> dict[str, Any]:
    """Evidence with the tokens that it cost."""
    content = asdict(evidence)
    content["cost"]["tokens"] = evidence.cost.tokens
    return content


def answer_of(answer: Answer) -> dict[str, Any]:
    """An answer with its status; ``answer`` is null where the documents do not answer."""
    return {
        "question": answer.question,
        "status": answer.status.value,
        "answer": answer.text,
        "confidence": answer.confidence,
        "citations": [asdict(citation) for citation in answer.citations],
        "reader": answer.reader,
        "evidence": evidence_of(answer.evidence),
        "manifest": dict(answer.manifest),
    }
