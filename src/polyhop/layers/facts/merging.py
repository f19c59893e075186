"""Which names are one entity: by normalised name, by alias, by acronym and, where that is wanted, by similarity.

What is decided here, and why:

- Names with the same normalised key are one entity ("The Korr" and "Korr").
- Brackets tell things apart only where two titles contradict each other: beside "John Bell (painter)" and "John Bell
  (officer)" (or a plain "John Bell") each title is an entity of its own. A mention without brackets is the one that its
  passage is titled after, and otherwise the plain key's. With one such title only, brackets change nothing, unless
  other passages write the name as a common noun: an editor is not "The Editor (film)".
- An alias that a fact states ("also known as") joins two entities; so does an acronym in brackets after the words that
  it abbreviates, "World Health Organization (WHO)", where what is called so is mostly written as one. An alias that
  several entities claim joins none of them, nor does a single word for a longer name ("the Duke") that passages without
  that name use, too.
- A similar name joins the more frequent name that it is similar to, never one that is only similar to a similar one.
- Dates and numbers, names with contradicting labels, and (acronyms aside) two titles of passages are never joined.
- What somebody has kept apart stays apart, whatever the reason to join it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from polyhop.english.words import word_set
from polyhop.indexes.names import normal, words
from polyhop.ports import Floats, Ints

Pair = tuple[str, str]  # two keys that must not be one entity, the lower first
BY_NAME = "name"
ACRONYM = "acronym"
BLOCK = 1 << 24  # cosines held at once: 64 MiB
MOST_WORDS = 12  # of a name that an acronym in brackets stands for
MOST_CHARACTERS = 160

# Relations that state another name, without the "is" or "was" before them.
ALIAS_RELATIONS = frozenset({
    "abbreviated as", "abbreviation", "aka", "a k a", "alias", "alternative name", "also called", "also known as",
    "also named", "also spelled", "better known as", "birth name", "born", "born as", "commonly known as",
    "formerly", "formerly called", "formerly known as", "full name", "known as", "nee", "nickname", "nicknamed",
    "originally named", "other name", "pen name", "previously known as", "pseudonym", "real name", "spelled",
    "stage name", "synonym",
})  # fmt: skip
_BIRTH_NAMES = frozenset({"born", "nee"})  # may also have a place or a date behind them
_AUXILIARIES = word_set("is are was were be been has have had")
_GROUPS = {  # labels that parsers mistake for each other do not contradict each other
    **dict.fromkeys(("GPE", "LOC", "FAC"), "place"),
    **dict.fromkeys(("ORG", "PRODUCT", "WORK_OF_ART", "EVENT", "LAW", "NORP", "LANGUAGE"), "thing"),
    **dict.fromkeys(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"), "number"),
    "PERSON": "person",
}
_NUMERALS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_ORDERING = frozenset({*_NUMERALS, "jr", "sr", "junior", "senior"})
_SMALL = word_set("a an and at by de der des di du et for from in la le of on the to und van von")
_BRACKET = re.compile(r"[(（\[]([^()（）\[\]]*)[)）\]]\s*$")
_IN_BRACKETS = re.compile(r"\(([^()]{2,120})\)")
_NO_NAME = re.compile(r"[^\w&.'’ -]|[.'’] ")  # ends what may stand before the brackets


def label_group(label: str) -> str:
    """What a label says a name is: a person, a place, a thing or a number; nothing where it says nothing."""
    return _GROUPS.get(label, "")


def informative(labels: Mapping[str, int]) -> str:
    """The most frequent label that says what a name is; TITLE or nothing where there is none."""
    ranked = sorted(labels, key=lambda label: (label == "", label == "TITLE", -labels[label], label))
    return ranked[0] if ranked else ""


# Keys: which entity a spelling names before anything is joined.


def spelled_key(name: str) -> str:
    """A name as a key that keeps its brackets: "The Korr (2001 film)" becomes "korr (2001 film)"."""
    return with_bracket(normal(name), name)


def with_bracket(base: str, name: str) -> str:
    """The normalised name, with what the brackets at its end say."""
    bracket = bracket_of(name)
    return f"{base} ({bracket})" if bracket else base


def base_of(key: str) -> str:
    """A key without its brackets."""
    return key.partition(" (")[0]


def bracket_of(name: str) -> str:
    """The folded words in the brackets at a name's end, if they say which thing of that name it is."""
    match = _BRACKET.search(name)
    if match is None or not words(name[: match.start()]) or is_acronym(match[1], name[: match.start()]):
        return ""
    return " ".join(words(match[1]))


