"""What many users at once get from a server, beside what one gets: errors, waiting, memory, and what overload answers.

A server of its own is started on the index, which is made first where it is missing (layer ``text`` only), and asked in
four rounds:

1. one user, one question after another: what the server can answer in a second;
2. one user who asks ``--share`` of that, at even intervals;
3. all users, who together ask as much in a second as the one did, each at random moments: the users' 95th percentile is
   held against the one's;
4. all users, each asking again as soon as there is an answer: more than the server can do. Whoever is refused has to be
   told when to come back, and nobody may be left hanging.

Every fourth question is streamed. The processors that the server has are those that this script is started on.

    python benchmarks/load.py DATA --index DIR [--users 50] [--minutes 10] [--strategies A,B] [--json OUT]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
from measuring import Figures, beside_others, machine, percentile, save, show_load, show_table, show_verdicts, verdict

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import layers_of, prepare
from polyhop.strategies.strategy import split_names

STRATEGIES = "bm25,dense,hybrid"
STREAMED = 4  # every so many questions
LATEST = 120.0  # seconds after which whoever has no answer counts as left hanging
OFTEN = 2.0  # seconds between two looks at the server's memory
GROWTH = 0.05  # of the server's memory, from the second fifth of a round to its last
TIMES = 3.0  # the users' 95th percentile over that of one
REFUSED = (429, 503)


@dataclass
class Round:
    """What came of the questions of a round."""

    name: str
    seconds: list[float] = field(default_factory=list)  # of those that were answered
    first: list[float] = field(default_factory=list)  # until the first event, of those that were streamed
    statuses: Counter[int] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)  # of connections
    unsaid: int = 0  # refusals that do not say when to come back
    longest: float = 0.0
    memory: list[float] = field(default_factory=list)  # bytes, one look after the other
    lasted: float = 0.0

    @property
    def errors(self) -> int:
        """Questions that were neither answered nor refused in order."""
        wrong = sum(number for status, number in self.statuses.items() if status not in (200, *REFUSED))
        return wrong + self.unsaid + self.failures.total()

    @property
    def refused(self) -> int:
        """Questions that were refused."""
        return sum(self.statuses[status] for status in REFUSED)

    def growth(self) -> float:
        """By which share the memory has grown: its last fifth over its second one."""
        fifth = max(1, len(self.memory) // 5)
        before, after = self.memory[fifth : 2 * fifth] or self.memory, self.memory[-fifth:]
        return sum(after) / len(after) / (sum(before) / len(before)) - 1 if after else 0.0

    def row(self) -> list[object]:
        """A row of the table."""
        times = self.seconds or [0.0]
        return [
            self.name,
            len(self.seconds),
            len(self.seconds) / self.lasted,
            *(1000 * percentile(times, share) for share in (50, 95, 99)),
            self.longest,
            self.refused,
            self.errors,
            self.memory[-1] / 1e6 if self.memory else None,
        ]

    def figures(self) -> Figures:
        """All of it, for the file."""
        times = self.seconds or [0.0]
        return {
            "round": self.name,
            "lasted_s": self.lasted,
            "answered": len(self.seconds),
            "per_second": len(self.seconds) / self.lasted,
            **{f"p{share}_ms": 1000 * percentile(times, share) for share in (50, 95, 99)},
            "first_event_p95_ms": 1000 * percentile(self.first, 95) if self.first else None,
            "longest_s": self.longest,
            "statuses": dict(sorted(self.statuses.items())),
            "failures": dict(self.failures),
            "refusals_without_retry_after": self.unsaid,
            "memory_mb": [round(each / 1e6, 1) for each in self.memory],
            "memory_growth": self.growth(),
        }


@dataclass
class Users:
    """Those who ask a server."""

    client: httpx.AsyncClient
    questions: Sequence[str]
    strategies: Sequence[str]
    chance: random.Random
    _asked: Iterator[int] = field(default_factory=count)

    async def ask(self, into: Round) -> None:
        """One question, and what came of it."""
        number = next(self._asked)
        streamed = number % STREAMED == 0
        body = {
            "question": self.questions[number % len(self.questions)],
            "strategy": self.strategies[number % len(self.strategies)],
            "stream": streamed,
        }
        began = time.perf_counter()
        try:
            async with self.client.stream("POST", "/v1/ask", json=body) as response:
                status, text, first = response.status_code, "", None
                async for piece in response.aiter_text():
                    first = first or time.perf_counter() - began
                    text += piece
        except httpx.HTTPError as error:
            into.failures[type(error).__name__] += 1
            return
        took = time.perf_counter() - began
        into.longest = max(into.longest, took)
        into.statuses[status if _is_whole(status, text, streamed) else -status] += 1
        into.unsaid += status in REFUSED and "retry-after" not in response.headers
        if status == 200:
            into.seconds.append(took)
            into.first += [first] if streamed and first else []

    async def evenly(self, into: Round, until: float, rate: float) -> None:
        """One user who asks so often in a second, or as often as there are answers."""
        due = time.perf_counter()
        while time.perf_counter() < until:
            await self.ask(into)
            due += 1 / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))

    async def now_and_then(self, into: Round, until: float, rate: float) -> None:
        """One of many, who asks so often in a second on average, at random moments."""
        while (pause := self.chance.expovariate(rate)) and time.perf_counter() + pause < until:
            await asyncio.sleep(pause)
            await self.ask(into)

    async def without_pause(self, into: Round, until: float) -> None:
        """One who asks on and on; whoever is refused waits a moment, though not as long as the server says."""
        while time.perf_counter() < until:
            before = into.refused
            await self.ask(into)
            await asyncio.sleep(0.2 if into.refused > before else 0)


def _is_whole(status: int, text: str, streamed: bool) -> bool:
    """Whether a response says all that it should."""
    return status != 200 or ("event: done" in text if streamed else '"answer"' in text)


@asynccontextmanager
async def watched(into: Round, server: psutil.Process) -> AsyncIterator[None]:
    """Meanwhile the memory of the server is looked at."""

    async def look() -> None:
        while True:
            into.memory.append(server.memory_info().rss)
            await asyncio.sleep(OFTEN)

    looking, began = asyncio.ensure_future(look()), time.perf_counter()
    try:
        yield
    finally:
        looking.cancel()
        into.lasted = time.perf_counter() - began


@contextmanager
def served(index: Path, changes: Sequence[str]) -> Iterator[tuple[str, psutil.Process]]:
    """A server of the index: its address and its process."""
    command = [sys.executable, "-m", "polyhop.cli.main", "serve", "--index", str(index), "--port", "0"]
    options = [part for change in changes for part in ("--set", change)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1], psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


async def rounds(users: Users, server: psutil.Process, arguments: argparse.Namespace) -> list[Round]:
    """The four rounds."""
    alone, one = Round("one, without pause"), Round("one")
    many, overload = Round(f"{arguments.users} users"), Round(f"{arguments.users}, without pause")
    lasting = 60 * arguments.minutes
    for _ in range(3 * len(users.strategies)):
        await users.ask(Round("not counted"))
    async with watched(alone, server):
        await users.evenly(alone, time.perf_counter() + lasting / 10, rate=1e9)
    rate = arguments.share * len(alone.seconds) / alone.lasted
    async with watched(one, server):
        await users.evenly(one, time.perf_counter() + lasting / 5, rate)
    rate = len(one.seconds) / one.lasted
    async with watched(many, server):
        until, each = time.perf_counter() + lasting, rate / arguments.users
        await asyncio.gather(*(users.now_and_then(many, until, each) for _ in range(arguments.users)))
    async with watched(overload, server):
        until = time.perf_counter() + lasting / 10
        await asyncio.gather(*(users.without_pause(overload, until) for _ in range(arguments.users)))
    return [alone, one, many, overload]


async def measured(address: str, server: psutil.Process, questions: Sequence[str], arguments: Any) -> list[Round]:
    """The rounds on a server."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=arguments.users)
    async with httpx.AsyncClient(base_url=address, timeout=LATEST, limits=limits) as client:
        chance = random.Random(arguments.seed)  # noqa: S311
        users = Users(client, questions, split_names(arguments.strategies), chance)
        return await rounds(users, server, arguments)


