"""The words of a sentence as a question says them: pronouns and short names replaced by what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from polyhop.english.verbs import third_of
from polyhop.english.words import word_set
from polyhop.layers.grammar.lexicon import EMPTY, PERSONAL
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.grammar.tree import Tree
from polyhop.layers.questions.asking.kinds import Kinds

# Contractions as they are written apart; "'s" and "'d" have two readings each, and stay.
SPELT: Final = {
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "n't": "not",
    "ca": "can",
    "wo": "will",
}
FINITE: Final = frozenset({"am", "are", "were", "have", "do"})  # auxiliaries that change with the person
_CAPITAL: Final = frozenset({"The", "A", "An"})
_SMALL: Final = frozenset({"det", "prep", "mark", "advmod", "nummod", "expl", "cc"})
_LEADING: Final = word_set("For In On At During After Before Until Since By From About Over Under Between Within")
_ENTITLED: Final = frozenset({"WORK_OF_ART", TITLE})  # names that an article may belong to
_COUNTS: Final = frozenset({"", "CARDINAL", "QUANTITY", "PERCENT", "ORDINAL"})
_CAUSES: Final = word_set(
    "make makes made making let lets letting help helps helped helping see saw hear heard watch watched"
)
_CLOSING: Final = frozenset(",.;:!?)]}'”’")
# What a question says for someone whom it has named already, by the pronoun that the text has.
_AGAIN: Final = {
    **dict.fromkeys(("my", "your", "our"), "their"),
    **dict.fromkeys(("mine", "yours", "ours"), "theirs"),
    **dict.fromkeys(("myself", "yourself", "ourselves", "yourselves"), "themselves"),
    **dict.fromkeys(("me", "us"), "them"),
    **{low: low for low in PERSONAL},
}
# A name, and the pronoun for it; or a verb as it follows the one, and the other.
_NAMED: Final = re.compile("\x01([^\x02]*)\x02([^\x03]*)\x03|\x04([^\x05]*)\x05([^\x06]*)\x06")
_PLURAL: Final = {"am": "are", "is": "are", "was": "were"}


class Meant(NamedTuple):
    """What a word stands for: how a question says it, and where the text names it (0, 0 where it does not)."""

    name: str
    start: int = 0
    end: int = 0
    label: str = "PERSON"
    turned: bool = False  # whether the verb changes with it: "I am" becomes "Ada is"


class Wording:
    """A sentence and what some of its words stand for."""

    __slots__ = ("_meant", "_said", "_silent", "kinds", "lowered", "names", "same", "title", "title_label", "tree")

    def __init__(
        self,
        tree: Tree,
        *,
        lowered: bool = False,
        names: frozenset[str] = frozenset(),
        title: str = "",
        title_label: str = TITLE,
        kinds: Kinds | None = None,
    ) -> None:
        self.tree = tree
        self.title = title  # how a question names the title, where the text does
        self.title_label = title_label
        self.same: set[int] = set()  # words that name the title otherwise than it does
        self.kinds = kinds  # what the passage says of its names elsewhere
        self.lowered = lowered  # whether the first word has a capital only because it is the first
        self.names = names  # words, in small letters, that always have one
        self._meant: dict[int, Meant] = {}
        self._silent: set[int] = set()
        self._said: dict[int, tuple[str, bool]] = {}  # of words that were said: how, and whether they stand apart

    def mean(self, i: int, meant: Meant, silent: Iterable[int] = ()) -> None:
        """Say something else for a word, and nothing for others that belong to it."""
        self._meant[i] = meant
        self._said.clear()
        self._silent.update(silent)

    def hush(self, words: Iterable[int]) -> None:
        """Say nothing for some words."""
        self._silent.update(words)

    def meant(self, i: int) -> Meant | None:
        """What a word stands for, where it is not what is written."""
        return self._meant.get(i)

    def label(self, i: int) -> str:
        """What kind of name a word belongs to: as the passage has it elsewhere, or else as the parser says."""
        if self.tree.label(i) == TITLE:
            return self.title_label
        return self.kinds.label(self.tree, i) if self.kinds is not None else self.tree.label(i)

    def is_title(self, i: int) -> bool:
        """Whether a word names what the passage is about, if only by a longer name."""
        return i in self.same or self.tree.label(i) == TITLE

    def say(self, words: Iterable[int]) -> str:
        """Some words, in the order given, with the spaces between them as in the text."""
        said, last = "", -1
        tree, silent, known = self.tree, self._silent, self._said
        for i in words:
            if i in silent:
                continue
            form, apart = known.get(i) or self._spelt(i)
            near = last >= 0 and i == last + 1 and tree.ends[last] == tree.starts[i] and not apart
            said += form if near or not said or form[:1] in _CLOSING else f" {form}"
            last = i
        return said.strip(" ,;:-–—?!")

    def _spelt(self, i: int) -> tuple[str, bool]:
        """A word as it is said, and whether it was written together with the one before it only because it is short."""
        low = self.tree.lower[i].replace("’", "'")
        said = self._agreeing(i, SPELT.get(low) or self.form(i)), low in SPELT
        self._said[i] = said
        return said

    def _agreeing(self, i: int, form: str) -> str:
        """A verb behind someone's name that stands for me or you: ``when I have time`` is *when Ada has time*."""
        subject = i - 2 if i > 1 and self.tree.deps[i - 1] in ("advmod", "neg") else i - 1
        meant = self._meant.get(subject)
        if meant is None or not meant.turned or self.tree.deps[subject] not in ("nsubj", "nsubjpass"):
            return form
        if i not in (governor := self.tree.heads[subject], *self.tree.kids_of(governor, "aux", "auxpass")):
            return form
        if i == governor and self._is_caused(governor):
            return form
        modal = self.tree.deps[i] == "aux" and form not in FINITE
        # Behind its subject a verb stands as it is where an auxiliary has gone before: "do you have".
        governed = any(kid < i for kid in self.tree.kids_of(governor, "aux")) and i == governor
        if modal or governed:
            return form
        return f"\x04{third_of(form)}\x05{_PLURAL.get(form, form)}\x06"

    def _is_caused(self, verb: int) -> bool:
        """Whether another verb has someone do what one says: ``makes Ada think``."""
        above = self.tree.heads[verb]
        return above != verb and self.tree.deps[verb] in ("ccomp", "xcomp") and self.tree.lower[above] in _CAUSES

    def form(self, i: int) -> str:
        """A word as a question says it."""
        meant = self._meant.get(i)
        if meant is not None:
            owns = self.tree.deps[i] == "poss" and not self.tree.kids_of(i, "case")
            name = f"{meant.name}'s" if owns else meant.name
            again = _AGAIN.get(self.tree.lower[i], "") or self._again(i, meant)
            return f"\x01{name}\x02{again}\x03" if again else name
        form = self.tree.forms[i].replace("’", "'")
        begins = i == 0 or self.tree.forms[i - 1] in ("!", "?", ".", "…")
        if self.lowered and (form in _CAPITAL or (begins and form in _LEADING)) and self._is_article(i, begins=begins):
            return form.lower()
        if not begins or not self.lowered or self.tree.label(i) not in _COUNTS or not form[1:].islower():
            return form
        return form.lower() if form.lower() not in self.names and self._is_common(i) else form

    def _is_common(self, i: int) -> bool:
        """Whether a word that begins a sentence is no name: a small word, or one that the text has in small letters."""
        low = self.tree.lower[i]
        if low in EMPTY or self.tree.deps[i] in _SMALL or (low.endswith("s") and not low.endswith("ss")):
            return True
        return f" {low}" in self.tree.text

    def _is_article(self, i: int, *, begins: bool) -> bool:
        """Whether a small word at the beginning of a phrase is no part of a name."""
        followed = self.tree.forms[min(i + 1, len(self.tree) - 1)]
        return self.tree.label(i) not in _ENTITLED and (begins or followed.islower())

    def _again(self, i: int, meant: Meant) -> str:
        """What a question says for me or you whom it has named already."""
        dependency = self.tree.deps[i]
        if self.tree.lower[i] == "you" and dependency in ("dobj", "pobj", "dative"):
            return "them"
        return "they" if meant.turned and dependency in ("nsubj", "nsubjpass") else ""


def settled(question: str, known: str = "") -> str:
    """A question in which a name stands once, where pronouns can stand for it after that; not at all where it is known.

    What is ``known`` is the answer: ``Who sold his mill?``. A verb agrees with what stands before it.
    """
    if "\x01" not in question:
        return question
    said, at, several = "", 0, False
    for found in _NAMED.finditer(question):
        said += question[at : found.start()]
        name, again, third, base = found.groups()
        if name is None:
            said += base if several else third
        else:
            owner = name.removesuffix("'s")
            repeated = owner == known or owner in said
            several = repeated and again == "they"
            said += again if repeated else name
        at = found.end()
    return said + question[at:]
