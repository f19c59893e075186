"""Posts requests to an endpoint and is patient with it: backoff, Retry-After, time-outs, bounded answers."""

from __future__ import annotations

import json
import logging
import random
import re
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self
from urllib.parse import urlsplit

from polyhop.english.numbers import counted
from polyhop.errors import EndpointError

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

MAX_BYTES = 32 * 1024 * 1024
_ERROR_WITHIN = 4096  # bytes from the beginning of a body that tells nothing but an error
_BAD_GATEWAY = 502  # of an error without a number
_TRANSIENT = frozenset({408, 409, 425, 429})  # and every 5xx
_ATTEMPTS_UNANSWERED = 4  # an endpoint that never answered is more likely misspelt than busy
_CONNECT_SECONDS = 10.0
_UNNOTICED = 15.0  # seconds of waiting about which nothing is said: whoever waits longer asks why
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_NO_CREDIT = "insufficient_quota"  # the code that tells an empty account from too many requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long and how often to try: waits double from the first to the longest, less a random part of up to a half."""

    attempts: int
    seconds: float  # in all, from the first attempt to the beginning of the last
    first_wait: float
    longest_wait: float

    def wait(self, failures: int, asked: float | None) -> float:
        """Seconds to wait after so many failures, at least as long as the server asked for."""
        doubled = min(self.first_wait * 2.0 ** min(failures - 1, 60), self.longest_wait)
        return max(doubled * random.uniform(0.5, 1.0), asked or 0.0)  # noqa: S311 - spreads clients, keeps no secret


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


class Arriving(Protocol):
    """What becomes of one reply while it arrives."""

    text: str  # of the answer, as far as it has come

    def take(self, chunk: bytes) -> None:
        """Some more bytes of it."""

    def whole(self, reply: Reply) -> Reply | None:
        """What is to be read of it once all of it has been taken; None where it broke off."""


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


