"""Around every request: its id, its line in the log, its count, how large it may be, and who may send it."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyhop.errors import RequestError, TooLarge
from polyhop.serve.errors import SEND_LESS, headers_of, last_event, response, shape, status_of
from polyhop.serve.json_log import request_id
from polyhop.serve.metrics import Metrics
from polyhop.settings import Serving

logger = logging.getLogger(__name__)
OUR_ID = re.compile(r"[\w.:-]{1,64}")  # a caller may bring an id: no more than a word of it goes into the log
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
WRITING = {"POST", "PUT", "PATCH", "DELETE"}
OWN = ("polyhop-client", "polyhop-workspace", "authorization")  # headers that no form sends
FOREIGN = ("cross-site", "same-site")  # the latter: another port, or another host of the same domain
UPLOADS = ("POST", "/v1/documents")
UNTOLD = ("/mcp", "/openapi.json")  # routes that others have made, and that do not say in the scope which they are
STREAM = "text/event-stream"
NEVER_SENT = 499  # nobody was there any more


class Forbidden(RequestError):
    """A page of another site tries to use this server through somebody's browser."""

    http_status = 403
    remedy = "Open the page that this server itself has at /."


class WrongHost(RequestError):
    """A request calls this server by a name that is another's: some site's, which was made to lead here."""

    remedy = "Call the server by the address that it tells at its start."


class Stopped(RequestError):
    """The server stops, and a request was not answered in the time that it had for that."""

    exit_code = 1
    http_status = 503
    remedy = "Send it again when the server runs again."


class OwnHost:
    """ASGI middleware: refuses requests that are for another host. Raises WrongHost."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str]) -> None:
        self.app = app
        self.own = re.compile(rf"({'|'.join(map(re.escape, names))})(:\d{{1,5}})?", re.IGNORECASE | re.ASCII)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and not self.own.fullmatch(Headers(scope=scope).get("host", "")):
            raise WrongHost("The request is for another host than this machine.")
        await self.app(scope, receive, send)


class AroundRequests:
    """ASGI middleware around the application: what is unexpected ends here, with an id and without a traceback."""

    def __init__(self, app: ASGIApp, *, serving: Serving, metrics: Metrics) -> None:
        self.app = app
        self.serving = serving
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        one = _OneRequest(scope, headers, send, self.metrics, self.serving)
        token = request_id.set(one.id)
        try:
            _check_origin(headers, self.serving.site)
            _check_form(scope["method"], headers)
            await self.app(scope, _limited(receive, one, headers, self.serving), one.send)
        except RequestError as error:
            await one.fail(error)
        except asyncio.CancelledError:  # the time that the server has to stop is over
            await one.stop(Stopped("The server was stopped before it could answer."))
        except Exception as error:
            logger.exception("unexpected error in %s %s", scope["method"], scope["path"])
            if one.status:
                raise  # a response is half sent: the connection has to break off
            await one.fail(error)
        finally:
            one.ended()
            request_id.reset(token)


class _OneRequest:
    """What is told of one request, in its response, in the log and in the counts."""

    def __init__(self, scope: Scope, headers: Headers, send: Send, metrics: Metrics, serving: Serving) -> None:
        brought = headers.get("x-request-id", "")
        self.id = brought if OUR_ID.fullmatch(brought) else uuid.uuid4().hex[:16]
        self.status = 0
        self.streams = False  # whether events are being sent, and the last one is still to come
        self.scope = scope
        self._send = send
        self._metrics = metrics
        self._serving = serving
        self._began = time.monotonic()
        scope.setdefault("state", {})["request_id"] = self.id

    async def send(self, message: Message) -> None:
        """Pass a message on, with the id in the first."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            self.streams = headers.get("content-type", "").startswith(STREAM)
            headers["X-Request-Id"] = self.id
            headers.setdefault("X-Content-Type-Options", "nosniff")
            if "location" in headers:  # to a route of ours, with a slash more or less
                headers["Location"] = _outside(URL(headers["location"]), self._serving)
        elif not message.get("more_body", False):
            self.streams = False
        await self._send(message)

    async def stop(self, error: Stopped) -> None:
        """Answer with an error, or end a stream of events with it; what else is half sent breaks off."""
        path: str = self.scope["path"]
        if not self.status:
            await self.fail(error)
        elif self.streams and path.startswith("/v1/"):  # not /mcp, whose events are of a form of their own
            await self.send({"type": "http.response.body", "body": last_event(path, shape(error, self.id))})

    async def fail(self, error: Exception) -> None:
        """Answer with an error."""
        answer = response(self.scope["path"], status_of(error), shape(error, self.id), headers_of(error))
        await answer(self.scope, _nothing, self.send)

    def ended(self) -> None:
        """Log and count the request."""
        seconds = time.monotonic() - self._began
        status = self.status or NEVER_SENT
        method = self.scope["method"] if self.scope["method"] in METHODS else "OTHER"
        path: str = self.scope["path"]
        route = str(getattr(self.scope.get("route"), "path", path if path in UNTOLD else "none"))
        self._metrics.request(route, method, status, seconds)
        told = {"status": status, "seconds": round(seconds, 4), **_whence(self.scope)}
        logger.info("%s %s %d", method, route, status, extra={"told": told})


