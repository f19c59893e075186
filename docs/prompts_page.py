"""The page that shows every prompt, made from what is really sent."""

from __future__ import annotations

import json
from collections.abc import Iterator

from polyhop.models.accounting import Request
from polyhop.prompts.catalogue import EXAMPLES, name_of, sent, versions

INTRODUCTION = """
What a language model is asked, word for word. Each task is a file in `prompts/`: its prompt, the schema that the answer
has to obey, and what is done with an answer that does not. The examples are invented, and shown as they are sent. The
tag in the marks `<<<...>>>` follows from the texts inside, so that no document can know it.

Everything is asked at temperature 0 unless `[language_model]` says otherwise; verdicts of `polyhop eval` always are. An
answer that breaks its schema is sent back once, with what is wrong (`models/structured.py`: `complete_json`).

**Versions.** The version of a task changes with any word of it: prompt, example, schema, repair. Nobody keeps it by
hand. The [response cache](models.md#a-language-model-behind-an-endpoint) goes by the whole request, and layers that a
language model makes go by the version of their prompts, so that a changed prompt is asked anew. The manifest of an
answer has one digest of all versions (`prompts`), that of `polyhop eval` has each of them.

The instruction of the small model that speaks under constraints is not here: it stands in
`strategies/translator/translate.py`: `INSTRUCTION`, and `TRIPLES_INSTRUCTION` for triples.
"""


def prompts_page(note: str) -> str:
    """All tasks, in the order in which a question meets them; then those of indexing and measuring."""
    return "\n\n".join([note, "# Prompts", INTRODUCTION.strip(), *_tasks()]) + "\n"


def _tasks() -> Iterator[str]:
    for module, examples in EXAMPLES.items():
        name = name_of(module)
        yield f"## {name}"
        yield f"{' '.join((module.__doc__ or '').split())}"
        yield f"In `prompts/{name}.py`, version `{versions()[name]}`."
        shown: list[Request] = []
        for form, ask in examples.items():
            if form:
                yield f"### {name}: {form}"
            request = sent(ask)
            yield from _request(request, shown)
            shown.append(request)


def _request(request: Request, shown: list[Request]) -> Iterator[str]:
    """What is sent, without what an earlier example has shown already."""
    for turn in request.messages:
        if any(turn in other.messages for other in shown):
            yield f"The {turn.role}'s turn is the same."
        else:
            yield f"{turn.role.capitalize()}:"
            yield f"```text\n{turn.content}\n```"
    if any(request.schema == other.schema for other in shown):
        yield "The schema is the same."
    else:
        yield f"Schema, and at most {request.max_tokens:,} tokens of an answer:"
        yield f"```json\n{json.dumps(request.schema, indent=2, ensure_ascii=False)}\n```"
