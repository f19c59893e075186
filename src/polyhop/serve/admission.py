"""Who may come in: every request but those for the page itself is that of a key, or of this machine."""

from __future__ import annotations

from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from polyhop.serve.access import Access, Sender
from polyhop.serve.keys import ADMIN, READ, WRITE

OPEN = frozenset(("/", "/health", "/ready", "/openapi.json", "/favicon.ico"))
PAGE = "/page/"  # what the page consists of: no documents
ASKING = frozenset(("/v1/ask", "/v1/search", "/v1/chat/completions", "/mcp"))  # they change nothing
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
KEY = HTTPBearer(
    scheme_name="key", auto_error=False, description="A server that only its own machine reaches needs none."
)  # tells the description of the routes what this module asks of their requests


class Admission:
    """ASGI middleware: lets a request in with its key in the scope's state. Raises KeyRefused and the others."""

    def __init__(self, app: ASGIApp, *, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            needed = scope_for(scope["method"], scope["path"])
            if needed is not None:
                key = await run_in_threadpool(self.access.admitted, sender_of(scope), needed)
                scope.setdefault("state", {})["key"] = key
        await self.app(scope, receive, send)


def scope_for(method: str, path: str) -> str | None:
    """What a key has to allow for a request; None where none is needed."""
    if path in OPEN or path.startswith(PAGE):
        return None
    if method in ("GET", "HEAD", "OPTIONS") or (method == "POST" and path in ASKING):
        return READ
    return ADMIN if path.startswith("/v1/workspaces") else WRITE


def sender_of(scope: Scope) -> Sender:
    """What a request says of where it comes from."""
    headers = Headers(scope=scope)
    client = scope.get("client")
    return Sender(
        authorization=headers.get("authorization"),
        client=None if client is None else client[0],
        host=headers.get("host"),
        origin=headers.get("origin"),
        forwarded=any(name in headers for name in FORWARDED),
    )
