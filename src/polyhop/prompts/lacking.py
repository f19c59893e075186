"""What a reader says more where things are looked up for it: what it learnt from that, and what it lacks still."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.prompts.blocks import PromptBlock
from polyhop.prompts.schemas import Schema, closed, listed

MOST_LACKING: Final = 2  # questions that are looked up at a time

_LEARNT: Final = """- "learnt": for each question in the block LOOKED UP, in its order, the answer that the passages \
give to it, in as few words as possible, as they write it; empty where they give none.
"""
_SAYS_LACKING: Final = """- "lacking": empty if "found" is true, or where nothing that the documents may have would \
help. Else what has to be looked up next in them, as one or two short questions. Each has to be understood by itself: \
write names into it for what the question only describes, as the passages give them. A name that you only remember may \
be used to ask, and never to answer. Ask first for what all else depends on{again}.
"""
_AGAIN: Final = (
    ", and nothing that was looked up before: where that found nothing, ask for something else that tells it"
)


@dataclass(frozen=True, slots=True)
class Lacking:
    """The questions that were looked up for a reader because it lacked them; None: nothing is looked up for it."""

    questions: Sequence[str] | None = None

    @property
    def blocks(self) -> list[PromptBlock]:
        """The questions, as a prompt shows them."""
        return [PromptBlock("LOOKED UP", "\n".join(self.questions))] if self.questions else []

    @property
    def rules(self) -> str:
        """What a prompt says of the properties that a reply has more."""
        if self.questions is None:
            return ""
        return _LEARNT + _SAYS_LACKING.format(again=_AGAIN) if self.questions else _SAYS_LACKING.format(again="")

    @property
    def properties(self) -> Mapping[str, Schema]:
        """These properties."""
        learnt = {"learnt": listed("string")} if self.questions else {}
        return {} if self.questions is None else {**learnt, "lacking": listed("string", maxItems=MOST_LACKING)}

    def said_in(self, schema: Schema) -> Schema:
        """The schema of a reply with these properties, once it says whether the answer was found."""
        others = dict(schema["properties"])
        found = {name: others.pop(name) for name in ("support", "found")}
        return closed(**found, **self.properties, **others)

    @property
    def example(self) -> str:
        """How they look in a reply, before the answer."""
        return "".join(f'"{name}": ["..."], ' for name in self.properties)
