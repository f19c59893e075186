"""A real HTTP server on this machine that plays an OpenAI-compatible endpoint, well or badly."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Completion, LanguageModel, Message


@dataclass(frozen=True, kw_only=True)
class Played:
    """One answer of the server: what it says, how late, and whether it hangs up in the middle."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hang_up: bool = False
    pieces: tuple[bytes, ...] = ()  # of the body, each sent when ``go_on`` lets it; empty: all at once
    go_on: Callable[[int], object] = lambda _: None  # is called before each piece with its number
    cut_off: threading.Event = field(default_factory=threading.Event)  # set where whoever asked has hung up


def says(text: str | None, *, finish: str = "stop", usage: dict[str, Any] | None = None, **more: Any) -> Played:
    """A proper completion; without ``usage`` it took 10 tokens and gave 5."""
    counted = {"prompt_tokens": 10, "completion_tokens": 5} if usage is None else usage
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    content = {"object": "chat.completion", "choices": [choice], "usage": counted}
    return Played(body=json.dumps(content).encode(), headers={"Content-Type": "application/json"}, **more)


def streams(
    *pieces: str,
    finish: str | None = "stop",
    usage: dict[str, Any] | None = None,
    done: bool = True,
    **more: Any,
) -> Played:
    """The same completion as server-sent events, one for each piece of its text; without ``usage`` none is told."""
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    if finish:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage is not None:
        chunks.append({"choices": [], "usage": usage})
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"] * done
    return Played(body=b"".join(events), pieces=tuple(events), headers={"Content-Type": "text/event-stream"}, **more)


def streamed(said: Played, at: int = 7) -> Played:
    """A proper completion as a stream, in pieces of so many characters."""
    content = json.loads(said.body)
    text, usage = content["choices"][0]["message"]["content"], content["usage"]
    return streams(*(text[start : start + at] for start in range(0, len(text), at)), usage=usage)


def refuses(status: int, message: str, *, code: str | None = None, **headers: str) -> Played:
    """A refusal in the form that OpenAI gives it."""
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Played(status=status, body=body, headers={"Content-Type": "application/json", **named})


Script = Callable[[dict[str, Any]], Played]


class EndpointServer(ThreadingHTTPServer):
    """Plays its script and remembers what it was asked, and how many asked at once."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.name = secrets.token_hex(8)
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.callers: list[object] = []  # the other end of the connection of each request
        self.busiest = 0
        self.busy = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL of the API, which no other server has had: ports come back, and answers are kept by address."""
        return f"http://127.0.0.1:{self.server_address[1]}/{self.name}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]
    server: EndpointServer

    def do_POST(self) -> None:
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(content)
            self.server.callers.append(self.client_address)
            self.server.paths.append(self.path.removeprefix(f"/{self.server.name}"))
            self.server.keys.append(self.headers["Authorization"])
            self.server.busy += 1
            self.server.busiest = max(self.server.busiest, self.server.busy)
        try:
            self._play(self.server.script(content))
        finally:
            with self.server.lock:
                self.server.busy -= 1

    def do_GET(self) -> None:
        """Plays the script for what is only looked at, such as the list of models, as a request with nothing in it."""
        with self.server.lock:
            self.server.paths.append(self.path.removeprefix(f"/{self.server.name}"))
            self.server.keys.append(self.headers["Authorization"])
        self._play(self.server.script({}))

    def _play(self, played: Played) -> None:
        time.sleep(played.delay)
        try:
            self.send_response(played.status)
            for name, value in played.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(played.body)))
            self.end_headers()
            if played.pieces and not played.hang_up:
                for number, piece in enumerate(played.pieces):
                    played.go_on(number)
                    self.wfile.write(piece)
            elif played.hang_up:
                self.wfile.write(played.body[: len(played.body) // 2])
                self.close_connection = True
            else:
                self.wfile.write(played.body)
        except (BrokenPipeError, ConnectionResetError):  # the client has lost patience, as it should
            self.close_connection = True
            played.cut_off.set()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def in_turn(*answers: Played) -> Script:
    """A script that gives each answer once, and the last one for ever."""
    waiting: Iterator[Played] = iter(answers)
    return lambda _: next(waiting, answers[-1])


@contextmanager
def serving(script: Script | Played) -> Iterator[EndpointServer]:
    """A server that plays a script, or always the same answer, while the block runs."""
    server = EndpointServer(script if callable(script) else in_turn(script))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def asked(script: Script | Played, **settings: Any) -> Iterator[tuple[OpenAICompatible, EndpointServer]]:
    """A model that plays a script and does not try twice."""
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage", attempts=1, **settings) as one:
        yield one, server


HELLO = (Message("system", "Be brief."), Message("user", "Who built the Lantern Bridge?"))


def client(server: EndpointServer, **settings: Any) -> OpenAICompatible:
    """A client that waits only milliseconds between attempts."""
    quick: dict[str, Any] = {"first_wait": 0.001, "longest_wait": 0.005, "timeout": 5.0}
    return OpenAICompatible(base_url=server.url, model="sage", **{**quick, **settings})


def ask(model: LanguageModel, messages: Sequence[Message] = HELLO, **options: Any) -> Completion:
    """Any client serves as the port's LanguageModel."""
    return model.complete(messages, **options)
