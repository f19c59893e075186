"""The keys of a server: who may do what, in which workspace, until when, and how much of it.

A key is 32 random bytes, so that nobody guesses one: what has to be impossible is to tell a key from
what the file has of it, and a plain hash (BLAKE2b) suffices for that. A slow one such as scrypt is for passwords, which
people choose and others guess; here it would only make each request slow.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyhop.errors import KeyMissing, KeyRefused, UsageError
from polyhop.serialisable import Serialisable
from polyhop.serve.server_file import ServerFile

READ, WRITE, ADMIN = "read", "write", "admin"
SCOPES = (READ, WRITE, ADMIN)  # each allows what those before it do
PREFIX = "polyhop"
LONGEST_LABEL = 100  # characters

TABLES = """
CREATE TABLE keys(
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    label TEXT NOT NULL,
    scope TEXT NOT NULL,
    workspace TEXT,
    created REAL NOT NULL,
    expires REAL,
    revoked REAL,
    allowance TEXT NOT NULL
) WITHOUT ROWID;

-- what a key has used in each hour: what is asked per day is the sum of 24
CREATE TABLE spent(
    key TEXT NOT NULL,
    hour INTEGER NOT NULL,
    uploaded INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    money REAL NOT NULL DEFAULT 0,
    PRIMARY KEY(key, hour)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How much a key may use; None: as much as it likes."""

    requests: int | None = None  # a minute
    uploads: int | None = None  # bytes a day
    tokens: int | None = None  # of language models, a day
    money: float | None = None  # for language models, a day

    def __post_init__(self) -> None:
        for name in ("requests", "uploads", "tokens", "money"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(
                    f"A limit on {name} must be more than 0, not {value}.", remedy="Leave it out for none."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Serialisable):
    """What is known of a key; the key itself is known to whoever has it."""

    id: str
    label: str
    scope: str  # read, write or admin: each allows what those before it do
    workspace: str | None  # the only one that it opens; None: all
    created: float  # seconds since 1970, as all times here
    expires: float | None = None
    revoked: float | None = None
    allowance: Allowance = Allowance()

    def allows(self, scope: str) -> bool:
        """Whether it may do what takes that scope."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)

    def is_valid(self, now: float) -> bool:
        """Whether it counts at a time."""
        return self.revoked is None and (self.expires is None or now < self.expires)


LOCAL = Key(id="", label="this machine", scope=ADMIN, workspace=None, created=0.0)  # asks from 127.0.0.1 without one


class KeyRing(ServerFile):
    """The keys in a file; only their hashes are kept."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, TABLES)

    def add(
        self,
        label: str,
        *,
        scope: str = READ,
        workspace: str | None = None,
        days: float | None = None,
        allowance: Allowance = Allowance(),
    ) -> tuple[str, Key]:
        """Make a key: the key, which is told only here, and what is kept of it.

        ``days``: until it expires. Raises UsageError.
        """
        if scope not in SCOPES:
            raise UsageError(f"There is no scope {scope!r}.", remedy=f"Use one of: {', '.join(SCOPES)}.")
        if days is not None and not days > 0:
            raise UsageError(f"A key cannot expire after {days} days.", remedy="Use more than 0, or leave it out.")
        if not label.strip() or len(label) > LONGEST_LABEL or not label.isprintable():
            raise UsageError(
                "A key needs a label that says whose it is.", remedy=f"Use up to {LONGEST_LABEL} printable characters."
            )
        now = time.time()
        key = Key(
            id=secrets.token_hex(6),
            label=label,
            scope=scope,
            workspace=workspace,
            created=now,
            expires=None if days is None else now + days * 86400,
            allowance=allowance,
        )
        written = f"{PREFIX}_{key.id}_{secrets.token_urlsafe(32)}"
        self.change(
            "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)",
            *(key.id, _digest(written), label, scope, workspace, now, key.expires, json.dumps(asdict(allowance))),
        )
        return written, key

    def all(self) -> list[Key]:
        """All keys, also those that expired or were revoked, oldest first."""
        return [_key(row) for row in self.rows(f"{_SELECT} ORDER BY created, id")]

    def revoke(self, name: str) -> Key:
        """Make a key count no more, at once; named by its id, or by a label that only one valid key has.

        Raises KeyMissing, UsageError.
        """
        now = time.time()
        found = [key for key in self.all() if key.id == name] or [
            key for key in self.all() if key.label == name and key.is_valid(now)
        ]
        if not found:
            raise KeyMissing(f"There is no key {name!r}.")
        if len(found) > 1:
            ids = ", ".join(key.id for key in found)
            raise UsageError(f"Several keys are called {name!r}.", remedy=f"Name one by its id: {ids}.")
        self.change("UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?", now, found[0].id)
        return self.of(found[0].id)

    def of(self, key_id: str) -> Key:
        """What is kept of a key. Raises KeyMissing."""
        row = self.row(f"{_SELECT} WHERE id = ?", key_id)
        if row is None:
            raise KeyMissing(f"There is no key {key_id!r}.")
        return _key(row)

    def any_valid(self) -> bool:
        """Whether there is a key that counts now: without one nobody could ask a server on an open address."""
        now = time.time()
        return any(key.is_valid(now) for key in self.all())

    def checked(self, written: str) -> Key:
        """What is kept of a key that somebody sent. Raises KeyRefused, which does not say why.

        The time does not depend on how much of a guess is right.
        """
        parts = written.split("_", 2)
        key_id = parts[1] if len(parts) == 3 and parts[0] == PREFIX else ""
        row = self.row(f"{_SELECT} WHERE id = ?", key_id)
        digest = bytes(hashlib.blake2b().digest_size) if row is None else row[-1]
        same = hmac.compare_digest(_digest(written), digest)
        if row is None or not same or not (key := _key(row)).is_valid(time.time()):
            raise KeyRefused("The key does not count: it is unknown, expired or revoked.")
        return key


_SELECT = "SELECT id, label, scope, workspace, created, expires, revoked, allowance, digest FROM keys"


def _key(row: Sequence[Any]) -> Key:
    names = ("id", "label", "scope", "workspace", "created", "expires", "revoked")
    return Key(**dict(zip(names, row[:7], strict=True)), allowance=Allowance(**json.loads(row[7])))


def _digest(written: str) -> bytes:
    return hashlib.blake2b(written.encode("utf-8", errors="surrogatepass")).digest()
