"""What each key has used, and whether it may use more."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from polyhop.english.numbers import counted
from polyhop.errors import LimitReached
from polyhop.serve.keys import Key
from polyhop.serve.server_file import ServerFile
from polyhop.types import Cost

FREE = Cost()
UNITS = {  # by allowance: the column where what is used of it is counted, and its unit in words
    "uploads": ("uploaded", "bytes of uploads"),
    "tokens": ("tokens", "tokens"),
    "money": ("money", "of money"),
}
MINUTE, HOUR, DAY = 60.0, 3600, 24  # seconds, seconds, hours


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a key has used within the last 24 hours."""

    uploaded: int = 0  # bytes
    tokens: int = 0
    money: float = 0.0


class Limits:
    """Counts what keys use. Requests are counted in this process; what costs is counted in the file of the keys."""

    def __init__(self, file: ServerFile, *, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock
        self._recent: dict[str, deque[float]] = {}
        self._one = threading.Lock()

    def request(self, key: Key) -> None:
        """Count a request. Raises LimitReached, and then it does not count."""
        most = key.allowance.requests
        if most is None:
            return
        now = self._clock()
        with self._one:
            recent = self._recent.setdefault(key.id, deque())
            while recent and recent[0] <= now - MINUTE:
                recent.popleft()
            if len(recent) >= most:
                wait = max(1, math.ceil(recent[0] + MINUTE - now))
                raise LimitReached(
                    f"The key may make {counted(most, 'requests')} a minute.",
                    retry_after=wait,
                    remedy=f"Try again in {counted(wait, 'seconds')}.",
                )
            recent.append(now)

    def spent(self, key: Key) -> Spent:
        """What a key has used within the last 24 hours."""
        row = self._file.row(
            "SELECT coalesce(sum(uploaded), 0), coalesce(sum(tokens), 0), coalesce(sum(money), 0) FROM spent"
            " WHERE key = ? AND hour > ?",
            key.id,
            self._hour() - DAY,
        )
        return Spent() if row is None else Spent(uploaded=row[0], tokens=row[1], money=row[2])

    def left(self, key: Key) -> tuple[int | None, float | None]:
        """The tokens and the money that a key may still spend today, None where there is no limit.

        Raises LimitReached where one of them is nothing.
        """
        if key.allowance.tokens is None and key.allowance.money is None:
            return None, None
        spent = self.spent(key)
        self._require(key, "tokens", spent.tokens, key.allowance.tokens, 1)
        self._require(key, "money", spent.money, key.allowance.money, 0)
        tokens = None if key.allowance.tokens is None else key.allowance.tokens - spent.tokens
        return tokens, None if key.allowance.money is None else key.allowance.money - spent.money

    def uploads_left(self, key: Key, size: int = 1) -> int | None:
        """The bytes that a key may still upload today, None where there is no limit.

        Raises LimitReached where ``size`` bytes are too many.
        """
        most, used = key.allowance.uploads, self.spent(key).uploaded
        self._require(key, "uploads", used, most, size)
        return None if most is None else most - used

    def note(self, key_id: str, *, uploaded: int = 0, cost: Cost = FREE) -> None:
        """Note what a key has used: bytes, and what language models took."""
        if not key_id or not (uploaded or cost.tokens or cost.money):
            return
        self._file.change(
            "INSERT INTO spent VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT(key, hour) DO UPDATE SET"
            " uploaded = uploaded + ?3, tokens = tokens + ?4, money = money + ?5",
            *(key_id, self._hour(), uploaded, cost.tokens, cost.money),
        )

    def _require(self, key: Key, name: str, used: float, most: float | None, wanted: float) -> None:
        if most is None or (used + wanted <= most and used < most):
            return
        column, unit = UNITS[name]
        wait = 0 if wanted > most else self._until_freed(key, column)
        raise LimitReached(
            f"The key may use {most:,} {unit} a day, and has used {used:,.6g}.",
            retry_after=wait,
            remedy=f"The oldest of it is forgotten in {counted(wait, 'seconds')}." if wait else "Send less at once.",
        )

    def _until_freed(self, key: Key, column: str) -> int:
        """Seconds until the oldest hour in which some of it was used counts no more."""
        query = f"SELECT min(hour) FROM spent WHERE key = ? AND hour > ? AND {column} > 0"  # noqa: S608
        row = self._file.row(query, key.id, self._hour() - DAY)
        oldest = self._hour() if row is None or row[0] is None else int(row[0])
        return max(1, math.ceil((oldest + DAY) * HOUR - self._clock()))

    def _hour(self) -> int:
        return int(self._clock() // HOUR)
