"""The reader: where the answer to a question begins and ends in a window, what says so, and whether there is one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from polyhop.models.cross_encoder import reranker_folder
from polyhop.models.session import feed_of, open_session
from polyhop.ports import Floats
from polyhop.training import card, export
from polyhop.training.across_documents import SOURCE as ACROSS
from polyhop.training.across_documents import across_rows
from polyhop.training.claims import CLAIMS, claim_rows
from polyhop.training.claims import SOURCE as CLAIMED
from polyhop.training.documents import SOURCE as ASKED_OF
from polyhop.training.documents import document_files, document_rows
from polyhop.training.encoder import Bert, EncoderShape
from polyhop.training.graph import Head
from polyhop.training.loop import (
    by_length,
    half_precision,
    padded,
    parameter_groups,
    sent,
    tell_stage,
    tokens_sent,
)
from polyhop.training.made_tables import SOURCE as TABLES
from polyhop.training.made_tables import made_tables
from polyhop.training.mixture import Windows, mixed, share_of, source_of
from polyhop.training.rows import KINDS, MULTI_HOP, READING, MultiHopRow, ReadingRow, multi_hop_rows, reading_rows
from polyhop.training.scoring import WindowRead, figures, read, score
from polyhop.training.start import finished_weights
from polyhop.training.step_rows import SOURCE as STEPPED
from polyhop.training.step_rows import step_rows
from polyhop.training.taught_plans import STEPS
from polyhop.training.trainer import Lesson, Trainer
from polyhop.training.triples import SOURCE as STATED
from polyhop.training.triples import TRIPLES, triple_rows
from polyhop.training.window_file import MADE, Prepared, read_prepared, write_prepared
from polyhop.training.windows import Window

HEADS = (Head(name="tokens", on="every token"), Head(name="kind", on="the first token"))
START, END, EVIDENCE = range(3)  # what the head on every token says
SPAN = KINDS.index("span")
FORBIDDEN = -1e4
READ_AT_ONCE = 24
ASIDE_OFTEN, ASIDE_AT_LAST = 500, 1_400  # windows kept aside that are read during training, and behind it
ASIDE_BESIDES = 150  # at most, of each of the sources in BESIDES, beside them
BESIDES = (CLAIMED, STATED, STEPPED, TABLES, ASKED_OF, ACROSS)  # what their sources begin with


class ReaderNetwork(nn.Module):
    """An encoder with a head on every token (start, end, evidence) and one on the first (none, span, yes, no)."""

    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.tokens = nn.Linear(body.shape.width, 3)
        self.kind = nn.Linear(body.shape.width, len(KINDS))

    def forward(self, ids: Any, mask: Any, segments: Any) -> tuple[Any, Any]:
        """Logits of shape (B, T, 3) and (B, 4)."""
        hidden = self.body(ids, mask, segments)
        return self.tokens(hidden), self.kind(hidden[:, 0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Windows of one batch, padded: tensors of shape (B, T), the spans (B, S, 2); kinds, told and span counts (B,)."""

    ids: Any
    mask: Any
    segments: Any
    allowed: Any
    evidence: Any
    spans: Any
    span_counts: Any
    kinds: Any
    told: Any

    @classmethod
    def of(cls, windows: Sequence[Window], device: Any) -> Batch:
        """The windows, padded to the longest."""
        most = max(1, *(len(window.spans) for window in windows))
        spans = [[*window.spans, *([(0, 0)] * (most - len(window.spans)))] for window in windows]
        ids, mask, segments = tokens_sent([one.ids for one in windows], [one.asked for one in windows], device)
        length = ids.shape[1]
        return cls(
            ids=ids,
            mask=mask,
            segments=segments,
            allowed=sent(padded([window.allowed for window in windows], length, np.bool_), device),
            evidence=sent(padded([window.evidence for window in windows], length, np.float32), device),
            spans=sent(np.array(spans, np.int64), device),
            span_counts=sent(np.array([len(window.spans) for window in windows]), device),
            kinds=sent(np.array([window.kind for window in windows]), device),
            told=sent(np.array([window.told for window in windows]), device),
        )