@dataclass(frozen=True)
class Keys:
    """Says which key a mention has, given the titles that there are and what was kept apart."""

    separate: Mapping[str, Set[str]]  # normalised name -> the brackets that make another thing of it
    bases: dict[str, str] = field(default_factory=dict, repr=False)  # names that were normalised before

    @classmethod
    def build(cls, titles: Iterable[str], apart: Iterable[Pair] = (), common: Iterable[str] = ()) -> Keys:
        """From all titles of passages, the pairs that are kept apart, and names that are written as common nouns."""
        titled: dict[str, set[str]] = defaultdict(set)
        for title in titles:
            titled[normal(title)].add(bracket_of(title))
        for noun in {normal(name) for name in common} & titled.keys():
            titled[noun].add("")
        separate = {base: brackets - {""} for base, brackets in titled.items() if base and len(brackets) > 1}
        for key in (key for pair in apart for key in pair):
            base, opened, bracket = key.partition(" (")
            if opened:
                separate[base] = separate.get(base, set()) | {bracket.removesuffix(")")}
        return cls(separate)

    def key(self, name: str, title: str) -> str:
        """The key of a name in a passage with that title; empty for a name without words."""
        base = self.bases.get(name)
        if base is None:
            base = self.bases[name] = normal(name)
        brackets = self.separate.get(base)
        if brackets is None:
            return base
        bracket = bracket_of(name)
        if not bracket and normal(title) == base:
            bracket = bracket_of(title)
        return f"{base} ({bracket})" if bracket in brackets else base


# Claims: what says that two keys are one entity.


class Claim(NamedTuple):
    """Somewhere it says that an entity has another name."""

    key: str
    alias: str
    reason: str


def alias_relation(relation: str) -> str:
    """The relation as one that states another name, e.g. "also known as"; empty where it states something else."""
    said = words(relation)
    while said and said[0] in _AUXILIARIES:
        del said[0]
    phrase = " ".join(said)
    return phrase if phrase in ALIAS_RELATIONS else ""


def states_alias(relation: str, head: str, tail: str, tail_label: str) -> bool:
    """Whether a fact with an alias relation states a name: "known as Old Patience", not "known as a great cook"."""
    if label_group(tail_label) == "number" or not _is_name(tail):
        return False
    if relation in _BIRTH_NAMES:
        return tail_label == "PERSON" or (not tail_label and bool(set(words(head)) & set(words(tail))))
    return True


def _is_name(text: str) -> bool:
    said = [word for word in text.split() if word.lower() not in _SMALL]
    whole = bool(said) and text.split()[-1] == said[-1]  # "Revolt of the" was cut short
    return whole and not said[0][0].islower() and any(character.isalpha() for character in text)


def acronyms(text: str) -> Iterator[tuple[str, str]]:
    """Each name that a text abbreviates in brackets (or spells out in them) with its acronym."""
    for match in _IN_BRACKETS.finditer(text):
        inside = match[1].strip()
        before = _NO_NAME.split(text[max(0, match.start() - MOST_CHARACTERS) : match.start()].rstrip())[-1].split(" ")
        if is_acronym(before[-1], inside):
            yield inside, before[-1]
        elif " " not in inside:
            names = (" ".join(before[-count:]) for count in range(2, min(len(before), MOST_WORDS) + 1))
            yield from ((name, inside) for name in islice((n for n in names if is_acronym(inside, n)), 1))


def is_acronym(short: str, name: str) -> bool:
    """Whether a short form has the initials of a name's words; those of small words may be left out."""
    letters = [character for character in short if character.isalpha()]
    said = words(name)
    if len(letters) < 2 or sum(map(str.isupper, letters)) < 2 or any(map(str.isdigit, short)) or len(said) < 2:
        return False
    if said[0] in _SMALL and said[0][0] != letters[0].lower():
        said = said[1:]
    pattern = "".join(re.escape(word[0]) + ("?" if word in _SMALL else "") for word in said)
    return re.fullmatch(pattern, "".join(letters).lower()) is not None


# Joining.


@dataclass
class Known:
    """What is known of a key before keys are joined."""

    spellings: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    rows: set[int] = field(default_factory=set)  # of passages with a fact about it

    @property
    def name(self) -> str:
        """The most frequent spelling, one with capitals where there is any (titles of files often have none)."""
        return min(self.spellings, key=lambda spelling: (spelling.islower(), -self.spellings[spelling], spelling))


@dataclass(frozen=True)
class Similarity:
    """Names join from a cosine on; ``embed`` gives unit vectors, float32 of shape (len(texts), d)."""

    least: float
    embed: Callable[[Sequence[str]], Floats]


def merged(
    known: Mapping[str, Known],
    claims: Iterable[Claim],
    *,
    titled: Set[str] = frozenset(),
    apart: Iterable[Pair] = (),
    similarity: Similarity | None = None,
) -> dict[str, tuple[str, str]]:
    """Each key with the key of its entity and why it is there (empty for the entity's own key).

    An entity's own key is the one with the most frequent spelling. ``titled``: keys that are titles of passages.
    """
    joining = _Joining(known, titled, apart)
    joining.by_claims(claims)
    if similarity is not None:
        joining.by_similarity(similarity)
    return joining.result()


