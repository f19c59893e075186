"""What the engine reports about its work: progress while indexing, summaries after, the state of an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyhop.serialisable import Serialisable
from polyhop.types import Cost, Hop


@dataclass(frozen=True, slots=True)
class Skipped(Serialisable):
    """An input that was not indexed, and why; ``uri`` names the file, and the line or row where it is one of many."""

    uri: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one stage of a long run has come; ``total`` is None while it is not known."""

    stage: str  # reading, gathering, or a layer's name
    done: int
    total: int | None
    unit: str  # documents, passages, ...
    note: str = ""  # what else is worth watching


ProgressListener = Callable[[Progress], None]
CostListener = Callable[[Cost], None]  # what a question took of language models, once it has ended
HopListener = Callable[[int, Hop], None]  # a hop's place among those of the evidence, and the hop, once it is settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents(Serialisable):
    """What a layer found in its passages when it was gathered last, and what its checks rejected."""

    things: str  # what is counted: facts, questions, hyperrelations
    count: int
    passages: int | None = None  # that have any; None: not counted
    of: int | None = None  # passages that were done
    rejected: Mapping[str, int] | None = None  # by reason, none of it is stored; None: of a layer that rejects nothing
    counts: Mapping[str, int] = field(default_factory=dict)  # what else there is, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport(Serialisable):
    """What one indexing run did, or (dry run) would do, for a layer."""

    name: str
    extracted: int  # passages done now; in a dry run, to be done
    reused: int  # passages that were up to date
    failed: int
    seconds: float  # in a dry run, a forecast
    cost: Cost = Cost()  # of language models; in a dry run, at most, if no answer has to be asked for again
    stopped: str = ""  # why a cap ended it before all was done
    left: int = 0  # passages that it then did not come to
    contents: Contents | None = None  # afterwards; None: of layers that count nothing, and in a dry run


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport(Serialisable):
    """The summary of an indexing run, or (``dry_run``) of what it would do."""

    dry_run: bool
    added: int
    changed: int
    unchanged: int
    removed: int
    duplicates: int  # documents, not rows, with title and text of another; a file without a title has its name for one
    skipped: tuple[Skipped, ...]
    documents: int  # in the index afterwards
    passages: int
    entities: int
    layers: tuple[LayerReport, ...]
    seconds: float
    cost: Cost = Cost()  # of all layers

    @property
    def stopped(self) -> bool:
        """Whether a cap ended a layer before all was done; what was done is searchable."""
        return any(layer.stopped for layer in self.layers)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStatus(Serialisable):
    """How complete and how fresh a layer is, counted in passages."""

    name: str
    done: int
    stale: int  # made with other settings or models
    failed: int
    missing: int
    fingerprint: str
    cost: Cost = Cost()  # of language models, in all runs and for all questions since the index was made
    whole: bool = True  # False: grown on demand, so that passages are missing because no question came to them
    contents: Contents | None = None  # of a whole layer that tells what it found

    @property
    def has_gaps(self) -> bool:
        """Whether bringing the index up to date would do something for it."""
        return self.whole and bool(self.missing or self.stale or self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus(Serialisable):
    """The state of an index."""

    path: str
    version: str  # of Polyhop, that wrote it last
    documents: int
    passages: int
    entities: int
    bytes: int
    layers: tuple[LayerStatus, ...]
    models: dict[str, str]
    writer: str | None  # who is writing now, if anybody

    @property
    def has_gaps(self) -> bool:
        """Whether bringing it up to date would do something, as where a run was interrupted before its first layer."""
        return any(layer.has_gaps for layer in self.layers) or bool(self.passages and not self.layers)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveReport(Serialisable):
    """Which documents were removed, and which of the names asked for are not in the index, or mean several files."""

    removed: tuple[str, ...]  # ids of documents
    uris: tuple[str, ...]  # of these documents
    missing: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]  # names that several files end in, with those files
    passages: int  # removed with the documents
