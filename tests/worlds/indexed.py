"""What a run of indexing did, and what the index finds after it."""

from __future__ import annotations

from polyhop.engine import Polyhop
from polyhop.reports import IndexReport
from tests.worlds.documents import HARBOUR_BRIDGE


def extracted(report: IndexReport) -> dict[str, int]:
    return {layer.name: layer.extracted for layer in report.layers}


def counts(report: IndexReport) -> dict[str, int]:
    """What happened to the documents, without what did not."""
    names = ("added", "changed", "unchanged", "removed", "duplicates")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def titles(engine: Polyhop, question: str = HARBOUR_BRIDGE, strategy: str = "bm25") -> list[str]:
    return [passage.title for passage in engine.search(question, k=20, strategy=strategy).passages]
