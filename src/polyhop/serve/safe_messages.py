"""What is told to whoever asks a server: not where its files lie, nor where its database is."""

from __future__ import annotations

import logging
import re

from polyhop.errors import PolyhopError, RequestError, StoreUnreachable, UsageError

logger = logging.getLogger(__name__)

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
_DATABASE = re.compile(r"(postgres(?:ql)?://)[^\s/?#]*(/[^\s/?#]*)?(?:\?[^\s#]*)?")  # its name may be told
_QUOTED_TOO = re.compile(rf"(?<![^\s'\"(=]){_FOLDERS}")


def without_folders(text: str) -> str:
    """A text of ours, in which files have their names and no folders, and databases no hosts."""
    return _QUOTED_TOO.sub("", _without_hosts(text))


def _without_hosts(text: str) -> str:
    return _DATABASE.sub(r"\1...\2", text)


def type_of(error: PolyhopError) -> str:
    """``layer_missing`` of LayerMissing."""
    return _WORD.sub("_", type(error).__name__).lower()


def message_of(error: PolyhopError) -> str:
    """The message of an error without folders; what quotes the caller stays as it is.

    Of a store that cannot be reached, what the store itself says goes to the log: it names hosts and users.
    """
    if isinstance(error, StoreUnreachable):
        logger.warning("%s", error)
        return without_folders(re.sub(r" \(.*\)(?=\.$)", "", str(error)))
    quotes_caller = isinstance(error, UsageError | RequestError)
    return _PLAIN.sub("", _without_hosts(str(error))) if quotes_caller else without_folders(str(error))


def remedy_of(error: PolyhopError) -> str | None:
    """What who asks a server may do about an error, without folders; None where it does not say."""
    remedy = error.remedy
    for command, route in _ROUTES.items():
        remedy = command.sub(route, remedy)
    return without_folders(remedy) or None
