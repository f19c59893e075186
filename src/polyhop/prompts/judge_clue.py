"""Judges whether clues lead to what a passage says that helps a question (KG-Translator, sections I.4 and M)."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about
from polyhop.prompts.blocks import DATA_RULE, PromptBlock
from polyhop.prompts.schemas import Schema, closed, listed

SCHEMA: Schema = closed(clues=listed(closed(clue="integer", reason="string", covers="boolean")))

_SYSTEM = f"""You judge clues by which a passage was found for a question. A clue has two or three parts, with a bar \
between them: an entity, words that stand beside it in a text, with ## in place of other names, and perhaps the \
entity at the other end. What you remember about the world does not count.

- A clue covers the question if it gives a reason to read this passage for it. One reason is enough: it names what the \
question is mainly about, or what leads there; or its words speak of what is asked; or it points to the part of the \
passage that helps, be the answer in it or not. It need not use the question's words.
- It does not cover the question if nothing in it has to do with what is asked, if it holds nothing but small words, \
marks and verbs such as "is", or, whatever else it says, if it names somebody or something that the passage does not \
have.
- Judge each clue by itself, and the clue alone: that the passage is of use does not make a clue cover anything.
- "reason": in a few words, what it points to, or what it lacks.
- "covers": true or false.

{DATA_RULE}

Output JSON, with a verdict for each clue: {{"clues": [{{"clue": 1, "reason": "...", "covers": true or false}}]}}."""


def judge_clues(
    model: LanguageModel, question: str, clues: Sequence[Sequence[str]], passage: str
) -> tuple[bool | None, ...]:
    """Whether clues, each its entity, its words and perhaps the other entity, lead to what a passage, as text, says.

    None for a clue of which nothing was said. Without clues nobody is asked. Raises EndpointError, OutputInvalid,
    BudgetExceeded.
    """
    if not clues:
        return ()
    blocks = [
        PromptBlock("QUESTION", question),
        PromptBlock("PASSAGE", passage),
        *(PromptBlock(f"CLUE {number}", " | ".join(parts)) for number, parts in enumerate(clues, 1)),
    ]
    content, _ = complete_json(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=300)
    said = {one["clue"]: one["covers"] for one in reversed(content["clues"])}
    return tuple(said.get(number) for number in range(1, len(clues) + 1))