def _whence(scope: Scope) -> dict[str, str]:
    """Who asked, and of which workspace, as far as a request came to that; a key's id opens nothing by itself."""
    state, client = scope.get("state", {}), scope.get("client")
    key = state.get("key")
    told = {"client": client and client[0], "key": key and key.id, "workspace": state.get("workspace")}
    return {name: word for name, word in told.items() if word}


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _outside(there: URL, serving: Serving) -> str:
    """An address of this server's, as whoever comes through a proxy calls it."""
    site = serving.site or f"{there.scheme}://{there.netloc}"
    return f"{site}{serving.prefix}{there.path}{there.query and '?' + there.query}"


def _check_origin(headers: Headers, site: str) -> None:
    """Refuse what a browser sends for a page of another site, unless a link was followed. Raises Forbidden."""
    origin = headers.get("origin")
    foreign = origin and origin != site and _host_in(origin) != headers.get("host")
    # of a picture, a script or a frame no origin is told, but where it is wanted from, and what for
    embedded = headers.get("sec-fetch-site") in FOREIGN and headers.get("sec-fetch-dest") != "document"
    if foreign or embedded:
        raise Forbidden("Pages of other sites may not use this server.")


def _host_in(origin: str) -> str:
    """The host of a page, with its port; empty where the browser's word for it is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _check_form(method: str, headers: Headers) -> None:
    """Refuse what a form in a browser can send by itself: only scripts of the page set headers. Raises Forbidden."""
    browser = "origin" in headers or "sec-fetch-site" in headers
    told = headers.get("content-type", "").startswith("application/json") or any(name in headers for name in OWN)
    if method in WRITING and browser and not told:
        raise Forbidden("A browser sent this without a header of the page: Polyhop-Client.")


def _most_of(scope: Scope, headers: Headers, serving: Serving) -> int:
    """The bytes that a request may have: files come to one route alone, where none of them waits in memory."""
    with_files = headers.get("content-type", "").startswith("multipart/")
    uploads = (scope["method"], scope["path"]) == UPLOADS
    return serving.upload if uploads and with_files else serving.body


def _limited(receive: Receive, one: _OneRequest, headers: Headers, serving: Serving) -> Receive:
    """Receive no more than a request may have, all of it, and not for ever. Raises TooLarge where it says how large.

    Once it is being answered, its body counts no more: then only who leaves is listened for.
    """
    most = _most_of(one.scope, headers, serving)
    told = headers.get("content-length", "0")
    if told.isdigit() and int(told) > most:
        raise too_large(most)
    seen, whole = 0, False

    async def receiving() -> Message:
        nonlocal seen, whole
        try:
            async with asyncio.timeout(None if whole or one.status else serving.silence):
                message = await receive()
        except TimeoutError:
            if not one.status:
                raise HTTPException(408, f"Nothing more of the request came for {serving.silence:g} seconds.") from None
            message = await receive()
        if one.status:
            return message
        if message["type"] == "http.disconnect" and not whole:
            raise HTTPException(400, "The request ended in the middle.")  # nobody hears it, but it is counted
        seen += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if seen > most:
            raise HTTPException(413, str(too_large(most)))  # the only kind that passes through reading a body
        return message

    return receiving


def too_large(most: int) -> TooLarge:
    """The error for a request with more bytes than are taken."""
    return TooLarge(f"The request has more than {most:,} bytes.", remedy=SEND_LESS)
