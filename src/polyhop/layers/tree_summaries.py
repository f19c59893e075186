"""The summaries of a tree: central sentences, or a language model's, which are kept so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from polyhop.errors import BudgetExceeded, ModelError, PolyhopError, StorageFull
from polyhop.indexes.lexical import tokens
from polyhop.layers.summary import NAME, extractive_summary
from polyhop.ports import Floats, LanguageModel
from polyhop.tasks.summarise import PROMPT_VERSION, summarise
from polyhop.types import Cost

logger = logging.getLogger(__name__)

FOLDER = "summaries"  # in that of the index
CENTRAL = NAME  # what makes summaries without a language model


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Texts that are to be summed up, and the marks of all passages that they come from."""

    texts: tuple[str, ...]
    passages: tuple[str, ...]


def word_vectors(sentences: Sequence[str]) -> Floats:
    """Unit vectors of sentences by their words, those that few of them have counting most, as in LexRank.

    Float32 of shape (len(sentences), distinct words). Erkan and Radev, 2004: TF-IDF, here within what is summed up.
    """
    terms = [tokens(sentence) for sentence in sentences]
    places = {word: place for place, word in enumerate(sorted({word for line in terms for word in line}))}
    counts = np.zeros((len(sentences), max(len(places), 1)))
    for row, line in enumerate(terms):
        for word in line:
            counts[row, places[word]] += 1
    rarity = np.log((1 + len(sentences)) / np.maximum((counts > 0).sum(axis=0), 1))
    weighted = counts * rarity
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    units: Floats = (weighted / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return units


def maker_of(model: LanguageModel, max_tokens: int) -> str:
    """Identifies the summaries that a language model gives."""
    return f"{model.name} {PROMPT_VERSION} {max_tokens}"


class Kept:
    """Summaries that were paid for, by what they sum up and who made them: one line of JSON each in a file.

    A line is on disk before the next call begins. What a killed writer left half done is passed over. For one writer,
    whose threads may share it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._texts: dict[str, str] = {}
        self._damaged = file.is_file() and not file.read_bytes().endswith(b"\n")
        for line in self._lines():
            try:
                entry = json.loads(line)
                self._texts[str(entry["key"])] = str(entry["text"])
            except (ValueError, TypeError, LookupError):
                self._damaged = True

    @classmethod
    def of(cls, index: Path) -> Kept:
        """Those of the index in a folder."""
        return cls(index / FOLDER / "tree.jsonl")

    def __len__(self) -> int:
        return len(self._texts)

    def get(self, work: Work, maker: str) -> str | None:
        """The summary that a maker gave of some texts, if it is kept; empty where nothing usable was given."""
        return self._texts.get(_key(work, maker))

    def put(self, work: Work, maker: str, text: str) -> None:
        """Keep a summary, at once and durably. Raises StorageFull."""
        key = _key(work, maker)
        with self._lock:
            self._write([json.dumps({"key": key, "of": work.passages, "text": text})], self._file, "ab")
            self._texts[key] = text

    def forget_all_but(self, passages: Iterable[str]) -> None:
        """Let go of summaries of passages that are there no more: of a removed document no text stays behind.

        Raises StorageFull.
        """
        live = set(passages)
        kept, lost = [], 0
        for line in self._lines():
            try:
                whole = live.issuperset(json.loads(line)["of"])
            except (ValueError, TypeError, LookupError):
                whole = False
            kept += [line] if whole else []
            lost += not whole
        if lost:
            partial = self._file.with_name(f".{self._file.name}-{secrets.token_hex(6)}")
            self._write(kept, partial, "wb")
            partial.replace(self._file)
            self._texts = {entry["key"]: entry["text"] for entry in map(json.loads, kept)}
            self._damaged = False

    def _lines(self) -> Iterator[str]:
        if self._file.is_file():
            yield from self._file.read_text(encoding="utf-8", errors="replace").splitlines()

    def _write(self, lines: Sequence[str], target: Path, mode: str) -> None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open(mode) as file:
                if self._damaged and mode == "ab":
                    file.write(b"\n")  # what a killed writer left has no end of line
                    self._damaged = False
                file.write("".join(f"{line}\n" for line in lines).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageFull(f"{target} cannot be written: {error.strerror or error}.") from error


def _key(work: Work, maker: str) -> str:
    content = json.dumps([maker, *work.texts])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(kw_only=True)
class Summariser:
    """Sums up the clusters of one gathering, and counts what came of it."""

    sentences: int  # of a summary without a language model, at most
    max_tokens: int  # of a summary
    model: LanguageModel | None = None  # that may be asked and paid
    maker: str = CENTRAL  # whose kept summaries are used
    kept: Kept | None = None
    cost: Cost = Cost()
    lacking: int = 0  # summaries that the language model should have made, and did not
    stopped: str = ""  # why
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, works: Sequence[Work]) -> list[str]:
        """A summary of each; of central sentences where no language model is asked, or it gave none."""
        if self.kept is None:
            return [self._central(work) for work in works]
        found = {place: self.kept.get(work, self.maker) for place, work in enumerate(works)}
        missing = [place for place, text in found.items() if text is None]
        if self.model is not None and missing:
            at_once = int(getattr(self.model, "concurrency", 1))
            made = self._asked([works[place] for place in missing], at_once)
            found |= {missing[place]: text for place, text in made.items()}
        self.lacking += sum(text is None for text in found.values())
        return [found[place] or self._central(work) for place, work in enumerate(works)]

    def _central(self, work: Work) -> str:
        summary = extractive_summary(work.texts, word_vectors, sentences=self.sentences, tokens=self.max_tokens)
        return summary or work.texts[0][: self.max_tokens]  # a single word may be longer than a summary

    def _asked(self, works: Sequence[Work], at_once: int) -> dict[int, str]:
        """What the language model gives, by place, until a cap is reached or it cannot be asked."""
        results: dict[int, str] = {}
        errors: list[PolyhopError] = []
        waiting = iter(range(len(works)))
        stop = threading.Event()

        def run() -> None:
            while not stop.is_set() and not self.stopped:
                with self._lock:
                    place = next(waiting, None)
                if place is None:
                    return
                try:
                    results[place] = self._paid(works[place])
                except PolyhopError as error:
                    errors.append(error)
                    stop.set()

        threads = [threading.Thread(target=run, daemon=True) for _ in range(min(at_once, len(works)))]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)  # in slices, because Windows cannot interrupt a join without end
        finally:
            stop.set()
        if errors and at_once > 1 and all(isinstance(error, BudgetExceeded) for error in errors):
            left = [place for place in range(len(works)) if place not in results]  # calls beside others need more room
            alone = self._asked([works[place] for place in left], 1)
            return results | {left[place]: text for place, text in alone.items()}
        for error in errors:
            if not isinstance(error, (BudgetExceeded, ModelError)):
                raise error
            self.stopped = f"{error} {error.remedy}".strip()
            logger.warning("tree: no further summaries by the language model: %s", self.stopped)
        return results

    def _paid(self, work: Work) -> str:
        if self.model is None or self.kept is None:
            return ""
        text, cost = summarise(self.model, work.texts, max_tokens=self.max_tokens)
        self.kept.put(work, self.maker, text)
        with self._lock:
            self.cost += cost
        return text
