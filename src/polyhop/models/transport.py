"""Posts requests to an endpoint and is patient with it: backoff, Retry-After, time-outs, bounded answers."""

from __future__ import annotations

import logging
import random
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self
from urllib.parse import urlsplit

from polyhop.english.numbers import counted
from polyhop.errors import EndpointError
from polyhop.models.reply import Reply

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

MAX_BYTES = 32 * 1024 * 1024
_ATTEMPTS_UNANSWERED = 4  # an endpoint that never answered is more likely misspelt than busy
_CONNECT_SECONDS = 10.0
_WRITING = 5  # times as long as for an answer is waited for one that is being written
_LINGERING = 1.0  # seconds in which a stream has to end behind what its server said was the end
_UNNOTICED = 15.0  # seconds of waiting about which nothing is said: whoever waits longer asks why
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


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


class Arriving(Protocol):
    """What becomes of one reply while it arrives."""

    done: bool  # the server has said that this is all

    @property
    def came(self) -> str:
        """What the model has written by now: its thoughts, where a server tells them apart, and its answer."""

    def take(self, chunk: bytes) -> None:
        """Some more bytes of it."""

    def whole(self, reply: Reply) -> Reply | None:
        """What is to be read of it once all of it has been taken; None where it broke off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """A request on its way: where to and with what, how long it is waited for, and who takes what comes of it."""

    url: str
    body: bytes | None = None  # None: it is a GET
    seconds: float
    arriving: Callable[[], Arriving] | None = None
    broken: Callable[[str], None] = lambda _: None


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
        self._lingers = False

    def post(
        self,
        body: bytes,
        final: Callable[[Reply], bool],
        arriving: Callable[[], Arriving] | None = None,
        broken: Callable[[str], None] = lambda _: None,
    ) -> Reply:
        """The first answer worth reading: a granted request, a refusal for good, or whatever ``final`` says is one.

        ``arriving``: makes what takes the bytes of an attempt as they come. ``broken``: is told what had come of the
        answer when a request that was granted broke off, or ended with an error, or one that was sent whole was too
        slow. An answer that is being written is waited for _WRITING times as long, an attempt after one that was too
        slow twice as long. Raises EndpointError where patience ends first.
        """
        began = time.monotonic()
        failures = 0
        attempt = _Attempt(url=self._url, body=body, seconds=self._timeout, arriving=arriving, broken=broken)
        while True:
            reply, trouble = self._once(attempt)
            if reply is not None and (not reply.transient or final(reply)):
                return reply
            failures += 1
            slow = trouble == _too_slow(attempt.seconds)
            asked = reply.retry_after if reply is not None else None
            wait = self._backoff.wait(failures, asked)
            attempts = self._backoff.attempts if self._answered else min(self._backoff.attempts, _ATTEMPTS_UNANSWERED)
            if failures >= attempts or time.monotonic() - began + wait > self._backoff.seconds:
                raise self._given_up(failures, time.monotonic() - began, trouble, asked, slow=slow)
            attempt = replace(attempt, seconds=attempt.seconds * 2) if slow else attempt
            level = logging.WARNING if time.monotonic() - began + wait > _UNNOTICED else logging.INFO
            log.log(level, "%s: %s; attempt %d in %.1f s.", self._where, trouble, failures + 1, wait)
            time.sleep(wait)

    def look(self, url: str) -> Reply:
        """What a GET of an address of the endpoint answers, asked once. Raises EndpointError where nothing does."""
        reply, trouble = self._once(_Attempt(url=url, seconds=self._timeout))
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

    def _once(self, attempt: _Attempt) -> tuple[Reply | None, str]:
        import httpx

        try:
            reply = self._exchange(attempt, attempt.arriving() if attempt.arriving is not None else None)
        except httpx.ConnectTimeout:
            return None, f"no connection within {min(self._timeout, _CONNECT_SECONDS):g} seconds"
        except httpx.TimeoutException:
            return None, _too_slow(attempt.seconds)
        except httpx.RequestError as error:
            return None, str(error) or type(error).__name__
        except httpx.InvalidURL as error:
            raise EndpointError(f"{self._where} is not an address: {error}.") from error
        return reply, "" if reply.ok else f"it answered {reply.status} and said: {reply.told}"

    def _exchange(self, attempt: _Attempt, arriving: Arriving | None) -> Reply:
        import httpx

        headers = None if arriving is None else {"Accept": "text/event-stream, application/json"}
        limit = httpx.Timeout(attempt.seconds, connect=min(self._timeout, _CONNECT_SECONDS))
        method, url, body = "GET" if attempt.body is None else "POST", attempt.url, attempt.body
        received = bytearray()
        granted: bool | None = None  # nothing has come yet
        try:
            with self._connected().stream(method, url, content=body, headers=headers, timeout=limit) as response:
                self._answered, granted = True, response.is_success
                self._receive(response, attempt, arriving, received)
                reply = Reply(response.status_code, response.headers, bytes(received))
                whole = reply if arriving is None else arriving.whole(reply)
                if whole is None:
                    raise httpx.RemoteProtocolError("the answer broke off", request=response.request)
                meant = whole.as_meant
                if not meant.ok and arriving is not None and arriving.came:  # an error behind what was written
                    attempt.broken(arriving.came)
                return replace(meant, key=self._key)
        except (httpx.RequestError, EndpointError) as error:
            sent = isinstance(error, httpx.ReadTimeout)  # whole: only then is an answer waited for
            if sent if granted is None else granted:
                attempt.broken(received.decode("utf-8", "replace") if arriving is None else arriving.came)
            raise

    def _receive(
        self, response: httpx.Response, attempt: _Attempt, arriving: Arriving | None, received: bytearray
    ) -> None:
        """Receive what comes of an answer, to its end: then the next request has the same connection.

        A server that once held one open behind what it said was the end is not waited for there again.
        """
        import httpx

        began, written = time.monotonic(), 0
        deadline = began + attempt.seconds
        chunks = response.iter_bytes()
        for chunk in chunks:
            received += chunk
            if arriving is not None:
                arriving.take(chunk)
                if arriving.done:
                    self._lingers = self._lingers or not _ends(response, chunks)
                    return
                if len(arriving.came) > written:  # what is waited for is its next words
                    written = len(arriving.came)
                    deadline = min(time.monotonic(), began + (_WRITING - 1) * attempt.seconds) + attempt.seconds
            if len(received) > MAX_BYTES:
                raise EndpointError(f"{self._where} answered more than {MAX_BYTES:,} bytes.")
            if time.monotonic() > deadline:  # the client's own limit starts anew with every chunk
                raise httpx.ReadTimeout("slow answer", request=response.request)

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

    base_url: str  # its address, which the environment may tell
    api_key: str = field(default="", repr=False)  # empty for a server that wants none
    timeout: float  # for one answer
    attempts: int  # of a request, at most
    patience: float  # no attempt begins later than this after the first
    first_wait: float = 1.0  # before the second attempt; it doubles with each further one
    longest_wait: float = 30.0  # at which it stays
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


def _ends(response: httpx.Response, chunks: Iterator[bytes]) -> bool:
    """Whether what is left of an answer that has said all soon comes to its end; else its connection is cut off.

    The client's own limit cannot be changed on the way, and is as long as a model may think.
    """
    import httpx

    stream = response.extensions.get("network_stream")
    connection = None if stream is None else stream.get_extra_info("socket")
    if connection is None:
        return False
    until = time.monotonic() + _LINGERING
    cut = threading.Timer(_LINGERING, _cut_off, [connection])
    cut.start()
    try:
        return all(time.monotonic() < until for _ in chunks)
    except httpx.TransportError:
        return False
    finally:
        cut.cancel()


def _cut_off(connection: socket.socket) -> None:
    """End a connection on which another thread waits; below TLS, whose state is that thread's."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
