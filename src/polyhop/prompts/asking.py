"""Asks a language model for a reply that obeys a schema, where work goes on without one that cannot be used."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from polyhop.models.accounting import WastedOutput
from polyhop.models.structured import complete_json
from polyhop.models.within import NoCallsLeft
from polyhop.ports import LanguageModel, Message
from polyhop.prompts.blocks import PromptBlock, fenced, fitted
from polyhop.prompts.schemas import Schema
from polyhop.types import Cost

log = logging.getLogger(__name__)


def about(model: LanguageModel, system: str, blocks: Sequence[PromptBlock]) -> tuple[Message, Message]:
    """What a task says, and as much of the material as the prompt may show."""
    return Message("system", system), Message("user", fenced(fitted(blocks, model)))


def understood(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Schema,
    max_tokens: int,
    *,
    otherwise: Callable[[str], Any],
    also: Sequence[Schema] = (),
) -> tuple[Any, Cost, bool]:
    """What the model replies, what it cost, and whether it is broken: then ``otherwise`` makes of its text what it can.

    Raises EndpointError, and BudgetExceeded where there is no text.
    """
    try:
        return *complete_json(model, messages, schema, max_tokens, also=also), False
    except (WastedOutput, NoCallsLeft) as failed:
        if isinstance(failed, NoCallsLeft) and not failed.text.strip():
            raise
        return otherwise(failed.text), failed.cost, True


def asked(model: LanguageModel, messages: Sequence[Message], schema: Schema, max_tokens: int, *, in_vain: str) -> Any:
    """What the model replies; None where that cannot be used, and a warning that says so.

    Raises EndpointError, BudgetExceeded.
    """
    try:
        return complete_json(model, messages, schema, max_tokens)[0]
    except WastedOutput as wasted:
        log.warning("%s: %s", in_vain, wasted)
        return None
