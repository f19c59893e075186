"""The reranker: how much of what a question asks for a passage holds, or passages that a link joins."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import torch
from torch import nn
from torch.nn import functional

from polyhop.models.cross_encoder import reranker_folder
from polyhop.models.session import feed_of, open_session
from polyhop.training import card, export
from polyhop.training.claims import CLAIMS, claim_rows
from polyhop.training.encoder import Bert
from polyhop.training.graph import Head
from polyhop.training.loop import Course, by_length, half_precision, parameter_groups, tell_stage, tokens_sent
from polyhop.training.rivals import Slates, slates
from polyhop.training.rows import MULTI_HOP, READING, multi_hop_rows, reading_rows
from polyhop.training.slates import Slate, SlateRead, figures, judged, score
from polyhop.training.start import installed_weights
from polyhop.training.trainer import Lesson, Trainer

HEADS: Final = (Head(name="relevance", on="the first token", pooled=True),)
FROZEN: Final = 8  # layers that stay as they are: more than half of the time, and what the rest rests on does not move
READ_AT_ONCE: Final = 8  # slates
ASIDE_OFTEN: Final = 90  # slates kept aside that are read during training, spread over all
ASIDE_AT_LAST: Final = 300
UNIT: Final = "slates"
KEPT: Final = 0.05  # what a squared logit of difference from the start costs, on ordinary rows
SURE: Final = 0.3  # what the binary cross entropy counts for
COURSE: Final = Course(
    rows=4_000, rate=1e-4, warm_up=30, cooldown=800, tokens=4_000, pool=200, measured_every=800, saved_every=200
)


class RerankerNetwork(nn.Module):
    """An encoder with the head of a cross-encoder."""

    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.relevance = Relevance(body.shape.width)

    def forward(self, ids: Any, mask: Any, segments: Any) -> Any:
        """Logits of shape (B,)."""
        return self.relevance(self.body(ids, mask, segments)[:, 0])[:, 0]

    def freeze(self, layers: int) -> None:
        """Have the embeddings and the first layers stay as they are."""
        fixed = [self.body.seg, self.body.norm, *self.body.layers[:layers]]
        for part in fixed:
            part.requires_grad_(False)


class Relevance(nn.Linear):
    """A layer with a tanh on the first token, then one logit; named as the export names a pooled head."""

    def __init__(self, width: int) -> None:
        super().__init__(width, 1)
        self.pooler = nn.Linear(width, width)

    def forward(self, first: Any) -> Any:
        """Hidden states of shape (B, width) to logits of shape (B, 1)."""
        return super().forward(torch.tanh(self.pooler(first)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlateBatch:
    """The pairs of several slates, padded: ids, mask and segments (N, T); each pair's slate, grade and kind (N,)."""

    ids: Any
    mask: Any
    segments: Any
    slates: Any
    grades: Any
    ordinary: Any

    @classmethod
    def of(cls, read: Sequence[Slate], device: Any) -> SlateBatch:
        """The slates, padded to the longest pair."""
        pairs = [(place, pair, slate.asked) for place, slate in enumerate(read) for pair in slate.pairs]
        ids, mask, segments = tokens_sent([pair for _, pair, _ in pairs], [asked for *_, asked in pairs], device)
        return cls(
            ids=ids,
            mask=mask,
            segments=segments,
            slates=torch.tensor([place for place, _, _ in pairs], device=device),
            grades=torch.tensor([grade for slate in read for grade in slate.grades], device=device),
            ordinary=torch.tensor([read[place].kind == "ordinary" for place, _, _ in pairs], device=device),
        )


def losses(logits: Any, batch: SlateBatch) -> dict[str, Any]:
    """Two losses of logits (N,).

    The order: for each text that holds something, minus the log-probability that it is taken before all of its slate
    that hold less, a mean over these texts. Sure: the binary cross entropy of each text, so that scores stay chances.
    """
    logits = logits.float()
    worse = (batch.slates[:, None] == batch.slates[None, :]) & (batch.grades[None, :] < batch.grades[:, None])
    against = logits[None, :].expand_as(worse).masked_fill(~worse, -torch.inf)
    taken = torch.logsumexp(torch.cat([logits[:, None], against], dim=1), dim=1) - logits
    right = (batch.grades > 0).float()
    each = functional.binary_cross_entropy_with_logits(logits, right, reduction="mean")
    return {"order": (taken * right).sum() / right.sum().clamp(min=1), "sure": SURE * each}