def losses(tokens: Any, kind: Any, batch: Batch) -> dict[str, Any]:
    """Three losses of logits (B, T, 3) and (B, 4).

    The kind's cross entropy; for spans, minus the log-probability that one of the answer's occurrences is meant, a mean
    over all windows; for evidence, the mean binary cross entropy over the passages' tokens of windows where it is known
    (what a yes or no rests on often is not).
    """
    tokens = tokens.float()
    ends = functional.log_softmax(tokens[..., : END + 1].masked_fill(~batch.allowed[..., None], FORBIDDEN), dim=1)
    rows = torch.arange(len(batch.kinds), device=tokens.device)[:, None]
    meant = ends[rows, batch.spans[..., 0], START] + ends[rows, batch.spans[..., 1], END]
    places = torch.arange(batch.spans.shape[1], device=tokens.device)
    spanning = batch.kinds == SPAN
    none_there = (places >= batch.span_counts[:, None]) & spanning[:, None]
    # Windows without a span count nothing; to choose the others by index would wait for the device.
    likely = torch.logsumexp(meant.masked_fill(none_there, -torch.inf), dim=1).masked_fill(~spanning, 0.0)
    span = -likely.sum() / len(batch.kinds)
    told = (batch.mask.bool() & batch.segments.bool() & batch.told[:, None]).float()
    evidence = functional.binary_cross_entropy_with_logits(tokens[..., EVIDENCE], batch.evidence, reduction="none")
    return {
        "kind": functional.cross_entropy(kind.float(), batch.kinds),
        "span": span,
        "evidence": (evidence * told).sum() / told.sum().clamp(min=1),
    }


@dataclass(frozen=True, kw_only=True)
class ReaderTrainee:
    """The reader's network with its losses, and the windows kept aside that say how well it reads."""

    network: ReaderNetwork
    aside: Sequence[Window]
    device: Any

    def groups(self) -> list[dict[str, Any]]:
        """Of the encoder and of both heads."""
        return parameter_groups(self.network.body, [self.network.tokens, self.network.kind])

    def losses(self, batch: Sequence[Window]) -> dict[str, Any]:
        """Of kind, span and evidence."""
        padded = Batch.of(batch, self.device)
        with half_precision(self.device):
            tokens, kind = self.network(padded.ids, padded.mask, padded.segments)
        return losses(tokens, kind, padded)

    def score(self) -> float:
        """Of the windows kept aside, 0 to 100."""
        return score(self.readings())

    def readings(self) -> list[WindowRead]:
        """What the network, which has to be in eval mode, makes of the windows kept aside."""
        found = []
        for windows in by_length(self.aside, READ_AT_ONCE):
            batch = Batch.of(windows, self.device)
            with half_precision(self.device):
                logits = self.network(batch.ids, batch.mask, batch.segments)
            tokens, kind = (value.float().cpu().numpy() for value in logits)
            found += [read(one, tokens[row, : len(one.ids)], kind[row]) for row, one in enumerate(windows)]
        return found


