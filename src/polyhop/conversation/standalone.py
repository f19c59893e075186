"""A follow-up question as it stands alone: by the language model where there is one, else by grammar."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from polyhop.conversation.grammar import by_grammar
from polyhop.conversation.thread import Thread
from polyhop.models.choice import Models
from polyhop.models.tallied import Counted
from polyhop.models.within import NoCallsLeft, Within
from polyhop.prompts.standalone_question import standalone_question
from polyhop.types import Cost

SHOWN = 6  # earlier exchanges that a language model sees
LEFT = 2  # calls of the question's budget that finding and reading are left


@dataclass(frozen=True, slots=True, kw_only=True)
class Standalone:
    """What a question means on its own, who says so, and what that cost."""

    question: str
    source: str = ""  # "rules", or the language model; empty: the question was left as it was
    cost: Cost = Cost()


def standalone(question: str, thread: Thread, models: Models) -> Standalone:
    """What a question means on its own after a thread; as it is where it stands alone already.

    A language model that is configured is asked, within the budget that it carries; what it gives loses no name and
    adds none. Without one, and where it gives nothing usable, grammar decides. Raises EndpointError, BudgetExceeded.
    """
    if not thread.exchanges:
        return Standalone(question=question)
    cost = Cost()
    model = models.language_model
    if model is not None and not (isinstance(model, Within) and model.left <= LEFT):
        counted, written = Counted(model), None
        earlier = [(exchange.meant, exchange.answer) for exchange in thread.last(SHOWN)]
        with suppress(NoCallsLeft):
            written = standalone_question(counted, question, earlier)
        cost = counted.cost
        if written is not None:
            source = "" if written == question else f"language model {model.name}"
            return Standalone(question=written, source=source, cost=cost)
    meant = by_grammar(question, thread, models.parser)
    return Standalone(question=meant, source="" if meant == question else "rules", cost=cost)
