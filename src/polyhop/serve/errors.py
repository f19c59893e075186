"""Errors as responses: one shape for all of them, with what to do about it, and never a traceback."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from polyhop.errors import KeyRefused, LimitReached, Overloaded, PolyhopError, WrongContent
from polyhop.serve.safe_messages import message_of, remedy_of, type_of

logger = logging.getLogger(__name__)
OPENAI_ROUTES = ("/v1/models", "/v1/chat/")  # their errors have the fields that OpenAI's clients read, too
AS_JSON = "Send JSON with the header Content-Type: application/json."
UNREADABLE = "The body is no JSON in UTF-8, or one that is nested too deeply or has numbers with too many digits."
SEND_LESS = "Send less, or raise the limit with: polyhop serve --set server.body=BYTES (or server.upload)"
UNEXPECTED = "Something unexpected happened here; it is in the server's log under this request id."
_REMEDIES = {
    404: "See the routes at /openapi.json.",
    405: "See the routes and their methods at /openapi.json.",
    413: SEND_LESS,
}


class ErrorContent(BaseModel):
    """What is wrong, and what to do about it."""

    type: str = Field(examples=["layer_missing"], description="The error's name, in lower case with underscores.")
    message: str = Field(examples=["This index has no facts layer."])
    remedy: str | None = Field(examples=["Make it with: polyhop index PATH... --layers text,facts"])
    request_id: str = Field(examples=["0d2c4f5e8a914b7c"], description="That of the header X-Request-Id.")


class ErrorBody(BaseModel):
    """The shape of every error."""

    error: ErrorContent


RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorBody, "description": "The request cannot be answered as it is."},
    "5XX": {"model": ErrorBody, "description": "The server cannot answer, or not now."},
}


def shape(error: Exception, request_id: str) -> dict[str, Any]:
    """The body of an error's response."""
    if isinstance(error, PolyhopError):
        return _body(type_of(error), message_of(error), remedy_of(error), request_id)
    return _body("unexpected", UNEXPECTED, None, request_id)


def shape_in_stream(error: Exception, request_id: str) -> dict[str, Any]:
    """The same for a stream that has begun, where what is unexpected is logged: nothing around it hears of it."""
    if not isinstance(error, PolyhopError):
        logger.error("unexpected error while answering", exc_info=error)
    return shape(error, request_id)


def status_of(error: Exception) -> int:
    """The HTTP status of an error."""
    return error.http_status if isinstance(error, PolyhopError) else 500


def headers_of(error: Exception) -> dict[str, str]:
    """What an error says in headers."""
    if isinstance(error, KeyRefused):
        return {"WWW-Authenticate": "Bearer"}
    wait = error.retry_after if isinstance(error, Overloaded | LimitReached) else 0
    return {"Retry-After": str(wait)} if wait else {}


def request_id_of(request: Request) -> str:
    """The id of a request, as its response and the log tell it."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def response(path: str, status: int, body: dict[str, Any], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error as a response; routes that OpenAI's clients call also have the fields that these read."""
    if path.startswith(OPENAI_ROUTES):
        body = openai_body(body)
    return JSONResponse(body, status, dict(headers or {}))


def last_event(path: str, body: Mapping[str, Any]) -> bytes:
    """An error as the end of a stream that a route has begun, in the form of its events."""
    if not path.startswith(OPENAI_ROUTES):
        return format_sse_event(event="error", data_str=json.dumps(body, ensure_ascii=False))
    told = json.dumps(openai_body(body), ensure_ascii=False)
    return format_sse_event(data_str=told) + format_sse_event(data_str="[DONE]")


def openai_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """An error's body with the fields that OpenAI's clients read beside ours: they show the message alone."""
    error = body["error"]
    message = " ".join(filter(None, (error["message"], error["remedy"])))
    return {"error": {**error, "message": message, "param": None, "code": error["type"]}}


def handle_errors(app: FastAPI) -> None:
    """Have an application answer with this shape whatever goes wrong within a route, or before it."""

    @app.exception_handler(PolyhopError)
    async def ours(request: Request, error: PolyhopError) -> JSONResponse:
        body = shape(error, request_id_of(request))
        return response(request.url.path, status_of(error), body, headers_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        if isinstance(error.body, bytes):  # it was not taken for JSON, and so not read
            wrong = WrongContent("The body is not said to be JSON.", remedy=AS_JSON)
            return response(request.url.path, status_of(wrong), shape(wrong, request_id_of(request)))
        message = "; ".join(complaint(one) for one in error.errors()[:5])
        body = _body("invalid_request", message, "See /openapi.json for what the route takes.", request_id_of(request))
        return response(request.url.path, 422, body)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        if status == 400 and error.__cause__ is not None:  # the framework could not read the body
            unread = _body("invalid_request", UNREADABLE, "Send JSON in UTF-8.", request_id_of(request))
            return response(request.url.path, 422, unread)
        kind = "too_large" if status == 413 else re.sub(r"\W+", "_", status.phrase.lower())
        said = "" if error.detail == status.phrase else str(error.detail)
        message = said or f"{status.phrase}: {request.method} {request.url.path}"
        body = _body(kind, message, _REMEDIES.get(status), request_id_of(request))
        return response(request.url.path, status, body, error.headers)


def _body(kind: str, message: str, remedy: str | None, request_id: str) -> dict[str, Any]:
    content = ErrorContent(type=kind, message=message, remedy=remedy, request_id=request_id)
    return ErrorBody(error=content).model_dump()


def complaint(one: Mapping[str, Any]) -> str:
    """What is wrong, and where; the body as a whole has no name."""
    if one["type"] == "json_invalid":
        return f"The body is not JSON: {one['ctx']['error']}, behind {one['loc'][-1]} characters."
    if tuple(one["loc"]) == ("body",):
        return "There is no body." if one["type"] == "missing" else "The body has to be a JSON object."
    parts = (str(part) for part in one["loc"] if part != "body")
    place = ".".join(part for part in parts if not part.startswith("list["))  # what a union's branch is called in code
    return f"{place}: {one['msg']}" if place else str(one["msg"])
