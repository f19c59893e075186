"""The page on the library, made from the docstrings and signatures of its public names."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

import polyhop

OURS = ("polyhop.types", "polyhop.plans", "polyhop.reports", "polyhop.layers.facts.merges")
Rows = Callable[[type[Any]], Iterator[tuple[str, str, str, str]]]
Table = Callable[[typing.Iterable[str], typing.Iterable[typing.Iterable[str]]], str]

INTRODUCTION = """
What `polyhop` offers to programs. The names below are imported from `polyhop`, as in `from polyhop import Polyhop`.
What they hand back are frozen dataclasses: `to_dict()` gives one as plain data for `json.dumps`, and `--json` prints
the same.

```python
import json

from polyhop import Document, Polyhop

with Polyhop("notes.index") as engine:
    lamp = Document(id="lamp", title="Quillmouth", text="Ada Brisk built the lighthouse of Quillmouth in 1841.")
    ada = Document(id="ada", title="Ada Brisk", text="Ada Brisk was an engineer. She was born in Fennick.")
    engine.add_documents([lamp, ada])
    answer = engine.ask("Who built the lighthouse of Quillmouth?")

for passage in answer.evidence.passages:
    print(f"{passage.score:.2f} {passage.title}: {passage.text}")
print(json.dumps(answer.to_dict(), indent=2))
```

Under asyncio:

```python
import asyncio

from polyhop import AsyncPolyhop


async def main() -> None:
    async with AsyncPolyhop("notes.index") as engine:
        first, second = await asyncio.gather(engine.ask("Who was born in Fennick?"), engine.status())
    print(first.text, second.documents)


asyncio.run(main())
```
"""


def api_page(note: str, rows: Rows, table: Table) -> str:
    """The public names, then the types that they refer to."""
    public = [getattr(polyhop, name) for name in polyhop.__all__]
    parts = [note, "# The library", INTRODUCTION.strip()]
    for one in public:
        parts += _class(one, rows, table)
    parts += ["## What these refer to", "Parts of what is handed back; imported from where they are defined."]
    for one in _referred(public):
        parts += _class(one, rows, table, level=3)
    return "\n\n".join(part for part in parts if part) + "\n"


def _class(one: type[Any], rows: Rows, table: Table, level: int = 2) -> Iterator[str]:
    yield f"{'#' * level} {one.__name__}"
    yield f"`from {one.__module__} import {one.__name__}`" if level > 2 else ""
    yield _prose(one)
    if issubclass(one, enum.Enum):
        yield ", ".join(f"`{member.name}` ({str(member.value)!r})" for member in one) + "."
    elif dataclasses.is_dataclass(one):
        yield table(("field", "type", "default", "meaning"), rows(one))
    elif one.__init__ is not BaseException.__init__:
        yield _call(one.__name__, one.__init__)
    for name, member in vars(one).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"**`{name}`** {_prose(member)}"
        elif one.__name__ != "AsyncPolyhop" or name == "close":  # the others are those of Polyhop
            function = inspect.unwrap(member.__func__ if isinstance(member, classmethod | staticmethod) else member)
            if inspect.isfunction(function):
                yield _call(f"{one.__name__}.{name}", function)
                yield _prose(function)


def _prose(documented: Any) -> str:
    paragraphs = (inspect.getdoc(documented) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()).replace("``", "`").replace("<", "\\<") for paragraph in paragraphs)


def _call(name: str, function: Callable[..., Any]) -> str:
    """A signature as it is written, over several lines where it is long."""
    signature = inspect.signature(function)
    parameters = [one for key, one in signature.parameters.items() if key not in ("self", "cls")]
    shown = signature.replace(parameters=parameters)
    line = f"{name}{_bare(shown)}"
    if len(line) > 100:
        arguments = _bare(shown.replace(return_annotation=inspect.Signature.empty))[1:-1]
        inner = "".join(f"    {part},\n" for part in _split(arguments))
        line = f"{name}(\n{inner})" + line[len(f"{name}({arguments})") :]
    prefix = "async def " if inspect.iscoroutinefunction(function) else "def " if "." in name else "class "
    return f"```\n{prefix}{line.removesuffix(' -> None') if prefix == 'class ' else line}\n```"


def _bare(signature: inspect.Signature) -> str:
    """A signature without the quotes around its annotations."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature))


def _split(arguments: str) -> Iterator[str]:
    """The arguments of a signature; commas within brackets do not part them."""
    depth, part = 0, ""
    for character in arguments:
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            yield part.strip()
            part = ""
        else:
            part += character
    yield part.strip()


def _referred(public: list[type[Any]]) -> list[type[Any]]:
    """The classes of our own that fields and results of the public ones name, and those that these name."""
    found: dict[type[Any], None] = {}
    waiting = [*public]
    while waiting:
        one = waiting.pop(0)
        for hint in _hints(one):
            for named in _classes(hint):
                ours = named.__module__ in OURS
                if ours and named not in public and named not in found:
                    found[named] = None
                    waiting.append(named)
    return list(found)


def _hints(one: type[Any]) -> Iterator[Any]:
    if dataclasses.is_dataclass(one):
        yield from typing.get_type_hints(one).values()
    for name, member in vars(one).items():
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and not name.startswith("_") and name != "view":
            yield typing.get_type_hints(function, include_extras=False).get("return")


def _classes(hint: Any) -> Iterator[type[Any]]:
    if inspect.isclass(hint) and not typing.get_args(hint):
        yield hint
    for inner in typing.get_args(hint):
        yield from _classes(inner)
