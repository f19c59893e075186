"""What is told to whoever asks a server: not where its files lie."""

from __future__ import annotations

import re

from polyhop.errors import PolyhopError, RequestError, UsageError

# Of a path that is written out, up to its last part: folders may have spaces in their names. /v1 is a route of ours.
_FOLDERS = r"(?:/(?!v1/)|[A-Za-z]:[/\\])(?:[^/\\'\"(),;:\n]+[/\\])+(?=[^\s/\\])"
_PLAIN = re.compile(rf"(?<!\S){_FOLDERS}")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ROUTES = {  # what callers of a server can do in place of a command that only its own machine can
    re.compile(r"polyhop index PATH\.\.\.$"): "POST /v1/documents",
    re.compile(r"polyhop status\b"): "GET /v1/jobs",
    re.compile(r"polyhop merges\b(?: \"[^\"]*\")?"): "GET /v1/graph/merges",
    re.compile(r"polyhop strategies\b"): "GET /v1/strategies",
}
_QUOTED_TOO = re.compile(rf"(?<![^\s'\"(=]){_FOLDERS}")


def without_folders(text: str) -> str:
    """A text of ours, in which files have their names and no folders."""
    return _QUOTED_TOO.sub("", text)


def type_of(error: PolyhopError) -> str:
    """``layer_missing`` of LayerMissing."""
    return _WORD.sub("_", type(error).__name__).lower()


def message_of(error: PolyhopError) -> str:
    """The message of an error without folders; what quotes the caller stays as it is."""
    quotes_caller = isinstance(error, UsageError | RequestError)
    return _PLAIN.sub("", str(error)) if quotes_caller else without_folders(str(error))


def remedy_of(error: PolyhopError) -> str | None:
    """What who asks a server may do about an error, without folders; None where it does not say."""
    remedy = error.remedy
    for command, route in _ROUTES.items():
        remedy = command.sub(route, remedy)
    return without_folders(remedy) or None
