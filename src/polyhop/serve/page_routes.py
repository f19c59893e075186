"""The page of the server: files of this package, under rules that let a browser run nothing else.

What a document says can do nothing on the page: it only ever becomes text, and the policy below forbids scripts and
styles within the page, code from strings, markup from strings, forms, frames, and every other host.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

router = APIRouter(include_in_schema=False)

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",  # pages of a PDF are fetched with the key, and shown from memory
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cache-Control": "no-cache",  # ask each time whether it is still the same; mostly it is
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page."""

    content: bytes
    media_type: str
    etag: str


@router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request) -> Response:
    """The page."""
    return _sent(request, assets()["index.html"])


@router.api_route("/favicon.ico", methods=["GET", "HEAD"])
def icon(request: Request) -> Response:
    """The page's icon, where browsers look for that of an answer that is no page, and names none."""
    return _sent(request, assets()["icon.svg"])


@router.api_route("/page/{name:path}", methods=["GET", "HEAD"])
async def asset(request: Request, name: str) -> Response:
    """A file that the page consists of; names are compared, and no path of the disk is ever made of one."""
    found = assets().get(name)
    if found is None:
        raise HTTPException(404, f"The page has no file {name!r}.")
    return _sent(request, found)


def _sent(request: Request, found: Asset) -> Response:
    headers = {**HEADERS, "ETag": found.etag}
    if found.etag in request.headers.get("if-none-match", "").replace("W/", "").split(", "):
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


@cache
def assets() -> dict[str, Asset]:
    """All files of the page, by their names below its folder."""
    folder, found = Path(__file__).parent / "page", {}
    for file in folder.rglob("*"):
        if media_type := TYPES.get(file.suffix.removeprefix(".")):
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:24]
            found[file.relative_to(folder).as_posix()] = Asset(content, media_type, f'"{digest}"')
    return found
