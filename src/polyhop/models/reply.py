"""What an endpoint answered: its status and its words, as far as one can tell them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, Final

_ERROR_WITHIN: Final = 4096  # bytes from the beginning of a body that tells nothing but an error
_BAD_GATEWAY: Final = 502  # of an error without a number
_TRANSIENT: Final = frozenset({408, 409, 425, 429})  # and every 5xx
_NO_CREDIT: Final = "insufficient_quota"  # the code that tells an empty account from too many requests


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered: status, headers (names in lower case) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    key: str = field(default="", repr=False)  # with which it was asked

    @property
    def ok(self) -> bool:
        """Whether the server granted the request."""
        return 200 <= self.status < 300

    @property
    def transient(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in _TRANSIENT or self.status >= 500

    @property
    def no_credit(self) -> bool:
        """Whether the account is empty: then there is no use in waiting."""
        return self.status == 429 and _NO_CREDIT in self.words

    @property
    def retry_after(self) -> float | None:
        """Seconds that the server asks us to wait, if it does."""
        return retry_after(self.headers.get("retry-after", ""), time.time())

    def json(self) -> Any:
        """The body as JSON, None where it is not."""
        try:
            return json_in(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def as_meant(self) -> Reply:
        """The reply with the status of the error that it tells, where a proxy grants the request and tells one."""
        content = self.json() if self.ok and b'"error"' in self.body[:_ERROR_WITHIN] else None
        if not isinstance(content, dict) or not content.get("error") or {"choices", "data"} & content.keys():
            return self
        error = content["error"]
        code = error.get("code") if isinstance(error, dict) else None
        return replace(self, status=code if isinstance(code, int) and 400 <= code < 600 else _BAD_GATEWAY)

    @property
    def words(self) -> str:
        """What the server says, in one line of at most 400 characters."""
        content = self.json()
        if isinstance(content, dict):
            error = content.get("error") or content
            fields = error if isinstance(error, dict) else {"message": error}
            said = next((fields[key] for key in ("message", "detail", "msg", "error") if fields.get(key)), content)
            kind = fields.get("code") or ""
            text = f"{str(said)[:340]} {kind if isinstance(kind, str) else ''}"
        else:
            text = re.sub(r"<[^<>]*>", " ", self.body[:20_000].decode("utf-8", "replace"))
        return " ".join(text.split())[:400] or "nothing"

    @property
    def told(self) -> str:
        """The same for people and logs: without the key, which some servers repeat."""
        if not self.key:
            return self.words
        hidden = replace(self, body=self.body.replace(self.key.encode("ascii"), b"***"))  # before it is cut short
        return hidden.words.replace(self.key, "***")


def json_in(body: bytes) -> Any:
    """The JSON in what a server sends; what is no UTF-8 in it, as where a character was cut in two, is replaced.

    Raises ValueError, RecursionError.
    """
    try:
        return json.loads(body)
    except UnicodeDecodeError:
        return json.loads(body.decode("utf-8", "replace"))


def retry_after(header: str, now: float) -> float | None:
    """Seconds from a Retry-After header, which holds seconds or an HTTP date (RFC 9110, section 10.2.3)."""
    header = header.strip()
    if re.fullmatch(r"\d{1,9}(\.\d*)?", header):
        return float(header)
    try:
        return max(parsedate_to_datetime(header).timestamp() - now, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
