"""Kills a server (SIGKILL) at random moments, over and over, while files are uploaded and questions asked; then looks.

Whatever was acknowledged has to be there once, word for word, when the last server has done its jobs; what was not
acknowledged is there as a whole or not at all; no file is left over; and every answer that came whole is right.

    python benchmarks/killed_server.py [--kills 50] [--seed 0]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.kept_files import ABANDONED, KeptFiles
from polyhop.serve.places import Places
from polyhop.store.record import Record

ASKED = "Which number has the mill of Orla?"
ANSWER = "1742"
PATIENCE = 600.0  # seconds until something is wrong


@dataclass
class Sent:
    """What was sent to servers, and what came of it."""

    acknowledged: dict[str, str] = field(default_factory=dict)  # names of files with what they say
    unknown: dict[str, str] = field(default_factory=dict)  # those of which no answer came
    outcomes: Counter[str] = field(default_factory=Counter)


def started(index: Path) -> tuple[subprocess.Popen[str], str]:
    """A server of the index, in a process group of its own, and its address."""
    options = ["--index", str(index), "--port", "0", "--set", "index.layers=text"]
    process = subprocess.Popen(
        [sys.executable, "-m", "polyhop.cli.main", "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()[-1]


def upload(address: str, sent: Sent, chance: random.Random, over: threading.Event) -> None:
    """Upload one file after another until the server is gone."""
    with suppress(httpx.HTTPError), httpx.Client(base_url=address, timeout=PATIENCE) as client:
        while not over.is_set():
            name = f"note{len(sent.acknowledged) + len(sent.unknown)}.txt"
            text = f"Note {name} says {chance.getrandbits(64)}. " + "The mill grinds rye. " * chance.randint(1, 2000)
            sent.unknown[name] = text
            reply = client.post("/v1/documents", files=[("files", (name, text.encode()))])
            if reply.status_code == 202:
                sent.acknowledged[name] = sent.unknown.pop(name)
            sent.outcomes[f"uploads: {reply.status_code}"] += 1
            time.sleep(chance.uniform(0, 2.0))


def ask(address: str, sent: Sent, over: threading.Event) -> None:
    """Ask one question after another until the server is gone; half of the answers are streamed."""
    with suppress(httpx.HTTPError), httpx.Client(base_url=address, timeout=PATIENCE) as client:
        for number in range(10**6):
            if over.is_set():
                return
            body = {"question": ASKED, "strategy": "bm25", "stream": bool(number % 2)}
            reply = client.post("/v1/ask", json=body)
            right = "right" if reply.status_code == 200 and f'"text":"{ANSWER}' in reply.text.replace(" ", "") else "no"
            sent.outcomes[f"answers: {reply.status_code}, {right}"] += 1


def killed_once(index: Path, sent: Sent, chance: random.Random) -> None:
    """Start a server, use it from two sides, and kill it and all that it has started."""
    process, address = started(index)
    over = threading.Event()
    users = [
        threading.Thread(target=upload, args=(address, sent, chance, over)),
        threading.Thread(target=ask, args=(address, sent, over)),
    ]
    for user in users:
        user.start()
    time.sleep(chance.uniform(0.2, 6.0))
    os.kill(process.pid, signal.SIGKILL)  # its workers have to notice by themselves
    over.set()
    process.wait()
    for user in users:
        user.join()


def wrong(index: Path, sent: Sent) -> list[str]:
    """What is lost, doubled, half done or left over."""
    place, found = Places(index).place(), []
    with Record.open(index) as record:
        record.verify()
        uris = Counter(row.uri for row in record.documents())
        texts = {row.uri: record.document(row.id).text for row in record.documents()}
    found += [f"{name} is doubled" for name, count in uris.items() if count > 1]
    found += [f"{name} is lost" for name, text in sent.acknowledged.items() if texts.get(name) != text]
    found += [f"{name} is half there" for name, text in sent.unknown.items() if name in texts and texts[name] != text]
    with JobQueue(place.queue) as queue:
        found += [f"job {job.id} is {job.state}" for job in queue.jobs() if job.state != "done"]
        names = {file.name for file in place.files.iterdir()}
        kept = KeptFiles(queue, place.files)
        found += [f"{len(names)} files for {len(kept.names())} names"] if len(names) != len(kept.names()) else []
    return found


def main() -> None:
    """Kill, wait for the last server's jobs, and look; exits with 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance, sent = random.Random(arguments.seed), Sent()  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "polyhop.index"
        process, address = started(index)
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            text = f"The mill of Orla has the number {ANSWER}."
            client.post("/v1/documents", files=[("files", ("orla.txt", text.encode()))]).raise_for_status()
            sent.acknowledged["orla.txt"] = text
        settle(address, index)
        process.terminate()
        process.wait()
        for _ in range(arguments.kills):
            killed_once(index, sent, chance)
        long_ago = time.time() - 2 * ABANDONED
        for file in Places(index).place().files.iterdir():
            os.utime(file, (long_ago, long_ago))  # what a killed server has left behind is removed when it is old
        process, address = started(index)
        try:
            settle(address, index)
            sent.acknowledged["last.txt"] = "The last file has a worker look for what was left behind."
            files = [("files", ("last.txt", sent.acknowledged["last.txt"].encode()))]
            httpx.post(f"{address}/v1/documents", files=files, timeout=PATIENCE).raise_for_status()
            settle(address, index)
        finally:
            process.terminate()
            process.wait()
        found = wrong(index, sent)
    print(
        f"{arguments.kills} kills; {len(sent.acknowledged)} files acknowledged, {len(sent.unknown)} without an answer"
    )
    for outcome, number in sorted(sent.outcomes.items()):
        print(f"{outcome:<24} {number:>6}")
    print("\n".join(found) or "nothing lost, doubled, half done or left over")
    sys.exit(1 if found else 0)


def settle(address: str, index: Path) -> None:
    """Wait until no job is open, as long as there is one fewer now and then."""
    place, began, fewest = Places(index).place(), time.monotonic(), sys.maxsize
    with JobQueue(place.queue) as queue:
        while left := len(queue.open_jobs()):
            if left < fewest:
                began, fewest = time.monotonic(), left
            if time.monotonic() - began > PATIENCE:
                raise TimeoutError(f"{left} jobs do not end at {address}")
            time.sleep(0.5)


if __name__ == "__main__":
    main()
