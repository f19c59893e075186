"""Makes a data set for ``polyhop eval`` of the files that MultiHop-RAG publishes (Tang and Yang 2024).

SOURCE has ``corpus.json``, a list of articles, and ``MultiHopRAG.json``, a list of questions. Articles are cut into
passages of 1,200 tokens that share 100; each begins with the article's source and day, which the questions speak of. A
passage is supporting where it holds a fact that the question has as evidence, compared by words. Questions of the type
``null_query`` have neither an answer nor supporting passages.

    python benchmarks/multihop_rag.py SOURCE FOLDER [--tokens N] [--overlap N]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyhop.documents.chunking import count_tokens, cut
from polyhop.documents.loading import file_document
from polyhop.errors import DatasetError, PolyhopError
from polyhop.evaluation.dataset import NULL_TYPES
from polyhop.settings import Chunking

ARTICLES, QUESTIONS = "corpus.json", "MultiHopRAG.json"
WORD = re.compile(r"[^\W_]+")
DAY = re.compile(r"\d{4}-\d\d-\d\d(?=T|\s|$)")

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A passage of an article, as a row of the corpus and as words to look for facts in."""

    row: Row
    words: str


def listed(file: Path, fields: Sequence[str]) -> list[Mapping[str, Any]]:
    """The objects of a JSON list, each of which has these fields. Raises DatasetError."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise DatasetError(f"{file} is not JSON ({error}).") from error
    if not isinstance(rows, list):
        raise DatasetError(f"{file} is not a list of objects.")
    for number, row in enumerate(rows, start=1):
        missing = [field for field in fields if not isinstance(row, dict) or field not in row]
        if missing:
            raise DatasetError(f"{file}, item {number} has no field {missing[0]!r}.")
    return rows


def words_of(text: str) -> str:
    """The words of a text in lower case, with a space around each."""
    return f" {' '.join(WORD.findall(text.lower()))} "


def pieces_of(articles: Sequence[Mapping[str, Any]], chunking: Chunking) -> dict[str, list[Piece]]:
    """By the address of an article its passages, in order."""
    found: dict[str, list[Piece]] = {}
    for place, article in enumerate(articles):
        url, day = str(article["url"]), DAY.match(str(article.get("published_at") or ""))
        told = ", ".join(filter(None, (str(article.get("source") or ""), day[0] if day else "")))
        document = file_document(url, str(article["body"] or ""), "text/plain", title=str(article["title"] or ""))
        room = replace(
            chunking, tokens=chunking.tokens - count_tokens(told)
        )  # five rows of 1,200 fill the paper's 6,000
        for number, passage in enumerate(cut(document, room)):
            text = f"{told}\n\n{passage.text}" if told else passage.text
            row = {"id": f"article-{place}-passage-{number}", "title": document.title, "text": text, "url": url}
            found.setdefault(url, []).append(Piece(row=row, words=words_of(passage.text)))
    return found


def asked(rows: Sequence[Mapping[str, Any]], pieces: Mapping[str, Sequence[Piece]]) -> Iterator[tuple[Row, int]]:
    """Each question as a row, and how many of its facts are in no passage of their article."""
    for place, row in enumerate(rows):
        kind, evidence = str(row["question_type"]), row["evidence_list"] or []
        null = kind.lower() in NULL_TYPES
        holders = [] if null else [list(_holding(one, pieces)) for one in evidence]
        question = {
            "id": f"question-{place}",
            "question": row["query"],
            "answer": None if null else row["answer"],
            "type": kind,
            "supporting": list(dict.fromkeys(name for names in holders for name in names)),
        }
        yield question | ({} if null else {"hops": len(evidence)}), sum(not names for names in holders)


def _holding(evidence: object, pieces: Mapping[str, Sequence[Piece]]) -> Iterator[str]:
    """The ids of the passages that hold a fact; none where the evidence has another form."""
    if not isinstance(evidence, Mapping):
        return
    fact = words_of(str(evidence.get("fact") or ""))
    for piece in pieces.get(str(evidence.get("url")), ()):
        if fact.strip() and fact in piece.words:
            yield piece.row["id"]


def convert(source: Path, folder: Path, chunking: Chunking) -> str:
    """Write ``corpus.jsonl`` and ``questions.jsonl``; what they hold, in words. Raises DatasetError, OSError."""
    articles = listed(source / ARTICLES, ("title", "url", "body"))
    rows = listed(source / QUESTIONS, ("query", "answer", "question_type", "evidence_list"))
    pieces = pieces_of(articles, chunking)
    corpus = [piece.row for found in pieces.values() for piece in found]
    questions = list(asked(rows, pieces))
    folder.mkdir(parents=True, exist_ok=True)
    for name, written in (("corpus", corpus), ("questions", [row for row, _ in questions])):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in written)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    lost, null = sum(number for _, number in questions), sum(row["answer"] is None for row, _ in questions)
    told = f"{len(articles)} articles in {len(corpus)} passages; {len(questions)} questions, {null} without an answer"
    return told + (f"; facts that no passage holds, so that nothing is named for them: {lost}" if lost else "")


def main() -> None:
    """Make the data set, and say what it holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help=f"a folder with {ARTICLES} and {QUESTIONS}")
    parser.add_argument("folder", type=Path, help="where corpus.jsonl and questions.jsonl go")
    parser.add_argument("--tokens", type=int, default=1200, help="of a passage, at most (%(default)s)")
    parser.add_argument("--overlap", type=int, default=100, help="that passages share (%(default)s)")
    options = parser.parse_args()
    try:
        chunking = Chunking(tokens=options.tokens, overlap=options.overlap)
        print(f"{options.folder}: {convert(options.source, options.folder, chunking)}.")
    except (PolyhopError, OSError, ValueError) as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
