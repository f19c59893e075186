"""All errors Polyhop raises on purpose; docs/errors.md is a table of them.

``remedy`` says what to do about it, in one sentence, or in a line for each of several things; the command line and the
server print it under the message.
Exit 0 is an answer, 3 is an abstention, 130 an interruption: neither is an error.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, ClassVar

from polyhop.types import Cost


class PolyhopError(Exception):
    """The root of the tree: a message for people, an exit code, an HTTP status, and a remedy."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    remedy: str = ""

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        if remedy is not None:
            self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again with all it carries, also what its class asks for by name: worker processes hand errors on."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class UsageError(PolyhopError):
    """The caller asked for something that makes no sense."""

    exit_code = 2
    http_status = 400


class SettingError(UsageError):
    """A setting is unknown or has the wrong type."""


class UnknownComponent(UsageError):
    """No strategy, model, layer, loader or metric has that name."""

    http_status = 404


class ComponentBroken(PolyhopError):
    """What a package brings cannot be loaded, or is not what it is registered as."""


class DocumentMissing(UsageError):
    """The index has no document of that id."""

    http_status = 404


class EntityMissing(UsageError):
    """The graph of an index has no entity of that name."""

    http_status = 404


class DatasetError(UsageError):
    """A data set for the bench, or another file of rows, cannot be read."""


class DocumentError(PolyhopError):
    """One input file cannot be read; indexing reports it and goes on."""

    http_status = 422


class StoreError(PolyhopError):
    """The index cannot be used."""


class IndexMissing(StoreError):
    """There is no index at that place."""

    exit_code = 4
    http_status = 404
    remedy = "Make one with: polyhop index PATH..."


class IndexLocked(StoreError):
    """Another process is writing to the index."""

    exit_code = 5
    http_status = 409
    remedy = "Wait until it has finished, or stop it; nothing that it stored is lost."


class IndexCorrupt(StoreError):
    """The file is not a Polyhop index, or it is damaged."""

    exit_code = 6
    remedy = "Choose another --index, or move this one away and index again."


class IndexTooNew(StoreError):
    """The index was written by a newer version of Polyhop."""

    exit_code = 6
    remedy = "Upgrade with: pip install --upgrade polyhop"


class ModelMismatch(StoreError):
    """The index was made with another model than the one now configured."""

    exit_code = 2
    http_status = 409


class LayerMissing(StoreError):
    """A strategy needs a layer that this index does not have."""

    exit_code = 2
    http_status = 409


class OriginalMissing(StoreError):
    """The file that a document was read from is not at hand any more, or says something else now."""

    exit_code = 2
    http_status = 409
    remedy = "Read the document's text instead, or index the file again."


class PageMissing(UsageError):
    """A document has no such page."""

    http_status = 404


class OverlayStale(StoreError):
    """Edits to the facts were made for another state of them."""

    exit_code = 2
    http_status = 409
    remedy = "Make them again for the facts as they are now with: polyhop corrupt"


class StoreUnreachable(StoreError):
    """The database that has the record of the index is down, or lets nobody in."""

    exit_code = 7
    http_status = 503
    remedy = "See that the server runs at the address of --store; what was stored there is not lost."


class StorageFull(StoreError):
    """There is no space left, or the folder cannot be written."""

    exit_code = 7
    http_status = 507
    remedy = "Free some space or make the folder writable, and run the same command again."


class ModelError(PolyhopError):
    """A model cannot be used."""

    http_status = 503


class ModelMissing(ModelError):
    """The weights of a model are not installed."""

    exit_code = 8
    remedy = "Install them with: polyhop models install"


class EndpointError(ModelError):
    """The endpoint is down, too slow, refuses us, or answers garbage.

    ``status`` is that of an answer which no repetition would change (413: the prompt is too long, whatever the server
    called it); None where there was no such answer, only trouble that may pass.
    """

    exit_code = 9
    http_status = 502
    cost = Cost()  # of replies that broke off or were too slow
    remedy = "Check the endpoint's address, key and model with: polyhop doctor"

    def __init__(self, message: str, *, remedy: str | None = None, status: int | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


class OutputInvalid(ModelError):
    """A model's output breaks the schema it was given, even after one repair."""

    exit_code = 9
    http_status = 502


class RequestError(PolyhopError):
    """A server does not take a request as it is, or not now."""

    exit_code = 2
    http_status = 400


class TooLarge(RequestError):
    """A request is larger than the server takes."""

    http_status = 413


class WorkspaceMissing(RequestError):
    """The server has no workspace of that name."""

    http_status = 404


class KeyRefused(RequestError):
    """There is no key, or it does not count (any more)."""

    http_status = 401
    remedy = "Send one as the header Authorization: Bearer KEY; polyhop keys add makes one."


class KeyMissing(RequestError):
    """There is no key of that name."""

    http_status = 404
    remedy = "polyhop keys list shows them."


class NotAllowed(RequestError):
    """The key does not allow that."""

    http_status = 403


class JobMissing(RequestError):
    """The workspace has no such job, or the job has no result."""

    http_status = 404


class NotNow(RequestError):
    """What is there is not in a state for it."""

    http_status = 409


class WrongContent(RequestError):
    """A request is in a form that is not read there."""

    http_status = 415


class LimitReached(RequestError):
    """A limit of the key was reached; ``retry_after`` seconds later there is room again; 0: never for so much."""

    http_status = 429

    def __init__(self, message: str, *, retry_after: int, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class Overloaded(RequestError):
    """Too many are asking already; ``retry_after``: seconds after which it is worth asking again."""

    exit_code = 1
    http_status = 503
    remedy = "Ask again a little later, or have the server work on more answers at once with: polyhop serve --workers N"

    def __init__(self, message: str, *, remedy: str | None = None, retry_after: int = 1) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class BudgetExceeded(PolyhopError):
    """A cap on tokens, calls, money or time was reached."""

    exit_code = 10
    http_status = 429
    cost = Cost()  # as of EndpointError, where a request was not to be made again after them


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that offers the known names, nearest first: for errors about a name nobody knows."""
    names = sorted(known)
    match = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    listed = ", ".join(names) if names else "none"
    return f"Did you mean {match[0]!r}? Known: {listed}." if match else f"Known: {listed}."
