"""The JSON object in a model's text while the text is being written: every string as far as it is there.

It reads as ``models/structured.py`` does once the text is whole: thoughts, code fences and prose around are skipped. It
is lenient where that one is strict, since what it reads is shown for a moment and then read again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from polyhop.models.streamed_reply import joined_pairs
from polyhop.models.structured import MAX_DEPTH, MAX_STARTS, THINKING

_LONGEST_TAG: Final = 12  # characters of </reasoning>
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WHITE: Final = " \t\r\n"
_Container = dict[str, Any] | list[Any]


class _Broken(Exception):
    """What was taken for JSON is none."""


class JsonArriving:
    """Takes a text piece by piece, cut anywhere. ``value``: the object in it so far, None before it begins.

    Of several objects the first with the key ``wanted`` counts, and the last one while there is none.
    """

    def __init__(self, wanted: str) -> None:
        self.value: dict[str, Any] | None = None
        self._wanted = wanted
        self._starts = 0
        self._tail = ""  # the end of what stands outside, in which a tag may be
        self._thinking = False
        self._object: _ObjectArriving | None = None
        self._read: list[str] = []  # of the object under way, to be read again where it turns out to be none

    def take(self, piece: str) -> None:
        """The text goes on."""
        waiting = deque(piece)
        while waiting:
            character = waiting.popleft()
            if self._object is None:
                self._outside(character)
                continue
            self._read.append(character)
            try:
                self._object.take(character)
            except _Broken:
                waiting.extendleft(reversed(self._read))
                self.value, self._object = None, None
                continue
            if self._object.done:
                self._object = None
        if self._object is not None:
            self._object.show()

    def _outside(self, character: str) -> None:
        self._tail = (self._tail + character)[-_LONGEST_TAG:]
        if character == ">":
            self._tag()
        elif character == "{" and not self._thinking and self._wanted not in (self.value or {}):
            self._begin()

    def _begin(self) -> None:
        if self._starts < MAX_STARTS:
            self._starts += 1
            self._object = _ObjectArriving()
            self.value, self._read = self._object.value, []

    def _tag(self) -> None:
        tag = next((one for one in THINKING.finditer(self._tail) if one.end() == len(self._tail)), None)
        if tag is not None and tag[1] and not self._thinking:  # all before it was thought
            self.value = None
        if tag is not None:
            self._thinking = not tag[1]


class _ObjectArriving:
    """One JSON object, character by character, from behind its opening brace. Its methods are what may come next."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}
        self.done = False
        self._open: list[_Container] = [self.value]
        self._key: str | None = None  # of the value that comes next; None within an array
        self._text: list[str] = []  # of the string, the name or the number under way
        self._code = ""  # hexadecimal digits of an escape
        self._is_key = False
        self._shown = False  # whether the value under way has its place in an array
        self._next: Callable[[str], None] = self._key_or_end

    def take(self, character: str) -> None:
        """One more character. Raises _Broken where none such may stand there."""
        self._next(character)

    def show(self) -> None:
        """Put as much of a string as is there where it belongs."""
        in_string = self._next in (self._in_string, self._escaped, self._in_code)
        if in_string and not self._is_key:
            whole = self._text[:-1] if self._text and "\ud800" <= self._text[-1] <= "\udbff" else self._text
            self._put(joined_pairs("".join(whole)))

    def _put(self, value: Any) -> None:
        container = self._open[-1]
        if isinstance(container, dict):
            container[self._key or ""] = value
        elif self._shown:
            container[-1] = value
        else:
            container.append(value)
            self._shown = True

    def _key_or_end(self, character: str) -> None:
        if character == "}":
            self._close()
        else:
            self._key_begins(character)

    def _key_begins(self, character: str) -> None:
        if character == '"':
            self._string(is_key=True)
        elif character not in _WHITE:
            raise _Broken

    def _colon(self, character: str) -> None:
        if character == ":":
            self._next = self._value
        elif character not in _WHITE:
            raise _Broken

    def _value_or_end(self, character: str) -> None:
        if character == "]":
            self._close()
        else:
            self._value(character)

    def _value(self, character: str) -> None:
        if character in _WHITE:
            return
        self._shown = False
        if character == '"':
            self._string(is_key=False)
        elif character in "{[":
            value: _Container = {} if character == "{" else []
            self._put(value)
            self._open.append(value)
            self._next = self._key_or_end if character == "{" else self._value_or_end
            if len(self._open) > MAX_DEPTH:
                raise _Broken
        elif character in "-0123456789tfn":
            self._text, self._next = [character], self._in_literal
        else:
            raise _Broken

    def _in_literal(self, character: str) -> None:
        if character not in _WHITE and character not in ",]}":
            self._text.append(character)
            return
        try:
            self._put(json.loads("".join(self._text)))
        except ValueError as error:
            raise _Broken from error
        self._next = self._after_value
        self._after_value(character)

    def _after_value(self, character: str) -> None:
        in_object = isinstance(self._open[-1], dict)
        if character == ",":
            self._next = self._key_begins if in_object else self._value
        elif character == ("}" if in_object else "]"):
            self._close()
        elif character not in _WHITE:
            raise _Broken

    def _close(self) -> None:
        self._open.pop()
        self.done = not self._open
        self._next = self._after_value

    def _string(self, *, is_key: bool) -> None:
        self._is_key, self._text, self._next = is_key, [], self._in_string

    def _in_string(self, character: str) -> None:
        if character == "\\":
            self._next = self._escaped
        elif character != '"':
            self._text.append(character)
        elif self._is_key:
            self._key, self._next = joined_pairs("".join(self._text)), self._colon
        else:
            self._put(joined_pairs("".join(self._text)))
            self._next = self._after_value

    def _escaped(self, character: str) -> None:
        if character == "u":
            self._code, self._next = "", self._in_code
        elif character in _ESCAPES:
            self._text.append(_ESCAPES[character])
            self._next = self._in_string
        else:
            raise _Broken

    def _in_code(self, character: str) -> None:
        if character not in "0123456789abcdefABCDEF":
            raise _Broken
        self._code += character
        if len(self._code) == 4:
            self._text.append(chr(int(self._code, 16)))
            self._next = self._in_string