@dataclass(frozen=True, kw_only=True)
class RerankerTrainee:
    """The reranker's network with its losses, what it was before, and the slates kept aside."""

    network: RerankerNetwork
    before: RerankerNetwork  # never trained; ordinary rows are to be scored as it does
    aside: Sequence[Slate]
    device: Any

    def groups(self) -> list[dict[str, Any]]:
        """What learns: matrices decay."""
        return parameter_groups(self.network)

    def losses(self, batch: Sequence[Slate]) -> dict[str, Any]:
        """Of order and sureness, and of the distance from the start on ordinary rows."""
        padded = SlateBatch.of(batch, self.device)
        with half_precision(self.device):
            logits = self.network(padded.ids, padded.mask, padded.segments)
        return {**losses(logits, padded), "kept": KEPT * self._moved(logits.float(), padded)}

    def _moved(self, logits: Any, batch: SlateBatch) -> Any:
        """The mean squared difference from the scores before, over ordinary rows."""
        if not bool(batch.ordinary.any()):
            return logits.sum() * 0
        ours = (batch.ids[batch.ordinary], batch.mask[batch.ordinary], batch.segments[batch.ordinary])
        with torch.no_grad(), half_precision(self.device):
            before = self.before(*ours)
        return ((logits[batch.ordinary] - before.float()) ** 2).mean()

    def score(self) -> float:
        """How well the slates kept aside are ordered, 0 to 100."""
        return score(self.readings())

    def readings(self) -> list[SlateRead]:
        """What the network, which has to be in eval mode, makes of the slates kept aside."""
        found: list[SlateRead] = []
        for read in by_length(self.aside, READ_AT_ONCE):
            batch = SlateBatch.of(read, self.device)
            with half_precision(self.device):
                logits = self.network(batch.ids, batch.mask, batch.segments).float().cpu().numpy()
            places = batch.slates.cpu().numpy()
            found += [judged(slate, logits[places == place]) for place, slate in enumerate(read)]
        return found


def installed_network() -> RerankerNetwork:
    """The installed cross-encoder as a network. Raises ModelMissing, ModelError."""
    network = RerankerNetwork(Bert())
    network.load_state_dict({name: torch.tensor(value) for name, value in installed_weights().items()})
    return network


@dataclass(frozen=True, kw_only=True)
class RerankerTrainer(Trainer):
    """Trains a reranker."""

    name: ClassVar[str] = "reranker"
    heads: ClassVar = HEADS

    course: Course = COURSE
    network: Callable[[], RerankerNetwork] = installed_network  # what training starts from
    frozen: int = FROZEN

    def lesson(self, device: Any) -> Lesson:
        """The slates of the rows."""
        made = self._slates()
        network = self.network().to(device)
        before = copy.deepcopy(network).eval().requires_grad_(False)
        self.started(network).freeze(self.frozen)
        trainee = RerankerTrainee(network=network, before=before, aside=_some(made, ASIDE_OFTEN), device=device)
        last = replace(trainee, aside=_some(made, ASIDE_AT_LAST))
        return Lesson(
            trainee=trainee,
            examples=made.training,
            hashes=self.hashes(FILES),
            choice={"frozen": self.frozen},
            as_trained=lambda: _beside_before(last),
            as_exported=lambda folder: figures(readings_of(folder / export.MODEL, last.aside)),
            told={
                "purpose": PURPOSE,
                "sources": card.origins((slate.source, slate.licence) for slate in made.training),
                "limits": LIMITS,
                "unit": UNIT,
                "columns": (UNIT, "first", "pairwise", "right", "wrong", "score"),
                "explained": EXPLAINED,
            },
        )

    def _slates(self) -> Slates:
        tell_stage(self.listener, "reading rows")
        multi_hop = multi_hop_rows(self.data)
        ordinary = [*reading_rows(self.data), *claim_rows(self.data, seed=self.course.seed)]
        tell_stage(self.listener, "looking for rivals")
        return slates(multi_hop, ordinary, reranker_folder() / export.TOKENIZER, seed=self.course.seed)


def _beside_before(trainee: RerankerTrainee) -> dict[str, dict[str, float]]:
    """How well slates are ordered and, beside it, how well they were before."""
    before = figures(replace(trainee, network=trainee.before).readings())
    return {**figures(trainee.readings()), **{f"{name}, before": table for name, table in before.items()}}


def readings_of(graph: Path, read: Iterable[Slate]) -> list[SlateRead]:
    """What an exported graph makes of slates, each pair read alone, as it is later."""
    session = open_session(graph, threads=1)

    def logit(pair: Sequence[int], asked: int) -> float:
        return float(session.run(["relevance"], feed_of(pair, asked))[0][0, 0])

    return [judged(slate, [logit(pair, slate.asked) for pair in slate.pairs]) for slate in read]


def _some(made: Slates, most: int) -> Sequence[Slate]:
    """So many of the slates kept aside, spread over all of them."""
    count = min(most, len(made.aside))
    return [made.aside[at * len(made.aside) // count] for at in range(count)]


FILES: Final = (MULTI_HOP, READING, CLAIMS)
PURPOSE: Final = """\
Reads a question and a text together: a passage, or the passages of a path, one behind the other. One logit: whether \
the text holds what the question asks for, of a path all of it."""
EXPLAINED: Final = (
    "On slates of questions that were kept aside, one in twenty: the right texts among those that our own retrieval "
    "finds beside them. First is how often a best text comes first, pairwise how often a text comes before one that "
    "holds less; right and wrong are the mean logits of texts that hold something and of the others; the score is the "
    "mean of first and pairwise."
)
LIMITS: Final = (
    "English only. A question and at most two or three excerpts of 800 characters.",
    "Most questions of several steps are about entities of Wikipedia, and so are their paths.",
    "A path is right where all of its passages are, and else wrong: what a part of one tells is not learnt.",
    "Of a passage that is needed and does not look like the question, only the path to it tells that it is.",
)