class _Joining:
    """Groups of keys that are one entity, by the own key of each group."""

    def __init__(self, known: Mapping[str, Known], titled: Set[str], apart: Iterable[Pair]) -> None:
        self.known = known
        self.titled = set(titled)  # own keys of groups with a title
        self.order = {key: (-max(known[key].spellings.values()), key) for key in known}
        self.groups = {key: [key] for key in known}
        self.own = {key: key for key in known}
        self.reasons: dict[str, str] = {}
        self.kinds = {key: label_group(informative(known[key].labels)) for key in known}
        self.apart: dict[str, set[str]] = defaultdict(set)
        for left, right in apart:
            self.apart[left].add(right)
            self.apart[right].add(left)

    def by_claims(self, claims: Iterable[Claim]) -> None:
        claimed: dict[str, set[str]] = defaultdict(set)
        stated = sorted(claim for claim in set(claims) if {claim.key, claim.alias} <= self.known.keys())
        for key, alias, _ in stated:
            claimed[alias].add(key)
        for key, alias, reason in stated:
            tells = self._is_written_short if reason == ACRONYM else self._is_telling
            if claimed[alias] - {alias} == {key} and tells(key, alias):
                self.join(key, alias, f"alias: {reason}", titles=reason == ACRONYM)

    def _is_written_short(self, key: str, alias: str) -> bool:
        """Whether most that are called so are written as the acronym: "DON" is the navy's, "A Don" is a village."""
        name, spellings = self.known[key].name, self.known[alias].spellings
        short = (count for spelling, count in spellings.items() if is_acronym(spelling.split()[-1], name))
        return 2 * sum(short) > spellings.total()

    def _is_telling(self, key: str, alias: str) -> bool:
        """Whether an alias is more than a single word that other passages may use for somebody else."""
        several = len(words(key)) > 1 and len(words(alias)) < 2
        return not several or self.known[alias].rows <= self.known[key].rows

    def by_similarity(self, similarity: Similarity) -> None:
        """Each name, the most frequent first, takes in the free names similar to it; what was taken in takes nobody."""
        keys = sorted((key for key in self.groups if self.kinds[key] != "number"), key=self.order.__getitem__)
        if len(keys) < 2:
            return
        names = [self.known[key].name for key in keys]
        marks = [_marks(name) for name in names]
        taken: set[int] = set()
        for place, near in _similar(similarity.embed(names), similarity.least):
            if place in taken:
                continue
            for other, cosine in near:
                free = other > place and other not in taken and marks[place] == marks[other]
                if free and self.join(keys[place], keys[other], f"similarity {cosine:.2f}"):
                    taken.add(other)

    def join(self, left: str, right: str, reason: str, *, titles: bool = False) -> bool:
        """Make two groups one, unless they are one, contradict each other or are kept apart.

        ``titles``: also where both are titles of passages.
        """
        first, second = sorted((self.own[left], self.own[right]), key=self.order.__getitem__)
        both = {first, second} <= self.titled
        if first == second or (both and not titles) or not self._agree(first, second):
            return False
        self.titled |= {first} if second in self.titled else set()
        for key in self.groups.pop(second):
            self.own[key] = first
            self.groups[first].append(key)
            self.reasons.setdefault(key, reason)
        self.kinds[first] = self.kinds[first] or self.kinds[second]
        return True

    def _agree(self, first: str, second: str) -> bool:
        kinds = {self.kinds[first], self.kinds[second]} - {""}
        if len(kinds) > 1 or "number" in kinds:
            return False
        left, right = self._forms(first), self._forms(second)
        return not any(self.apart[form] & right for form in left if form in self.apart)

    def _forms(self, own: str) -> set[str]:
        """The keys of a group, and the same without brackets: what holds for a name holds for all things of it."""
        return {form for key in self.groups[own] for form in (key, base_of(key))}

    def result(self) -> dict[str, tuple[str, str]]:
        return {key: (own, "" if key == own else self.reasons[key]) for key, own in self.own.items()}


def _marks(name: str) -> tuple[bool, frozenset[str]]:
    """What tells names apart however similar they are: "World War I" and "World War II", "the Guild" and "a guild"."""
    telling = (word for word in words(name) if word in _ORDERING or any(map(str.isdigit, word)))
    return name[:1].islower(), frozenset(telling)


def _similar(vectors: Floats, least: float) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """Each row, in order, with the other rows whose cosine reaches the least one, nearest first."""
    step = max(1, BLOCK // len(vectors))
    for start in range(0, len(vectors), step):
        cosines = vectors[start : start + step] @ vectors.T
        for row, near in enumerate(cosines):
            places: Ints = np.flatnonzero(near >= least)
            places = places[np.argsort(-near[places], kind="stable")]
            found = [(place, float(near[place])) for place in places.tolist() if place != start + row]
            if found:
                yield start + row, found