class Transport:
    """One connection pool to one address; threads share it."""

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout: float, backoff: Backoff, section: str) -> None:
        """A pool that opens nothing yet; ``timeout``: seconds for one answer; ``section``: that of its settings."""
        self._url = url
        self._where = _public(url)
        self._headers = dict(headers)
        self._key = headers.get("Authorization", "").removeprefix("Bearer ")
        self._timeout = timeout
        self._backoff = backoff
        self._section = section
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._answered = False

    def post(
        self,
        body: bytes,
        final: Callable[[Reply], bool],
        arriving: Callable[[], Arriving] | None = None,
        broken: Callable[[str], None] = lambda _: None,
    ) -> Reply:
        """The first answer worth reading: a granted request, a refusal for good, or whatever ``final`` says is one.

        ``arriving``: makes what takes the bytes of an attempt as they come. ``broken``: is told what had come of the
        answer to a granted request when it broke off. An attempt after one that was too slow is waited for twice as
        long: the same request takes as long again. Raises EndpointError where patience ends first.
        """
        began = time.monotonic()
        failures, seconds = 0, self._timeout
        while True:
            reply, trouble = self._once(body, seconds, arriving, broken)
            if reply is not None and (not reply.transient or final(reply)):
                return reply
            failures += 1
            slow = trouble == _too_slow(seconds)
            asked = reply.retry_after if reply is not None else None
            wait = self._backoff.wait(failures, asked)
            attempts = self._backoff.attempts if self._answered else min(self._backoff.attempts, _ATTEMPTS_UNANSWERED)
            if failures >= attempts or time.monotonic() - began + wait > self._backoff.seconds:
                raise self._given_up(failures, time.monotonic() - began, trouble, asked, slow=slow)
            seconds *= 2 if slow else 1
            level = logging.WARNING if time.monotonic() - began + wait > _UNNOTICED else logging.INFO
            log.log(level, "%s: %s; attempt %d in %.1f s.", self._where, trouble, failures + 1, wait)
            time.sleep(wait)

    def look(self, url: str) -> Reply:
        """What a GET of an address of the endpoint answers, asked once. Raises EndpointError where nothing does."""
        reply, trouble = self._once(None, self._timeout, url=url)
        if reply is None:
            said = f"{_public(url)} cannot be reached: {trouble.rstrip('.')}."
            raise EndpointError(said, remedy="Check that the endpoint runs and that its address is right.")
        return reply

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _once(
        self,
        body: bytes | None,
        seconds: float,
        arriving: Callable[[], Arriving] | None = None,
        broken: Callable[[str], None] = lambda _: None,
        url: str = "",
    ) -> tuple[Reply | None, str]:
        import httpx

        try:
            taking = arriving() if arriving is not None else None
            reply = self._exchange(body, taking, broken, url or self._url, seconds)
        except httpx.ConnectTimeout:
            return None, f"no connection within {min(self._timeout, _CONNECT_SECONDS):g} seconds"
        except httpx.TimeoutException:
            return None, _too_slow(seconds)
        except httpx.RequestError as error:
            return None, str(error) or type(error).__name__
        except httpx.InvalidURL as error:
            raise EndpointError(f"{self._where} is not an address: {error}.") from error
        self._answered = True
        return reply, "" if reply.ok else f"it answered {reply.status} and said: {reply.told}"

    def _exchange(
        self, body: bytes | None, arriving: Arriving | None, broken: Callable[[str], None], url: str, seconds: float
    ) -> Reply:
        import httpx

        deadline = time.monotonic() + seconds
        headers = None if arriving is None else {"Accept": "text/event-stream, application/json"}
        method = "GET" if body is None else "POST"
        limit = httpx.Timeout(seconds, connect=min(self._timeout, _CONNECT_SECONDS))
        with self._connected().stream(method, url, content=body, headers=headers, timeout=limit) as response:
            received = bytearray()
            try:
                for chunk in response.iter_bytes():
                    received += chunk
                    if arriving is not None:
                        arriving.take(chunk)
                    if len(received) > MAX_BYTES:
                        raise EndpointError(f"{self._where} answered more than {MAX_BYTES:,} bytes.")
                    if time.monotonic() > deadline:  # the client's own limit starts anew with every chunk
                        raise httpx.ReadTimeout("slow answer", request=response.request)
                reply = Reply(response.status_code, response.headers, bytes(received))
                whole = reply if arriving is None else arriving.whole(reply)
                if whole is None:
                    raise httpx.RemoteProtocolError("the answer broke off", request=response.request)
            except httpx.RequestError:
                if response.is_success:
                    broken(received.decode("utf-8", "replace") if arriving is None else arriving.text)
                raise
            return replace(whole.as_meant, key=self._key)

    def _connected(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                try:
                    at = urlsplit(self._url)
                    here = at.hostname in _LOOPBACK
                    plain = here and at.scheme == "http"  # certificates take long to load, and none is asked for
                    self._client = httpx.Client(
                        headers=self._headers,
                        trust_env=not here,  # no proxy for what runs here
                        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,  # the first trusts nobody
                    )
                except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
                    named = f"The proxy or certificates that the environment names for {self._where}"
                    raise EndpointError(
                        f"{named} cannot be used: {str(error).rstrip('.')}.",
                        remedy="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
                    ) from error
                weakref.finalize(self, self._client.close)
            return self._client

    def _given_up(
        self, failures: int, seconds: float, trouble: str, asked: float | None, *, slow: bool
    ) -> EndpointError:
        tries = "once" if failures == 1 else f"{failures} times in {counted(round(seconds), 'seconds')}"
        remedy = None
        if asked is not None and asked > self._backoff.seconds - seconds:
            wait = f"{asked:.0f} {'second' if round(asked) == 1 else 'seconds'}"
            remedy = f"The endpoint asks to wait {wait}: run the same command again then."
        elif slow:
            remedy = (
                f"It may only be slow: raise {self._section}.timeout, or lower {self._section}.concurrency; "
                "polyhop doctor tests whether it answers at all."
            )
        elif not self._answered:
            remedy = "Check that the endpoint runs and that its address is right; polyhop doctor tests it."
        else:
            remedy = "Wait and run the same command again, or lower the endpoint's concurrency."
        return EndpointError(f"{self._where} was asked {tries} in vain: {trouble.rstrip('.')}.", remedy=remedy)


@dataclass(frozen=True, kw_only=True)
class Served:
    """What every model behind an endpoint has: where it is, what it is asked with, how patiently. Waits are seconds."""

    path: ClassVar[str]  # of its task, behind the address
    example: ClassVar[str]  # of an address
    section: ClassVar[str]  # of its settings

    base_url: str
    api_key: str = field(default="", repr=False)
    timeout: float  # for one answer
    attempts: int
    patience: float  # no attempt begins later than this after the first
    first_wait: float = 1.0
    longest_wait: float = 30.0
    concurrency: int = 4  # requests at a time
    _transport: Transport = field(init=False, repr=False, compare=False)
    _slots: threading.BoundedSemaphore = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises ValueError for an address, a key or waits that cannot be."""
        parts, key = urlsplit(self.base_url.strip()), self.api_key.strip()
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url must be an address such as {self.example}")
        if any(mark in self.base_url for mark in "?#"):  # the path of the task goes behind it
            raise ValueError(f"base_url must have no ? and no #: an address such as {self.example}")
        if not (key.isascii() and key.isprintable()):
            raise ValueError("api_key holds characters that no key has")
        if min(self.attempts, self.concurrency) < 1:
            raise ValueError("attempts and concurrency must be at least 1")
        if self.timeout <= 0 or min(self.patience, self.first_wait, self.longest_wait) < 0:
            raise ValueError("timeout must be more than 0, and waits at least 0")
        base_url = self.base_url.strip().rstrip("/").removesuffix(self.path)
        self._have(base_url=base_url, _slots=threading.BoundedSemaphore(self.concurrency))
        self._have(_transport=self._pool(base_url + self.path, key))

    @property
    def name(self) -> str:
        """The host, as in ``localhost:11434``."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    def _refusal(self, reply: Reply, remedies: Mapping[int, str]) -> EndpointError:
        """What to raise where a server refuses; ``remedies`` by status."""
        no_credit = {429: "The account has no credit left: waiting does not help."}
        said = f"{self.name} refused with status {reply.status} and said: {reply.told}"
        return EndpointError(said, remedy={**no_credit, **remedies}.get(reply.status), status=reply.status)

    def _have(self, **parts: Any) -> None:
        for name, part in parts.items():
            object.__setattr__(self, name, part)  # the one moment at which a frozen instance may be written

    def _pool(self, url: str, key: str) -> Transport:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "polyhop"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        backoff = Backoff(
            attempts=self.attempts,
            seconds=self.patience,
            first_wait=self.first_wait,
            longest_wait=self.longest_wait,
        )
        return Transport(url, headers, timeout=self.timeout, backoff=backoff, section=self.section)

    def close(self) -> None:
        """Close the connections; the next use opens them again."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _too_slow(seconds: float) -> str:
    return f"no answer within {seconds:g} seconds"


def _public(url: str) -> str:
    """An address without the name and password that it may hold."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
