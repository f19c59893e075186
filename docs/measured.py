"""Tables of what was measured, made from benchmarks/results; docs/make_reference.py puts them in the pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DEFAULT = "auto"
RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"


def recall_files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Data set and strategies' figures of each recall run, by name."""
    found: dict[str, dict[str, Any]] = {}
    recall, answers = (
        sorted(RESULTS.glob(f"{kind}-*-dev*.json"), key=lambda file: file.stem) for kind in ("recall", "answers")
    )
    for file in (*recall, *answers):  # recall-2wiki-dev-facts.json adds to recall-2wiki-dev.json, answers replace both
        content = json.loads(file.read_text(encoding="utf-8"))
        found.setdefault(file.stem.split("-")[1], {}).update(content["strategies"])
    for data, strategies in found.items():
        yield data, dict(sorted(strategies.items(), key=lambda item: item[0] != DEFAULT))  # comes first


def percent(share: float | None) -> str:
    """A share from 0 to 1 in percent; nothing where there is none."""
    return "" if share is None else f"{100 * share:.1f}"


def recall_rows() -> Iterator[tuple[str, ...]]:
    """A row a data set and strategy: questions, recall@2, recall@5, all@5, and the answers where they were read."""
    for data, strategies in recall_files():
        for name, figures in strategies.items():
            yield data, f"`{name}`", str(figures["n"]), *(percent(figures.get(metric)) for metric in MEASURED)


MEASURED = ("recall@2", "recall@5", "all@5", "em", "f1", "accuracy")
RECALL_HEAD = ("data set", "strategy", "questions", "recall@2", "recall@5", "all@5", "EM", "F1", "accuracy")


def by_type_rows(name: str) -> Iterator[tuple[str, ...]]:
    """A strategy's recall by data set and question type; a variant's settings stand beside the data set."""
    for data, strategies in recall_files():
        for variant, figures in strategies.items():
            base, _, settings = variant.partition("(")
            if base != name:
                continue
            where = f"{data}, {settings.removesuffix(')')}" if settings else data
            for kind, part in [("all", figures), *figures["by_type"].items()]:
                shares = (percent(part[metric]) for metric in ("recall@2", "recall@5", "all@5"))
                yield where, kind, str(part["n"]), *shares


BY_TYPE_HEAD = ("data set", "type", "questions", "recall@2", "recall@5", "all@5")


def read_rows(name: str) -> Iterator[tuple[str, ...]]:
    """What was read of a strategy's passages, by data set and question type."""
    for data, strategies in recall_files():
        for variant, figures in strategies.items():
            base, _, settings = variant.partition("(")
            if base != name or figures.get("f1") is None:
                continue
            where = f"{data}, {settings.removesuffix(')')}" if settings else data
            for kind, part in [("all", figures), *figures["by_type"].items()]:
                shares = (percent(part.get(metric)) for metric in READ)
                yield where, kind, str(part["n"]), *shares


READ = ("accuracy", "em", "f1", "abstained_on_null", "lost")
READ_HEAD = ("data set", "type", "questions", "accuracy", "EM", "F1", "null left unanswered", "answerable lost")


def latency_rows(name: str = "") -> Iterator[tuple[str, ...]]:
    """A strategy's time a question, with its variants; without a name, that of all."""
    for file in sorted(RESULTS.glob("query-latency-*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        for variant, figures in content["figures"]["strategies"].items():
            if name in ("", variant.partition("(")[0]):
                about = content["about"]
                times = (figures[key] for key in ("p50_ms", "p95_ms", "around_p50_ms"))
                yield about["data"], f"{about['passages']:,}", f"`{variant}`", *(f"{time:.1f}" for time in times)


LATENCY_HEAD = ("data set", "passages", "strategy", "p50, ms", "p95, ms", "of the median outside the models, ms")


def indexing_rows() -> Iterator[tuple[str, ...]]:
    """Indexing beside the bare models."""
    for file in sorted(RESULTS.glob("indexing-*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        figures = content["figures"]
        yield (
            content["about"]["data"],
            f"{content['about']['passages']:,}",
            f"{figures['polyhop']['seconds']:.0f} s",
            f"{figures['bare']['seconds']:.0f} s",
            f"{figures['ratios']['seconds']:.2f}",
        )


INDEXING_HEAD = ("data set", "passages", "`polyhop index`", "bare embedder and bare parser", "ratio")