def verdicts(found: Sequence[Round]) -> list[Figures]:
    """The figures beside what they must reach."""
    _, one, many, overload = found
    times = percentile(many.seconds, 95) / percentile(one.seconds, 95)
    return [
        verdict("errors while the load can be borne", many.errors + one.errors + many.refused, 0, "questions"),
        verdict("95th percentile, over that of one user", times, TIMES, "times"),
        verdict("growth of the server's memory", 100 * many.growth(), 100 * GROWTH, "%"),
        verdict("errors under overload", overload.errors, 0, "questions"),
        verdict("longest wait under overload", overload.longest, LATEST, "s"),
    ]


def main() -> None:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--strategies", default=STRATEGIES)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--share", type=float, default=0.4, help="of what one user alone can have answered")
    parser.add_argument("--set", dest="changes", action="append", default=[], help="a setting of the server")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    data = Dataset.read(arguments.data, arguments.split)
    with Polyhop(arguments.index) as engine:
        report = prepare(engine, data, layers=layers_of(split_names(arguments.strategies)))
    about: Figures = {**machine(), "data": arguments.data.resolve().name, "passages": report.passages}
    about["strategies"] = arguments.strategies
    about |= {name: getattr(arguments, name) for name in ("users", "minutes", "share", "changes")}
    with beside_others(about), served(arguments.index, arguments.changes) as (address, server):
        found = asyncio.run(measured(address, server, [one.text for one in data.questions], arguments))
    headings = ["round", "answered", "a second", "p50 ms", "p95 ms", "p99 ms", "longest s", "refused", "errors", "MB"]
    show_table(headings, [each.row() for each in found])
    reached = verdicts(found)
    show_verdicts(reached)
    show_load(about)
    save(arguments.json, about, {"rounds": [each.figures() for each in found], "verdicts": reached})


if __name__ == "__main__":
    main()
