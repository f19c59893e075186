"""Which entities of several fact graphs are one, where each graph has already said so for itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from polyhop.indexes.names import MISSING, normal, words
from polyhop.layers.facts import merging
from polyhop.layers.facts.graph import FactGraph
from polyhop.ports import Bools

_BRACKET = re.compile(r"[(（\[]")

Member = tuple[int, int]  # a part, and the position of an entity in it


@dataclass(frozen=True, eq=False)
class Linking:
    """Joins entities of different parts that have a name in common, by the rules of ``merging``.

    Two entities of one part are never joined: that part has seen more of them. No rule asks which part comes first.
    """

    parts: Sequence[FactGraph]
    group_of: dict[Member, list[Member]] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Sequence[FactGraph], shown: Sequence[Bools]) -> Linking:
        """Of the entities that later parts add or share; those that only the first part has are not looked at."""
        linking = cls(parts)
        claimed = []
        for name, members in linking._shared_names(shown).items():
            keyed = [member for member in members if linking._key(member) == name]
            linking._join_by_key(name, keyed)
            if 0 < len(keyed) < len(members):
                claimed.append((name, keyed, [member for member in members if member not in keyed]))
        for name, keyed, claims in claimed:  # once all are joined that have one key
            linking._join_by_alias(name, keyed, claims)
        return linking

    def _shared_names(self, shown: Sequence[Bools]) -> dict[str, list[Member]]:
        """The names that several parts have, sorted, with what each means by them."""
        holders: dict[str, list[Member]] = defaultdict(list)
        for place, (part, facts) in enumerate(zip(self.parts[1:], shown, strict=True), 1):
            for entity in np.union1d(part.heads[facts], part.tails[facts]).tolist():
                self.group_of[place, entity] = [(place, entity)]
            for row, entity in enumerate(part.names.values.tolist()):
                if (place, entity) in self.group_of:
                    holders[part.names.keys[row]].append((place, entity))
        for part in self.parts[:1]:
            for name, entity in zip(holders, part.names.find_many(list(holders)).tolist(), strict=True):
                if entity != MISSING:
                    self.group_of.setdefault((0, entity), [(0, entity)])
                    holders[name].append((0, entity))
        return {name: holders[name] for name in sorted(holders) if len(holders[name]) > 1}

    def groups(self) -> list[list[Member]]:
        """The entities that are one, by their first member."""
        return sorted({id(group): sorted(group) for group in self.group_of.values()}.values())

    def _join_by_key(self, name: str, keyed: Sequence[Member]) -> None:
        """Entities with one key are one, unless brackets in titles of passages tell them apart."""
        titled: dict[str, list[Member]] = defaultdict(list)
        if any(_BRACKET.search(self.parts[part].aliases[own]) for part, own in keyed):
            for member in keyed:
                titles = (title for title in self._titles(member) if merging.base_of(title) == name)
                titled[min(titles, default="")].append(member)
        for group in titled.values() if len(titled.keys() - {""}) > 1 else [keyed]:
            for member in group[1:]:
                self._join(group[0], member)

    def _join_by_alias(self, name: str, keyed: Sequence[Member], claims: Sequence[Member]) -> None:
        """An entity takes in the one that has its alias as key, if nobody else claims the alias and it says enough."""
        own = {id(self.group_of[member]) for member in keyed}
        claims = [
            member
            for member in claims
            if id(self.group_of[member]) not in own and merging.base_of(self._key(member)) != name
        ]
        if len(own) != 1 or len({id(self.group_of[member]) for member in claims}) != 1:
            return
        acronym = any(self._is_acronym(member, name) for member in claims)
        telling = any(self._is_telling(member, name) for member in claims)
        if acronym or (telling and not self._both_titled(claims[0], keyed[0])):
            self._join(claims[0], keyed[0])

    def _join(self, left: Member, right: Member) -> None:
        first, second = self.group_of[left], self.group_of[right]
        if first is not second and not {part for part, _ in first} & {part for part, _ in second}:
            first.extend(second)
            for member in second:
                self.group_of[member] = first

    def _key(self, member: Member) -> str:
        return self.parts[member[0]].keys[member[1]]

    def _is_telling(self, member: Member, name: str) -> bool:
        """Whether an alias is more than one word of a longer name: "the Duke" may be somebody else elsewhere."""
        return len(words(name)) > 1 or len(words(self._key(member))) < 2

    def _is_acronym(self, member: Member, name: str) -> bool:
        part, own = member
        spellings = zip(
            self.parts[part].aliases[own].split("\n"), self.parts[part].reasons[own].split("\n"), strict=True
        )
        return any(reason == f"alias: {merging.ACRONYM}" and normal(said) == name for said, reason in spellings)

    def _both_titled(self, left: Member, right: Member) -> bool:
        """Whether passages are titled after both, and after none of them by the same name."""
        first, second = (
            frozenset().union(*(self._titles(member) for member in self.group_of[one])) for one in (left, right)
        )
        return bool(first and second) and not first & second

    def _titles(self, member: Member) -> frozenset[str]:
        """The titles of passages that are about an entity, as keys with their brackets."""
        part, own = self.parts[member[0]], member[1]
        leads = part.led_as_title(own, part.around.of(own))
        spellings = part.aliases[own].split("\n")
        return frozenset(merging.spelled_key(spellings[which]) for which in set(part.spelled[leads, 0].tolist()))
