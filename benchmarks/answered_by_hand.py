"""Plays a language model whose replies somebody writes: each request is a file in a folder, and waits for its reply.

    python benchmarks/answered_by_hand.py replies --port 8765
    POLYHOP_BASE_URL=http://127.0.0.1:8765/v1 POLYHOP_MODEL=by-hand polyhop ask "Who ...?" --strategy stepchain

A request is ``0001.request.txt``: what the model is told, and the schema of its reply. Its reply is what is then
written to ``0001.reply.txt`` (under another name first, and renamed: it is read as soon as it is there). So one sees
what a prompt shows and what it lacks, and makes recordings for the tests anew (``polyhop.models.recorded.Recorder``).
Who takes longer than two minutes sets ``language_model.timeout``. Tokens are estimated as Polyhop estimates them.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from polyhop.models.accounting import estimated_tokens

PAUSE = 0.2  # seconds between two looks for a reply


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args()
    with HandServer(options.folder, options.port) as server:
        print(f"POLYHOP_BASE_URL={server.url}; requests are in {options.folder}")
        server.serve_forever()


class HandServer(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint on this machine, behind which are the files of a folder."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL of the API."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def replied(self, request: Mapping[str, Any]) -> str:
        """What is written in reply to a request, which is put into the folder with the next free number."""
        with self.lock:
            number = 1 + len(list(self.folder.glob("*.request.txt")))
            (self.folder / f"{number:04}.request.txt").write_text(told(request), encoding="utf-8")
        reply = self.folder / f"{number:04}.reply.txt"
        while not reply.exists():
            time.sleep(PAUSE)
        return reply.read_text(encoding="utf-8").strip()


def told(request: Mapping[str, Any]) -> str:
    """A request as text: each turn below who speaks, then the schema."""
    turns = [f"[{turn['role']}]\n{turn['content']}" for turn in request["messages"]]
    wanted = request.get("response_format", {}).get("json_schema", {}).get("schema")
    return "\n\n".join([*turns, *([f"[schema]\n{json.dumps(wanted)}"] if wanted else [])]) + "\n"


class _Handler(BaseHTTPRequestHandler):
    protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]
    server: HandServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = self.server.replied(request)
        read = sum(estimated_tokens(turn["content"]) for turn in request["messages"])
        message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": read, "completion_tokens": estimated_tokens(text)}
        body = json.dumps({"object": "chat.completion", "choices": [message], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    main()
