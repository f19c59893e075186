"""Gets JSON out of a language model's text, checks it against a schema, and lets the model repair it once.

A model's text is untrusted: it is parsed, bounded in length and depth, and never executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polyhop.english.numbers import counted
from polyhop.errors import OutputInvalid
from polyhop.models.accounting import WastedOutput
from polyhop.models.repetition import goes_round
from polyhop.models.within import NoCallsLeft
from polyhop.ports import LanguageModel, Message
from polyhop.types import Cost

MAX_CHARACTERS = 400_000
MAX_DEPTH = 32
MAX_STARTS = 100  # brackets in prose that are tried as the start of a value: keeps the search linear
_AGAIN = 3  # items at the end of a list that all stand in it before: it goes on like that
_AGAIN_IN_CIRCLES = 1  # so many suffice where the text itself goes round
_SHOWN = 6000  # characters of a broken output that the model is shown again

THINKING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)```", re.DOTALL)
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
_WHITE = re.compile(r"\s*")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}

_REPAIR = """That output cannot be used: {fault}

Write the whole output again with this put right. Write one JSON value and nothing before or after it. It has to obey \
this JSON Schema:
{schema}"""


class Fault(ValueError):
    """Why a text or a value does not obey its schema, in words that a model can act upon."""


def parse_json(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON value in a text that obeys the schema; thoughts, code fences and prose around it are skipped.

    Of several the first counts, one that fills a code fence before those in prose. A value that is cut off is none,
    and nothing within it is one. Raises Fault, which tells what is wrong with the value that comes nearest.
    """
    if len(text) > MAX_CHARACTERS:
        raise Fault(f"it has {len(text):,} characters, and {MAX_CHARACTERS:,} is the most that is read.")
    nearest: Fault | None = None
    for value in _values(text):
        try:
            check(value, schema)
        except Fault as fault:
            typed = _has_type(value, schema)
            nearest = fault if nearest is None or typed else nearest
        else:
            return value
    raise nearest or Fault("there is no complete JSON value in it.")


def check(value: Any, schema: Mapping[str, Any], path: str = "$") -> None:
    """Check a value against the part of JSON Schema that our tasks use.

    That is ``type``, ``enum``, ``properties``, ``required``, ``additionalProperties: false``, ``items``, ``minItems``,
    ``maxItems`` and ``minLength``; ``description`` and ``title`` say nothing.

    Raises Fault, which names the place as a path such as ``$.support[2].quote``.
    """
    if "enum" in schema and not any(_same(value, option) for option in schema["enum"]):
        raise Fault(f"{path} must be one of {json.dumps(schema['enum'], ensure_ascii=False)}.")
    if not _has_type(value, schema):
        raise Fault(f"{path} must be of type {' or '.join(_type_names(schema))}, not {_type_of(value)}.")
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        raise Fault(f"{path} must have at least {counted(schema['minLength'], 'characters')}.")
    if isinstance(value, list):
        _check_array(value, schema, path)
    if isinstance(value, dict):
        _check_object(value, schema, path)


def complete_json(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    max_tokens: int = 512,
    *,
    also: Sequence[Mapping[str, Any]] = (),
) -> tuple[Any, Cost]:
    """A value that obeys the schema, and what it cost. A broken output is shown to the model with its fault, once.

    ``also``: other schemas, of values that are as good and that a model writes that does not heed the first.

    Raises OutputInvalid (with ``text`` and ``cost``) where the second output is broken too, EndpointError and
    BudgetExceeded; NoCallsLeft has the broken output as ``text`` where nothing was left to have it repaired.
    """
    value, fault, text, cost = _attempt(model, messages, schema, max_tokens, also)
    if fault is None:
        return value, cost
    repair = _REPAIR.format(fault=fault, schema=json.dumps(schema, ensure_ascii=False))
    shown = [Message("assistant", text[:_SHOWN])] if text.strip() else []
    conversation = [*messages, *shown, Message("user", repair)]
    first = text
    try:
        value, fault, text, more = _attempt(model, conversation, schema, max_tokens, also)
    except NoCallsLeft as refused:
        refused.text, refused.cost = text, cost
        raise
    if fault is None:
        return value, cost + more
    raise WastedOutput(
        f"{model.name} gave no JSON that fits, even after one repair: {fault}",
        text=text if text.strip() else first,
        cost=cost + more,
        remedy="Use a larger model, or one that supports structured output.",
    )


