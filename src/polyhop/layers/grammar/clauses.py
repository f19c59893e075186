"""The clauses of a sentence: a verb with its subjects, its verb group, its objects and its prepositions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from polyhop.english.verbs import base_of
from polyhop.layers.grammar.lexicon import BE, KEPT_ADVERBS
from polyhop.layers.grammar.tree import ParseTree

SUBJECTS = ("nsubj", "nsubjpass")
COMPLEMENTS = ("attr", "dobj", "oprd", "dative", "npadvmod", "acomp")
INNER = frozenset({"xcomp", "advcl", "pcomp", "ccomp"})
_HEADS = frozenset({"ROOT", "relcl", "acl", "xcomp", "ccomp", "advcl", "pcomp"})
_GOVERNED = frozenset({"nsubj", "nsubjpass", "dobj", "agent", "attr", "auxpass", "acomp", "oprd"})
_NOMINAL = frozenset({"det", "amod", "compound", "nummod", "poss", "case"})
_VERB_ONLY = frozenset({"nsubj", "nsubjpass", "aux", "auxpass", "agent"})
_NEAR = 3  # words between two verbs that share an object
_DEPTH = 3  # verbs that a relation takes in


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb and what belongs to it, all as places of words in their sentence."""

    tree: ParseTree = field(repr=False)
    verb: int
    subjects: Sequence[int]  # its own, without those that it shares with another verb
    auxiliaries: Sequence[int]  # without negations
    negations: Sequence[int]
    complements: Sequence[int]  # its own, or those of the verb that is conjoined to it: "wrote and directed X"
    prepositions: Sequence[int]  # likewise, and the agent of a passive: "born and died in X"

    @property
    def dependency(self) -> str:
        """How the clause hangs on the rest of its sentence; ROOT where nothing governs it."""
        return self.tree.deps[self.verb]

    @property
    def mood(self) -> Literal["statement", "question", "command"]:
        """What it does: a command has a verb in its base form, and no one who does it."""
        tree = self.tree
        if "?" in tree.forms[-3:]:
            return "question"
        plain = (
            self.dependency == "ROOT" and not self.subjects and base_of(tree.lower[self.verb]) == tree.lower[self.verb]
        )
        bare = all(tree.lower[i] in ("do", "please") for i in self.auxiliaries)
        return (
            "command"
            if plain and bare and not tree.label(self.verb) and not tree.kids_of(self.verb, "det")
            else "statement"
        )

    def relation(self) -> str:
        """The verb with its auxiliaries, negation and particle, and what governs an infinitive."""
        return _relation(self.tree, self.verb, 0)


def clauses_of(tree: ParseTree) -> list[Clause]:
    """The clauses of a sentence, in the order of their verbs."""
    return [_clause(tree, i) for i, kids in enumerate(tree.kids) if kids and _is_verb(tree, i)]


def _is_verb(tree: ParseTree, i: int) -> bool:
    deps = tree.deps
    if deps[i] in _HEADS or any(deps[kid] in _GOVERNED for kid in tree.kids[i]):
        return True
    # Without objects of its own, but conjoined to a verb: *died* in "born in Ost and died in Tarn".
    if deps[i] != "conj" or any(deps[kid] in _NOMINAL for kid in tree.kids[i]):
        return False
    head = tree.heads[i]
    return deps[head] in INNER or any(deps[kid] in _VERB_ONLY for kid in tree.kids[head])


def _clause(tree: ParseTree, verb: int) -> Clause:
    complements, prepositions = tree.kids_of(verb, *COMPLEMENTS), tree.kids_of(verb, "prep", "agent", "dative")
    follower = _follower(tree, verb)
    if follower is not None and not prepositions and not tree.kids_of(verb, "dobj"):
        prepositions = tree.kids_of(follower, "prep", "agent")
    if follower is not None and not complements and not tree.kids_of(verb, "prep", "agent"):
        complements = tree.kids_of(follower, "dobj")
    return Clause(
        tree=tree,
        verb=verb,
        subjects=tree.kids_of(verb, *SUBJECTS),
        auxiliaries=tree.kids_of(verb, "aux", "auxpass"),
        negations=tree.kids_of(verb, "neg"),
        complements=complements,
        prepositions=prepositions,
    )


def _follower(tree: ParseTree, verb: int) -> int | None:
    """The verb that follows directly after ``and`` and has no subject of its own: it shares what it governs."""
    for kid in tree.kids_of(verb, "conj"):
        if kid - verb <= _NEAR and not tree.kids_of(kid, *SUBJECTS):
            return kid
    return None


def _relation(tree: ParseTree, verb: int, depth: int) -> str:
    head, dependency = tree.heads[verb], tree.deps[verb]
    parts = [
        kid
        for kid in tree.kids[verb]
        if (
            tree.deps[kid] in ("aux", "auxpass", "neg")
            and not (dependency in ("acl", "advcl") and tree.lower[kid] == "to")
        )
        or (tree.deps[kid] == "advmod" and kid < verb and tree.lower[kid] in KEPT_ADVERBS)
    ]
    words = [tree.lower[i] for i in parts]
    if tree.lower[verb] == "born":
        words = [word for word in words if word not in BE]
    words += [tree.lower[i] for i in (verb, *tree.kids_of(verb, "prt"))]
    if head != verb and depth < _DEPTH:
        if dependency == "xcomp" and not tree.kids_of(head, "dobj"):
            words.insert(0, _relation(tree, head, depth + 1))
        elif dependency == "pcomp":
            words.insert(0, f"{_relation(tree, tree.heads[head], depth + 1)} {tree.lower[head]}")
    return " ".join(words)
