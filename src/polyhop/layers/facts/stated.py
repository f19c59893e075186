"""What passages state, as columns: the one form in which facts of any number of passages are gathered.

A name, a relation or a label is held once, however often it is said, and a fact is a row of small numbers. What a
generation was gathered from is read out of its arrays again, so that only passages that came since are decoded.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.layers.facts import merging
from polyhop.ports import Bools, Floats, Ints
from polyhop.types import Fact, Passage

Stated = tuple[int, Passage, Sequence[Fact]]  # a passage's number, the passage, and the facts it states
COLUMNS: Final = ("rows", "heads", "relation_ids", "tails", "spans", "labelled", "confidences")  # one entry a fact


@dataclass(frozen=True, kw_only=True, eq=False)
class StatedFacts:
    """Facts in the order of the passages that state them, and what else these say of names."""

    numbers: Ints  # passage number of each row, ascending
    titles: Sequence[str]  # of each row
    names: Sequence[str]  # of heads and tails, each once
    relations: Sequence[str]
    labels: Sequence[str]
    rows: Ints  # fact -> row into numbers, ascending
    heads: Ints  # fact -> name
    relation_ids: Ints
    tails: Ints
    spans: Ints  # (m, 2): the evidence, offsets into the passage's text
    labelled: Ints  # (m, 2): the label of the head, and of the tail
    confidences: Floats  # fact -> 0 to 1
    acronyms: Sequence[str]  # a name and its acronym, on two lines
    acronym_rows: Ints  # which row says each of them, ascending

    @classmethod
    def of(cls, stated: Iterable[Stated]) -> Self:
        """Of passages in any order."""
        draft = _Draft()
        for number, passage, facts in stated:
            draft.add(number, passage, facts)
        return cls._collected(draft)._in_order()

    @classmethod
    def of_rows(cls, numbers: Sequence[int], facts: Iterable[tuple[int, Fact]]) -> Self:
        """Facts with the row of each, ascending, of passages of which nothing else is known."""
        draft = _Draft(numbers=list(numbers), titles=[""] * len(numbers))
        for row, fact in facts:
            draft.state(row, fact)
        return cls._collected(draft)

    @classmethod
    def _collected(cls, draft: _Draft) -> Self:
        columns = np.array(draft.columns, np.int64).reshape(-1, 8)
        return cls(
            numbers=np.array(draft.numbers, np.int64),
            titles=draft.titles,
            names=list(draft.names),
            relations=list(draft.relations),
            labels=list(draft.labels),
            rows=columns[:, 0],
            heads=columns[:, 1],
            relation_ids=columns[:, 2],
            tails=columns[:, 3],
            spans=columns[:, 4:6],
            labelled=columns[:, 6:],
            confidences=np.array(draft.confidences, np.float32),
            acronyms=draft.acronyms,
            acronym_rows=np.array(draft.acronym_rows, np.int64),
        )

    def of_passages(self, kept: Bools) -> Self:
        """What some passages state, by row; names that they do not say stay."""
        return self._reordered(np.flatnonzero(kept))

    def of_facts(self, kept: Bools | Ints) -> Self:
        """The same passages with some of their facts, or with all of them in another order."""
        columns: dict[str, Any] = {name: getattr(self, name)[kept] for name in COLUMNS}
        return replace(self, **columns)

    def naming(self, bases: Sequence[str]) -> Self:
        """The facts whose ends are names; ``bases``: each name as ``normal`` makes it, empty for one without words."""
        words = np.array([bool(base) for base in bases], np.bool_)
        kept = words[self.heads] & words[self.tails]
        return self if kept.all() else self.of_facts(kept)

    @cached_property
    def claims(self) -> list[tuple[int, str]]:
        """The facts that say that their tail is another name of their head, in order, each with its alias relation."""
        said = [merging.alias_relation(relation) for relation in self.relations]
        claiming = np.array([bool(reason) for reason in said], np.bool_)
        found = []
        for fact in np.flatnonzero(claiming[self.relation_ids]).tolist():
            reason = said[self.relation_ids[fact]]
            head, tail = self.names[self.heads[fact]], self.names[self.tails[fact]]
            if merging.states_alias(reason, head, tail, self.labels[self.labelled[fact, 1]]):
                found.append((fact, reason))
        return found

    def with_more(self, more: StatedFacts) -> Self:
        """What these passages and others state."""
        names, name = _together(self.names, more.names)
        relations, relation = _together(self.relations, more.relations)
        labels, label = _together(self.labels, more.labels)
        rows = len(self.numbers)
        others = replace(
            more,
            rows=more.rows + rows,
            heads=name[more.heads],
            relation_ids=relation[more.relation_ids],
            tails=name[more.tails],
            labelled=label[more.labelled],
            acronym_rows=more.acronym_rows + rows,
        )
        columns: dict[str, Any] = {
            column: np.concatenate([getattr(self, column), getattr(others, column)])
            for column in ("numbers", "acronym_rows", *COLUMNS)
        }
        titles, acronyms = [*self.titles, *more.titles], [*self.acronyms, *more.acronyms]
        texts: dict[str, Any] = {
            "names": names,
            "relations": relations,
            "labels": labels,
            "titles": titles,
            "acronyms": acronyms,
        }
        return replace(self, **columns, **texts)._in_order()

    def _in_order(self) -> Self:
        """The same with passages in the order of their numbers."""
        there = (np.diff(self.numbers) > 0).all()
        return self if there else self._reordered(np.argsort(self.numbers, kind="stable"))

    def _reordered(self, order: Ints) -> Self:
        """The passages of some rows in another order, with what they state."""
        row = np.full(len(self.numbers), -1)
        row[order] = np.arange(len(order))
        rows, said = row[self.rows], row[self.acronym_rows]
        facts, acronyms = (np.argsort(each, kind="stable")[np.count_nonzero(each < 0) :] for each in (rows, said))
        return replace(
            self.of_facts(facts),
            numbers=self.numbers[order],
            titles=[self.titles[place] for place in order.tolist()],
            rows=rows[facts],
            acronyms=[self.acronyms[place] for place in acronyms.tolist()],
            acronym_rows=said[acronyms],
        )


@dataclass
class _Draft:
    """Columns that are being collected."""

    numbers: list[int] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    relations: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    columns: array[int] = field(default_factory=lambda: array("q"))
    confidences: array[float] = field(default_factory=lambda: array("f"))
    acronyms: list[str] = field(default_factory=list)
    acronym_rows: list[int] = field(default_factory=list)

    def add(self, number: int, passage: Passage, facts: Iterable[Fact]) -> None:
        row = len(self.numbers)
        self.numbers.append(number)
        self.titles.append(one_line(passage.title))
        for text in (passage.title, passage.text):
            for name, short in merging.acronyms(text):
                self.acronyms.append(f"{one_line(name)}\n{one_line(short)}")
                self.acronym_rows.append(row)
        for fact in facts:
            self.state(row, fact)

    def state(self, row: int, fact: Fact) -> None:
        self.columns.extend(
            (
                row,
                _place(self.names, one_line(fact.head)),
                _place(self.relations, one_line(fact.relation)),
                _place(self.names, one_line(fact.tail)),
                fact.start,
                fact.end,
                _place(self.labels, fact.head_label),
                _place(self.labels, fact.tail_label),
            )
        )
        self.confidences.append(fact.confidence)


def one_line(text: str) -> str:
    """White space as single spaces: spellings are kept one a line. Half of a surrogate pair becomes a question mark."""
    line = " ".join(text.split())
    return line if line.isascii() else line.encode("utf-8", "replace").decode()


def _place(places: dict[str, int], text: str) -> int:
    return places.setdefault(text, len(places))


def _together(texts: Sequence[str], more: Sequence[str]) -> tuple[Sequence[str], NDArray[np.int64]]:
    """Texts with those of others that are new, and what each of the others is then."""
    places = {text: place for place, text in enumerate(texts)}
    which = np.array([_place(places, text) for text in more], np.int64)
    return list(places), which