def mended(text: str, schema: Mapping[str, Any]) -> Any:
    """The value in a text that obeys the schema, also one that is cut off: what it has till then; None for none."""
    try:
        return parse_json(text, schema)
    except Fault:
        pass
    said = spoken(text)[:MAX_CHARACTERS]
    for closed in _closed(said[max(said.find("{"), 0) :]):
        try:
            return parse_json(closed, schema)
        except Fault:
            continue
    return None


def _said_before_repeating(text: str, schema: Mapping[str, Any], also: Sequence[Mapping[str, Any]]) -> Any:
    """What an output says that was cut off while it said the same again and again, once; None where it did not.

    Small models do so at temperature 0, up to whatever limit there is: to ask again brings nothing more.
    """
    circles = goes_round(text)
    for value in (mended(text, one) for one in (schema, *also)):
        repeating = [items for items in _last_lists(value) if _repeats(items, _AGAIN_IN_CIRCLES if circles else _AGAIN)]
        for items in repeating:
            items[:] = {json.dumps(one, sort_keys=True): one for one in items}.values()
        if repeating or (circles and value is not None):
            return value
    return None


def _repeats(items: Sequence[Any], last: int) -> bool:
    """Whether so many items at the end of a list all stand in it before."""
    return len(items) > last and all(one in items[:-last] for one in items[-last:])


def _last_lists(value: Any) -> Iterator[list[Any]]:
    """The lists at whose end a value ends, outer ones first: what repeats in others has come to an end."""
    while isinstance(value, (list, dict)) and value:
        if isinstance(value, list):
            yield value
        value = value[-1] if isinstance(value, list) else list(value.values())[-1]


def _closed(text: str) -> list[str]:
    """A JSON value that is cut off, closed behind the last values that seem to be whole in it, the longest first."""
    open_ends: list[str] = []
    ends: list[tuple[int, str]] = []  # where a value ends, and what closes all that is open there
    for match in _MARKS.finditer(text):
        mark = match.group()
        if mark in "{[":
            open_ends.append("}" if mark == "{" else "]")
            continue
        if mark in "}]" and open_ends:
            open_ends.pop()
        ends.append((match.start() if mark == "," else match.end(), "".join(reversed(open_ends))))
    return [text[:end] + closing for end, closing in reversed(ends[-MAX_STARTS:])]


def _attempt(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    max_tokens: int,
    also: Sequence[Mapping[str, Any]],
) -> tuple[Any, str | None, str, Cost]:
    try:
        completion = model.complete(messages, max_tokens=max_tokens, schema=schema)
    except WastedOutput as wasted:  # empty, or cut off, perhaps only in what was said after the value
        value, fault = _parsed(wasted.text, schema, also)
        if fault is not None and (said := _said_before_repeating(wasted.text, schema, also)) is not None:
            return said, None, wasted.text, wasted.cost
        return value, None if fault is None else f"{wasted} Be brief.", wasted.text, wasted.cost  # it may help
    except OutputInvalid as invalid:
        return None, str(invalid), "", Cost()
    return *_parsed(completion.text, schema, also), completion.text, completion.cost


def _parsed(text: str, schema: Mapping[str, Any], also: Sequence[Mapping[str, Any]]) -> tuple[Any, str | None]:
    """The value in a text, or what is wrong with the one that the schema asked for."""
    fault = ""
    for one in (schema, *also):
        try:
            return parse_json(text, one), None
        except Fault as this:
            fault = fault or str(this)
    return None, fault


