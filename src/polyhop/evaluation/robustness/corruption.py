"""Damages a fact graph on purpose, by a known share and always in the same way (C2RAG, section 4.3 and Figure 3)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np

from polyhop.errors import UsageError, nearest
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.robustness import damage
from polyhop.evaluation.robustness.damage import Change, Sites
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import Edit, Overlay, Worded, generation_of, place_of, quota
from polyhop.ports import Ints, LanguageModel
from polyhop.prompts.edit_fact import EDITABLE, edit_fact
from polyhop.settings import Settings
from polyhop.types import Passage

logger = logging.getLogger(__name__)

GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "spurious": (damage.OVER_GENERALISED, damage.MIS_BOUND, damage.SEMANTIC_FLIP),
        "incomplete": (damage.MISSING_BRIDGE, damage.DROPPED_QUALIFIER),
    }
)
KINDS: Final = (*damage.RULES, *GROUPS)
_NAMES_SHOWN: Final = 20  # of a passage, to the editor


class Passages(Protocol):
    """Where the text behind facts is found; a record has it, and so has a view."""

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """Passages by number, in the order given."""


def corrupt(
    graph: FactGraph,
    record: Passages,
    *,
    kind: str,
    ratio: float,
    seed: int = 0,
    around: Sequence[str] | None = None,
    editor: LanguageModel | None = None,
) -> Overlay:
    """An overlay that damages a share of the facts around some names or, without them, of the whole graph.

    ``kind`` is one of KINDS; a group mixes its kinds evenly as long as they fit. ``ratio``, above 0 and at most 1, is
    of the live facts that touch a named entity. The facts damaged at a lower ratio are damaged in the same way at a
    higher one. With ``editor`` a language model words the damage, and a rule does where its words are of no use; what
    is removed is removed by rule. Raises UsageError, EndpointError, BudgetExceeded.
    """
    kinds = kinds_of(kind)
    if not 0 < ratio <= 1:
        raise UsageError(f"The ratio must be above 0 and at most 1, not {ratio}.")
    needed = frozenset() if around is None else frozenset(entities_of(graph, around))
    pool = _pool(graph, None if around is None else needed)
    sites = Sites(graph=graph, seed=seed, needed=needed)
    edits = tuple(_edits(sites, record, pool, kinds, quota(ratio, len(pool)), editor))
    if len(edits) < quota(ratio, len(pool)):
        logger.info("%s fits only %d of %d facts", kind, len(edits), len(pool))
    return Overlay(
        kind=kind,
        ratio=ratio,
        seed=seed,
        generation=generation_of(graph),
        pool=len(pool),
        edits=edits,
        around=None if around is None else len(needed),
    )


def kinds_of(name: str) -> tuple[str, ...]:
    """The kinds of damage that a kind or a group stands for. Raises UsageError."""
    if name not in KINDS:
        raise UsageError(f"There is no kind of damage {name!r}.", remedy=nearest(name, KINDS))
    return GROUPS.get(name, (name,))


def needed_names(questions: Iterable[Question], record: Passages, numbers: Mapping[str, int]) -> tuple[str, ...]:
    """The names on the way to the answers: those in the decompositions, and the titles of the supporting passages.

    ``numbers``: the number of each passage id that is in the index.
    """
    found: dict[str, None] = {}
    for question in questions:
        found |= dict.fromkeys(name for step in question.decomposition for name in _names_of(step))
        supporting = [numbers[passage] for passage in question.supporting if passage in numbers]
        found |= dict.fromkeys(passage.title for passage in record.passages(supporting) if passage.title)
    return tuple(found)


def entities_of(graph: FactGraph, names: Iterable[str]) -> list[int]:
    """The entities that the names name, ascending; names that the graph does not know are passed over."""
    found = (graph.find(name) for name in names)
    return sorted({entity for entity in found if entity is not None})


def undamaged(settings: Settings) -> Settings:
    """The settings without an overlay: the facts layer as it is."""
    facts = {key: value for key, value in settings.of("layers.facts").items() if key != "overlay"}
    return replace(settings, components={**settings.components, "layers.facts": facts})


def _names_of(step: object) -> Iterator[str]:
    """The names in a step of a decomposition: the ends of a triple, or the answer and what stands before ``>>``."""
    if isinstance(step, list) and len(step) == 3:
        yield from (str(step[0]), str(step[2]))
    elif isinstance(step, dict):
        subject, arrow, _ = str(step.get("question", "")).partition(">>")
        if arrow and subject.strip() and not subject.strip().startswith("#"):
            yield subject.strip()
        if step.get("answer"):
            yield str(step["answer"])


def _pool(graph: FactGraph, needed: frozenset[int] | None) -> Ints:
    if needed is None:
        return np.flatnonzero(graph.alive[graph.rows]).astype(np.int64)
    return graph.touching(sorted(needed))


def _edits(
    sites: Sites, record: Passages, pool: Ints, kinds: Sequence[str], wanted: int, editor: LanguageModel | None
) -> Iterator[Edit]:
    """The kinds take turns, each with the next fact that it fits; a larger share only takes more turns."""
    order = sorted(pool.tolist(), key=lambda place: (sites.draw(place, "order"), place))
    turns = {kind: _fitting(kind, sites, order) for kind in kinds}
    edited: set[int] = set()
    while turns and len(edited) < wanted:
        for kind in [each for each in kinds if each in turns]:
            found = next((each for each in turns[kind] if each[0] not in edited), None)
            if found is None:
                del turns[kind]
            elif len(edited) < wanted:
                position, change = found
                edited.add(position)
                edit = _edit(kind, sites, position, change)
                yield edit if editor is None else _worded(edit, sites, position, record, editor)


def _fitting(kind: str, sites: Sites, order: Sequence[int]) -> Iterator[tuple[int, Change]]:
    """The facts that a kind of damage fits, with what becomes of them."""
    for position in order:
        change = damage.RULES[kind](sites, position)
        if change is not None:
            yield position, change


def _edit(kind: str, sites: Sites, position: int, change: Change) -> Edit:
    number, ordinal = place_of(sites.graph, position)
    before = Worded.of(sites.graph.fact(position))
    return Edit(passage=number, ordinal=ordinal, kind=kind, before=before, after=change.after)


def _worded(edit: Edit, sites: Sites, position: int, record: Passages, editor: LanguageModel) -> Edit:
    """The edit in the words of a language model, where they are of use."""
    if edit.after is None or edit.kind not in EDITABLE:
        return edit
    graph, (number, start, end) = sites.graph, sites.graph.place(position)
    fact = graph.fact(position)
    others = (graph.fact(other) for other in graph.facts_of(number).tolist())
    names = list(dict.fromkeys(name for other in others for name in (other.head, other.tail)))[:_NAMES_SHOWN]
    sentence = record.passages([number])[0].text[start:end]
    said = edit_fact(editor, edit.kind, fact, sentence, names)
    if said is None:
        return edit
    labels = (fact.head_label, fact.tail_label)
    if said[0] != fact.head and edit.kind == damage.SEMANTIC_FLIP:
        labels = (fact.tail_label, fact.head_label)
    words = Worded(*said, *labels)
    return edit if sites.stated(position, words) else replace(edit, after=words, editor=editor.name)
