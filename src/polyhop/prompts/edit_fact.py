"""Words a damaged variant of a fact, so that it can be tested what answers suffer from it (C2RAG, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from polyhop.indexes.names import normal, words
from polyhop.ports import LanguageModel, Message
from polyhop.prompts.asking import asked
from polyhop.prompts.blocks import DATA_RULE, PromptBlock, fenced
from polyhop.prompts.earlier_steps import one_line
from polyhop.prompts.schemas import Schema, closed
from polyhop.types import Fact

LONGEST_RELATION: Final = 12  # words
LONGEST_END: Final = 120  # characters
SHOWN: Final = 1000  # characters of the sentence
SCHEMA: Schema = closed(head="string", relation="string", tail="string")

_ASKED: Mapping[str, str] = MappingProxyType(
    {
        "over_generalised": "Change the relation only: to one that claims more than the sentence does (who was "
        "nominated has won, what was planned was built) or that is vaguer than it. Keep head and tail.",
        "mis_bound": "Change the tail only: to another thing of the same kind that the texts name and that does not "
        "stand in this relation to the head. Keep head and relation.",
        "semantic_flip": "Turn the meaning round: drop a negation from the relation, or replace the relation by its "
        "opposite, or let head and tail change places where that is false. Keep the names as they are written.",
        "dropped_qualifier": "Drop what restricts the fact: a date, a place, a part such as 'of ...' or 'as ...'. Drop "
        "it from the relation or from the tail, add nothing, and keep the head.",
    }
)
EDITABLE: Final = tuple(_ASKED)

_SYSTEM = f"""You make a mistake on purpose, as a hasty reader would who writes facts down from a text. It serves to \
test how a program bears with mistakes in its data. You see a fact (head, relation, tail), the sentence that states \
it, and other names from the same text.

Write the fact with the one mistake that is asked for. It has to look plausible, to be wrong or poorer than what the \
sentence says, and to be as short as the fact is.

{DATA_RULE}

Output JSON: {{"head": "...", "relation": "...", "tail": "..."}}."""


def edit_fact(
    model: LanguageModel, kind: str, fact: Fact, sentence: str, names: Sequence[str] = ()
) -> tuple[str, str, str] | None:
    """Head, relation and tail of a damaged variant of a fact, or None where the model has none of that kind to offer.

    ``kind`` is one of EDITABLE; ``names``: what else the passage names. Nothing of it is true or grounded: it is for
    overlays only. Raises EndpointError, BudgetExceeded.
    """
    stated = f"head: {fact.head}\nrelation: {fact.relation}\ntail: {fact.tail}"
    blocks = [
        PromptBlock("FACT", stated),
        PromptBlock("SENTENCE", sentence[:SHOWN]),
        PromptBlock("NAMES", "\n".join(names)),
    ]
    task = f"The mistake to make: {_ASKED[kind]}\n\n{fenced(blocks)}"
    messages = (Message("system", _SYSTEM), Message("user", task))
    value = asked(model, messages, SCHEMA, max_tokens=200, in_vain="The fact is not edited by the model")
    if value is None:
        return None
    edited = (one_line(value["head"]), one_line(value["relation"]), one_line(value["tail"]))
    return edited if fault_of(kind, fact, edited) is None else None


def fault_of(kind: str, fact: Fact, edited: tuple[str, str, str]) -> str | None:
    """Why an edit is useless, or None: it changes nothing, or something that its kind leaves alone, or is no fact."""
    head, relation, tail = edited
    if not normal(head) or not normal(tail) or normal(head) == normal(tail) or max(map(len, edited)) > LONGEST_END:
        return "an end is empty, too long, or the same as the other"
    if not words(relation) or len(words(relation)) > LONGEST_RELATION:
        return "the relation is empty or a sentence"
    same_head, same_tail = normal(head) == normal(fact.head), normal(tail) == normal(fact.tail)
    same_relation = words(relation) == words(fact.relation)
    if same_head and same_tail and same_relation:
        return "nothing is changed"
    fits = {
        "over_generalised": same_head and same_tail,
        "mis_bound": same_head and same_relation,
        "semantic_flip": {normal(head), normal(tail)} == {normal(fact.head), normal(fact.tail)},
        "dropped_qualifier": same_head and _poorer(relation, fact.relation) and _poorer(tail, fact.tail),
    }
    return None if fits[kind] else f"that is not {kind}"


def _poorer(text: str, full: str) -> bool:
    """Whether a text has no word that the full one lacks."""
    return set(words(text)) <= set(words(full))