def _values(text: str) -> Iterator[Any]:
    """The JSON values in a text, most trusted first: the whole text, what fills a fence, what prose surrounds."""
    said = spoken(text)
    for whole in (text, said, *(match.group(1) for match in _FENCE.finditer(said))):
        value, end, complete = decoded(whole.lstrip())
        if complete and not whole.lstrip()[end:].strip():
            yield value
    position = 0
    for _ in range(MAX_STARTS):
        start = min((at for at in (said.find("{", position), said.find("[", position)) if at >= 0), default=-1)
        if start < 0:
            return
        value, position, complete = decoded(said, start)
        if complete:
            yield value


def spoken(text: str) -> str:
    """What a model says after thinking: no thoughts between tags, and none before or after a tag that stands alone."""
    said: list[str] = []
    thinking, at = False, 0
    for tag in THINKING.finditer(text):
        if not thinking:
            said.append(text[at : tag.start()])
        if tag[1] and not thinking:  # some servers have the model begin within its thoughts
            said.clear()
        thinking, at = not tag[1], tag.end()
    return "".join(said) + ("" if thinking else text[at:])


def decoded(text: str, start: int = 0) -> tuple[Any, int, bool]:
    """The JSON value at a position, where to look for the next, and whether this one is one that we accept."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half a surrogate pair would break whoever stores it
    except json.JSONDecodeError as error:
        return None, _after_broken(text, start, error), False
    except (ValueError, RecursionError):
        return None, start + 1, False
    return (None, start + 1, False) if deeper_than(value, MAX_DEPTH) else (value, end, True)


def _after_broken(text: str, start: int, error: json.JSONDecodeError) -> int:
    """Where to look on: behind a value that is cut off, by the text's end or by that of its fence, else within it."""
    if error.msg.startswith("Unterminated string"):
        return len(text)
    rest = _WHITE.match(text, error.pos)
    end = rest.end() if rest else error.pos
    return end if end == len(text) or text.startswith("```", end) else start + 1


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def deeper_than(value: Any, depth: int) -> bool:
    """Whether a JSON value has more levels of arrays and objects than that."""
    level = [value]
    for _ in range(depth):
        containers = [item for item in level if isinstance(item, (dict, list))]
        level = [child for item in containers for child in (item.values() if isinstance(item, dict) else item)]
    return any(isinstance(item, (dict, list)) for item in level)


def _type_names(schema: Mapping[str, Any]) -> tuple[str, ...]:
    declared = schema.get("type", ())
    return (declared,) if isinstance(declared, str) else tuple(declared)


def _has_type(value: Any, schema: Mapping[str, Any]) -> bool:
    names = _type_names(schema)
    if isinstance(value, bool):  # Python counts booleans among the integers, JSON does not
        return not names or "boolean" in names
    return not names or any(isinstance(value, _TYPES[name]) for name in names)


def _type_of(value: Any) -> str:
    return next(name for name in _TYPES if _has_type(value, {"type": name}))


def _same(value: Any, option: Any) -> bool:
    return bool(value == option) and isinstance(value, bool) == isinstance(option, bool)


def _check_array(value: list[Any], schema: Mapping[str, Any], path: str) -> None:
    if len(value) < schema.get("minItems", 0):
        raise Fault(f"{path} must have at least {counted(schema['minItems'], 'items')}, not {len(value)}.")
    if len(value) > schema.get("maxItems", len(value)):
        raise Fault(f"{path} must have at most {counted(schema['maxItems'], 'items')}, not {len(value)}.")
    for index, item in enumerate(value):
        check(item, schema.get("items", {}), f"{path}[{index}]")


def _check_object(value: dict[str, Any], schema: Mapping[str, Any], path: str) -> None:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise Fault(f"{path}.{name} is missing.")
    for name, item in value.items():
        if name in properties:
            check(item, properties[name], f"{path}.{name}")
        elif schema.get("additionalProperties") is False:
            raise Fault(f"{path} must not have {json.dumps(name[:60], ensure_ascii=False)}.")
