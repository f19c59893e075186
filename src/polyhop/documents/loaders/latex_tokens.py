"""The language of LaTeX: commands, groups and text in their order, with what a source defines for itself put in.

Only definitions by name are known, as authors make them to write a name or a unit; what computes is not carried out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"(?P<comment>%[^\n]*+(?:\n[ \t]*+(?!\n))?|\\href\{[^{}\\\s]{0,500}\})"
    r"|\\(?:url|path|nolinkurl)\{(?P<address>[^{}\\\s]{0,500})\}"
    r"|\\(?:verb\*?|lstinline)(?P<delimiter>[^A-Za-z\s*{\[])(?P<verbatim>[^\n]{0,200}?)(?P=delimiter)"
    r"|\\(?:(?P<command>[A-Za-z@]++)\*?|(?P<sign>[^A-Za-z@]))"
    r"|(?P<paragraph>[ \t]*+\n[ \t]*+\n\s*+)|(?P<space>\s++)"
    r"|(?P<mark>\$\$|[{}$&~\[\]])|\#(?P<parameter>\d)"
    r"|(?P<text>[^\\%{}$&~\[\]#\s]++|[\\#])"
)
_BRACKET: Final = re.compile(r"\s*+\[")
_KINDS: Final = {"sign": "command", "address": "verbatim"}
_DEFINING: Final = frozenset(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"))
_MOST_PUT_IN: Final = 500_000  # tokens of definitions: those that call one another never end
_DEEPEST_OPTION: Final = 2_000  # tokens of what stands in brackets


class TexToken(NamedTuple):
    """A piece of a source: its kind, such as ``command``, ``text`` or ``space``, and what it says."""

    kind: str
    text: str


@dataclass(slots=True)
class Arguments:
    """Which groups are given to a command that nobody knows: two side by side are two values, and no word."""

    _open: list[bool] = field(default_factory=list)  # of each group that is open, whether it was given to one
    _may_begin: bool = False  # whether a group that begins here is given to a command
    _is_further: bool = False  # whether another one was before it
    _waits: bool = False  # whether a further one has begun, and says nothing yet

    def await_one(self) -> None:
        """The command that has been read is not known."""
        self._may_begin, self._is_further = True, False

    def part(self, token: TexToken) -> bool:
        """Whether a token is the first of a further argument."""
        begins, ends = (token.kind == "mark" and token.text == sign for sign in "{}")
        parts = self._waits and not ends
        self._waits = begins and self._may_begin and self._is_further
        if begins:
            self._open.append(self._may_begin)
        self._may_begin = self._is_further = ends and bool(self._open) and self._open.pop()
        return parts


class _Definition(NamedTuple):
    arguments: int
    default: Sequence[TexToken] | None  # of the first one, where it may be left out
    body: Sequence[TexToken]


class TexTokens:
    """Reads a source token by token; ``kept``: the names of commands that no definition of the source changes."""

    def __init__(self, source: str, kept: Collection[str] = ()) -> None:
        self._source = source
        self._at = 0
        self._kept = kept
        self._ahead: list[TexToken] = []  # the next one last
        self._definitions: dict[str, _Definition] = {}
        self._left = _MOST_PUT_IN

    def __iter__(self) -> Iterator[TexToken]:
        """What is left, until it ends or somebody stops."""
        while (token := self.next()) is not None:
            yield token

    def next(self) -> TexToken | None:
        """The next token, with definitions read and put in; None at the end."""
        while (token := self._bare()) is not None:
            if token.kind != "command" or not self._defines(token.text):
                return token
        return None

    def push(self, tokens: Sequence[TexToken]) -> None:
        """Have these come next."""
        self._ahead += reversed(tokens)

    def skip_space(self) -> None:
        """Pass over white space that only ends the name of a command."""
        token = self._bare()
        if token is not None and token.kind != "space":
            self._ahead.append(token)

    def argument(self) -> list[TexToken]:
        """What a command is given: a group without its braces, or one token."""
        self.skip_space()
        token = self._bare()
        if token is None or token.kind == "paragraph":
            return []
        if token.text != "{":
            return [token]
        return self._until("}")

    def group(self) -> list[TexToken] | None:
        """What stands in braces right here, if anything does."""
        token = self._bare()
        if token is not None and token.text == "{" and token.kind == "mark":
            return self._until("}")
        self._ahead += [] if token is None else [token]
        return None

    def put_in(self, tokens: Sequence[TexToken]) -> list[TexToken]:
        """Tokens with what the source defines put in."""
        if not self._definitions:
            return [*tokens]
        read = TexTokens("")
        read._definitions, read._left = self._definitions, self._left
        read.push(tokens)
        found = [*read]
        self._left = read._left
        return found

    def option(self) -> list[TexToken] | None:
        """What stands in brackets right here, if anything does."""
        if not self._ahead and not _BRACKET.match(self._source, self._at):
            return None  # nothing is read ahead of what is to be read as it is written
        token = self._bare()
        spaces = []
        if token is not None and token.kind == "space":
            spaces.append(token)
            token = self._bare()
        if token is not None and token.text == "[" and token.kind == "mark":
            return self._until("]")
        self._ahead += [token, *spaces] if token is not None else spaces
        return None

    def raw_until(self, end: str) -> str:
        """The source as it is written up to some text, which is passed over."""
        if self._ahead:
            return ""
        place = self._source.find(end, self._at)
        place = len(self._source) if place < 0 else place
        said = self._source[self._at : place]
        self._at = place + len(end)
        return said

    def _bare(self) -> TexToken | None:
        if self._ahead:
            return self._ahead.pop()
        while found := _TOKEN.match(self._source, self._at):
            self._at = found.end()
            kind = str(found.lastgroup)
            if kind != "comment":
                return TexToken(_KINDS.get(kind, kind), found[kind])
        return None

    def _until(self, end: str) -> list[TexToken]:
        """What comes before the brace or bracket that closes here."""
        found: list[TexToken] = []
        depth = 0
        while (token := self._bare()) is not None:
            if token.kind == "mark":
                if token.text == end and not depth:
                    break
                depth += (token.text == "{") - (token.text == "}")
            found.append(token)
            if end == "]" and (depth < 0 or len(found) > _DEEPEST_OPTION):
                break
        return found

    def _defines(self, name: str) -> bool:
        """Whether a command defines one, or is one that was defined, which is put in."""
        if name in _DEFINING:
            self._define()
        elif name == "def":
            self._define_plainly()
        elif name == "DeclareMathOperator":
            self._store(self.argument(), _Definition(0, None, self.argument()))
        elif name == "DeclareSIUnit":
            self.option()
            self._store(self.argument(), _Definition(0, None, self.argument()))
        elif name in self._definitions:
            self._put_in(self._definitions[name])
        else:
            return False
        return True

    def _define(self) -> None:
        named = self.argument()
        number = "".join(token.text for token in self.option() or ())
        default = self.option()
        self._store(named, _Definition(int(number) if number.isdecimal() else 0, default, self.argument()))

    def _define_plainly(self) -> None:
        named = self.argument()
        arguments = 0
        while (token := self._bare()) is not None and token.text != "{":
            arguments += token.kind == "parameter"
        self._store(named, _Definition(arguments, None, self._until("}")))

    def _store(self, named: Sequence[TexToken], definition: _Definition) -> None:
        name = named[0].text if len(named) == 1 and named[0].kind == "command" else ""
        if name and name not in self._kept:
            self._definitions[name] = definition

    def _put_in(self, definition: _Definition) -> None:
        given: dict[str, Sequence[TexToken]] = {}
        for number in range(1, min(definition.arguments, 9) + 1):
            left_out = number == 1 and definition.default is not None
            option = self.option() if left_out else None
            given[str(number)] = self.argument() if not left_out else option or definition.default or ()
        if not definition.arguments:
            self.skip_space()
        put_in = [*_filled(definition.body, given)]
        self._left -= len(put_in) + 1
        if self._left > 0:
            self.push(put_in)


def _filled(body: Sequence[TexToken], given: Mapping[str, Sequence[TexToken]]) -> Iterator[TexToken]:
    for token in body:
        if token.kind == "parameter":
            yield from given.get(token.text, ())
        else:
            yield token