@dataclass(frozen=True, kw_only=True)
class ReaderTrainer(Trainer):
    """Trains a reader."""

    name: ClassVar[str] = "reader"
    heads: ClassVar = HEADS

    body: Callable[[], Bert] = Bert.installed  # what training starts from, its heads being new
    share: float = 1.0  # of the rows of reading, claims and triples, so that the others count for more
    tables: int = 0  # rows about tables that are made up, beside those of the folder
    documents: Path | None = None  # a folder of documents with questions, beside those rows
    windows: Path | None = None  # a file that ``prepare`` wrote, perhaps elsewhere, instead of the rows

    def prepare(self) -> Path:
        """Make the windows of the rows and write them into ``out``; returns the file.

        Raises DatasetError for a bad row, StorageFull.
        """
        path = self.out / MADE
        write_prepared(path, self._made())
        return path

    def lesson(self, device: Any) -> Lesson:
        """The windows of the rows, or those that were prepared."""
        prepared = self._made() if self.windows is None else read_prepared(self.windows)
        windows = prepared.windows
        # A finished reader brings all weights, so that the installed ones are not needed.
        body = self.body() if self.start is None else Bert(EncoderShape.of(finished_weights(self.start)))
        network = self.started(ReaderNetwork(body)).to(device)
        trainee = ReaderTrainee(network=network, aside=_some(windows, ASIDE_OFTEN), device=device)
        aside = _some(windows, ASIDE_AT_LAST)
        return Lesson(
            trainee=trainee,
            examples=windows.training,
            hashes=prepared.hashes,
            choice=prepared.choice,
            as_trained=lambda: figures(replace(trainee, aside=aside).readings()),
            as_exported=lambda folder: figures(readings_of(folder / export.MODEL, aside)),
            told={"purpose": PURPOSE, "sources": prepared.origins, "limits": LIMITS},
        )

    def _made(self) -> Prepared:
        """The windows of the rows, and what they were made of."""
        reading, multi_hop = self._rows()
        tell_stage(self.listener, "preparing windows")
        windows = mixed(reading, multi_hop, reranker_folder() / export.TOKENIZER, seed=self.course.seed)
        files = document_files(self.documents) if self.documents is not None else ()
        return Prepared(
            windows=windows,
            hashes=self.hashes((READING, MULTI_HOP, CLAIMS, TRIPLES, STEPS), files),
            origins=_sources(reading, multi_hop, windows),
            choice={"tables": self.tables, "share": self.share, "drawn": self.course.seed},
        )

    def _rows(self) -> tuple[list[ReadingRow], list[MultiHopRow]]:
        tell_stage(self.listener, "reading rows")
        made = made_tables(self.tables, seed=self.course.seed)
        plain = [*reading_rows(self.data), *claim_rows(self.data, seed=self.course.seed)]
        plain = share_of([*plain, *triple_rows(self.data, seed=self.course.seed)], self.share, seed=self.course.seed)
        asked = document_rows(self.documents) if self.documents is not None else []
        whole = multi_hop_rows(self.data)
        steps = step_rows(self.data, whole)
        across = across_rows(self.documents) if self.documents is not None else []
        return [*plain, *made, *asked], [*whole, *steps, *across]


def readings_of(graph: Path, windows: Sequence[Window]) -> list[WindowRead]:
    """What an exported graph makes of windows, each read alone, as it is later."""
    session = open_session(graph, threads=1)

    def logits(window: Window) -> tuple[Floats, Floats]:
        tokens, kind = session.run(["tokens", "kind"], feed_of(window.ids, window.asked))
        return tokens[0], kind[0]

    return [read(window, *logits(window)) for window in windows]


def _some(windows: Windows, most: int) -> Sequence[Window]:
    """The same windows of those kept aside, whatever the seed of the run, with some of claims, triples and tables."""
    aside = [window for window in windows.aside if not window.source.startswith(BESIDES)]
    chosen = random.Random(2).sample(aside, min(most, len(aside)))  # noqa: S311
    besides = [[one for one in windows.aside if one.source.startswith(name)] for name in BESIDES]
    return (*chosen, *[window for ours in besides for window in ours[:ASIDE_BESIDES]])


def _sources(reading: Sequence[ReadingRow], multi_hop: Sequence[MultiHopRow], windows: Windows) -> list[card.Origin]:
    """Each source with its licence, and how many windows are made of it."""
    licences = {row.source: row.licence for row in reading}
    licences |= {source_of(row): row.licence for row in multi_hop}
    return card.origins((window.source, licences[window.source]) for window in windows.training)


PURPOSE = """\
Reads a question and passages together. For each token: whether an answer begins there, ends there, and whether it \
belongs to a sentence that holds the answer. For the whole: whether the answer is a span, yes, no, or not there."""
LIMITS = (
    "English only, and mostly text in sentences: tables, if any, were made up, a thing a row or column; no code.",
    "Windows of at most 320 tokens, the question among them: of longer passages, sentences have to be chosen first.",
    "One span an answer. Lists, explanations and summaries are not learnt.",
    "Contexts without an answer are in part those of other questions; many passages about the same thing are rare.",
    "A context that was kept aside may have been read in training beside another one, never with its own question.",
)
