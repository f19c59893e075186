"""The words of a sentence as a question says them: pronouns and short names replaced by what they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from polyhop.english.verbs import is_past, third_of
from polyhop.layers.grammar.lexicon import BE, EMPTY
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.grammar.tree import ParseTree

# Contractions as they are written apart; "'s" and "'d" have two readings each.
_SPELT: Final = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "n't": "not", "ca": "can", "wo": "will"}
_FINITE: Final = frozenset({"am", "are", "were", "have", "do"})  # auxiliaries that change with the person
_SMALL: Final = frozenset({"det", "prep", "mark", "advmod", "nummod", "cc"})
_ENTITLED: Final = frozenset({"WORK_OF_ART", TITLE})  # names that an article may belong to
_CLOSING: Final = frozenset(",.;:!?)]}'”’")
_PLURAL: Final = {"am": "are", "is": "are", "was": "were"}
# What is said of someone who speaks or is spoken to, once the name has been said.
_AGAIN: Final = {
    **dict.fromkeys(("i", "we"), "they"),
    **dict.fromkeys(("me", "us"), "them"),
    **dict.fromkeys(("my", "your", "our"), "their"),
    **dict.fromkeys(("mine", "yours", "ours"), "theirs"),
    **dict.fromkeys(("myself", "yourself", "ourselves"), "themselves"),
}
_ARTICLES: Final = re.compile(r"\b(?:the|a|an) (the|a|an)\b", re.IGNORECASE)
_HOLLOW: Final = re.compile(r"\s*(?:\(\W*\)|\[\W*\])")  # brackets of which the question has left out the words
_MARKUP: Final = re.compile(r"[*|`~]|(?<!\w)#|_{2}|\]\(|http")


class Referent(NamedTuple):
    """What a word stands for: how a question says it, and where the text names it (0, 0 where it does not)."""

    name: str
    start: int = 0
    end: int = 0
    label: str = "PERSON"
    speaks: bool = False  # whether a verb changes with it: "I am" becomes "Ada is"


class Realiser:
    """Says the words of one sentence."""

    __slots__ = ("names", "referents", "silent", "tree")

    def __init__(self, tree: ParseTree, *, names: Collection[str] = ()) -> None:
        self.tree = tree
        self.names = names  # the words of all names, in small letters
        self.referents: dict[int, Referent] = {}
        self.silent: set[int] = set()  # words that what they belong to says already

    def label(self, i: int) -> str:
        """The type of the entity that a word stands for, or nothing."""
        referent = self.referents.get(i)
        return referent.label if referent is not None else self.tree.label(i)

    def question(self, *parts: str | Iterable[int], known: str = "") -> str:
        """A question of words of the sentence and words of its own; a name is said once, and not where it is known."""
        said, names = "", {known}
        for part in parts:
            words = part if isinstance(part, str) else self._say(part, names, said.endswith("they"))
            said = f"{said} {words}".strip()
        if said.count('"') % 2:
            said = said.replace('"', " ")
        said = " ".join(_ARTICLES.sub(lambda found: found[1], _HOLLOW.sub("", said)).split())
        return f"{said[:1].upper()}{said[1:]}?"

    def say(self, words: Iterable[int]) -> str:
        """Some words, in the order given, with the spaces between them as in the text."""
        return self._say(words, set(), False)

    def finite(self, i: int, *, speaks: bool) -> str:
        """A finite verb as a question writes it, in the third person where the text has the first or second."""
        low = self.tree.lower[i].replace("’", "'")
        if low in ("'s", "'d"):
            past = self.tree.deps[i] == "aux" and is_past(self.tree.lower[self.tree.heads[i]])
            return {"'s": ("is", "has"), "'d": ("would", "had")}[low][past]
        form = _SPELT.get(low) or (low if low in BE else self.form(i))
        modal = self.tree.deps[i] == "aux" and form not in _FINITE
        return third_of(form) if speaks and not modal else form

    def form(self, i: int) -> str:
        """A word as it is written within a question: one that begins a sentence is small, unless it is a name."""
        tree = self.tree
        form = tree.forms[i].replace("’", "'")
        begins = i == 0 or tree.forms[i - 1] in ("!", "?", ".", "…")
        if tree.label(i) in _ENTITLED or not form[:1].isupper() or not (begins or form in ("The", "A", "An")):
            return form
        low = form.lower()
        small = low in EMPTY or tree.deps[i] in _SMALL or f" {low}" in tree.text
        return low if small and (low not in self.names or form in ("The", "A", "An")) and form != "I" else form

    def _say(self, words: Iterable[int], names: set[str], again: bool) -> str:
        tree, said, last = self.tree, "", -1
        for i in words:
            if i in self.silent:
                continue
            low = tree.lower[i].replace("’", "'")
            form = self._named(i, names) if i in self.referents else _SPELT.get(low) or self.form(i)
            if self._follows_speaker(i):
                they = said.endswith("they") or (again and not said)
                form = _PLURAL.get(form, form) if they else third_of(form)
            near = i == last + 1 and last >= 0 and tree.ends[last] == tree.starts[i] and low not in _SPELT
            said += form if not said or near or form[:1] in _CLOSING else f" {form}"
            last = i
        return said.strip(" ,;:-–—?!")

    def _named(self, i: int, names: set[str]) -> str:
        """A name, or the pronoun that stands for it where it has been said."""
        tree, referent, low = self.tree, self.referents[i], self.tree.lower[i]
        pronoun = low if low in EMPTY else ""
        if referent.speaks:
            pronoun = (
                ("they" if tree.deps[i] in ("nsubj", "nsubjpass") else "them") if low == "you" else _AGAIN.get(low, low)
            )
        if pronoun and referent.name in names:
            return pronoun
        names.add(referent.name)
        return f"{referent.name}'s" if tree.deps[i] == "poss" and not tree.kids_of(i, "case") else referent.name

    def _follows_speaker(self, i: int) -> bool:
        """Whether a word is the finite verb of someone who speaks: ``when I have time`` is *when Ada has time*."""
        tree = self.tree
        verb = tree.heads[i] if tree.deps[i] in ("aux", "auxpass") else i
        subjects = tree.kids_of(verb, "nsubj", "nsubjpass")
        if not subjects or not i - 2 <= subjects[-1] < i or subjects[-1] not in self.referents:
            return False
        finite = [*tree.kids_of(verb, "aux", "auxpass"), verb][0]
        modal = tree.deps[i] == "aux" and (_SPELT.get(tree.lower[i]) or tree.lower[i]) not in _FINITE
        return self.referents[subjects[-1]].speaks and finite == i and not modal


def has_markup(text: str) -> bool:
    """Whether a text has marks of a layout in it: emphasis, a link, the bars of a table."""
    return _MARKUP.search(text) is not None
