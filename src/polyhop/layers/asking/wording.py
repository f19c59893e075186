"""The words of a sentence as a question says them: pronouns and short names replaced by what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from polyhop.layers.asking.verbs import third_of
from polyhop.layers.syntax.tree import Tree

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
_CLOSING: Final = frozenset(",.;:!?)]}'\"”’")
# What a question says for someone whom it has named already, by the pronoun that the text has.
_AGAIN: Final = {
    **dict.fromkeys(("my", "your", "our"), "their"),
    **dict.fromkeys(("mine", "yours", "ours"), "theirs"),
    **dict.fromkeys(("myself", "yourself", "ourselves", "yourselves"), "themselves"),
    **dict.fromkeys(("me", "us"), "them"),
    **{low: low for low in ("his", "her", "hers", "its", "their", "him", "them", "himself", "herself", "itself")},
    "themselves": "themselves",
}
_NAMED: Final = re.compile("\x01([^\x02]*)\x02([^\x03]*)\x03")  # a name, and the pronoun for it


class Meant(NamedTuple):
    """What a word stands for: how a question says it, and where the text names it (0, 0 where it does not)."""

    name: str
    start: int = 0
    end: int = 0
    label: str = "PERSON"
    turned: bool = False  # whether the verb changes with it: "I am" becomes "Ada is"


class Wording:
    """A sentence and what some of its words stand for."""

    __slots__ = ("_meant", "_silent", "lowered", "names", "tree")

    def __init__(self, tree: Tree, *, lowered: bool = False, names: frozenset[str] = frozenset()) -> None:
        self.tree = tree
        self.lowered = lowered  # whether the first word has a capital only because it is the first
        self.names = names  # words, in small letters, that always have one
        self._meant: dict[int, Meant] = {}
        self._silent: set[int] = set()

    def mean(self, i: int, meant: Meant, silent: Iterable[int] = ()) -> None:
        """Say something else for a word, and nothing for others that belong to it."""
        self._meant[i] = meant
        self._silent.update(silent)

    def hush(self, words: Iterable[int]) -> None:
        """Say nothing for some words."""
        self._silent.update(words)

    def meant(self, i: int) -> Meant | None:
        """What a word stands for, where it is not what is written."""
        return self._meant.get(i)

    def say(self, words: Iterable[int]) -> str:
        """Some words, in the order given, with the spaces between them as in the text."""
        said, last = "", -1
        tree = self.tree
        for i in words:
            if i in self._silent:
                continue
            low = tree.lower[i].replace("’", "'")
            form = self._agreeing(i, SPELT.get(low) or self.form(i))
            near = last >= 0 and i == last + 1 and tree.ends[last] == tree.starts[i] and low not in SPELT
            said += form if near or not said or form[:1] in _CLOSING else f" {form}"
            last = i
        return said.strip(" ,;:-–—?!")

    def _agreeing(self, i: int, form: str) -> str:
        """A verb behind someone's name that stands for me or you: ``when I have time`` is *when Ada has time*."""
        meant = self._meant.get(i - 1)
        if meant is None or not meant.turned or self.tree.deps[i - 1] not in ("nsubj", "nsubjpass"):
            return form
        if i not in (governor := self.tree.heads[i - 1], *self.tree.kids_of(governor, "aux", "auxpass")):
            return form
        modal = self.tree.deps[i] == "aux" and form not in FINITE
        # Behind its subject a verb stands as it is where an auxiliary has gone before: "do you have".
        governed = any(kid < i for kid in self.tree.kids_of(governor, "aux")) and i == governor
        return form if modal or governed else third_of(form)

    def form(self, i: int) -> str:
        """A word as a question says it."""
        meant = self._meant.get(i)
        if meant is not None:
            owns = self.tree.deps[i] == "poss" and not self.tree.kids_of(i, "case")
            name = f"{meant.name}'s" if owns else meant.name
            again = _AGAIN.get(self.tree.lower[i], "them" if self._is_object(i) else "")
            return f"\x01{name}\x02{again}\x03" if again else name
        form = self.tree.forms[i].replace("’", "'")
        begins = i == 0 or self.tree.forms[i - 1] in ("!", "?", ".", "…")
        lower = begins and self.lowered and not self.tree.label(i) and form[1:].islower()
        return form.lower() if lower and form.lower() not in self.names else form

    def _is_object(self, i: int) -> bool:
        return self.tree.lower[i] == "you" and self.tree.deps[i] in ("dobj", "pobj", "dative")


def settled(question: str) -> str:
    """A question in which a name stands once, where pronouns can stand for it after that."""
    said, at = "", 0
    for found in _NAMED.finditer(question):
        said += question[at : found.start()]
        name, again = found.groups()
        said += again if name.removesuffix("'s") in said else name
        at = found.end()
    return said + question[at:]
