"""KeyRing: who is let in, for what, until when, and how much of it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import KeyMissing, KeyRefused, LimitReached, NotAllowed, UsageError, WorkspaceMissing
from polyhop.serve.access import Access, Sender, is_this_machine, workspace_for
from polyhop.serve.errors import headers_of
from polyhop.serve.keys import ADMIN, LOCAL, READ, WRITE, Allowance, Key, KeyRing
from polyhop.serve.limits import Limits
from polyhop.types import Cost

HERE = Sender(client="127.0.0.1", host="127.0.0.1:8642")


class Clock:
    """A clock that is set by hand."""

    now = 1_000_000_000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[KeyRing]:
    with KeyRing(tmp_path / "server" / "keys.sqlite") as keys:
        yield keys


@pytest.fixture
def access(keys: KeyRing, clock: Clock) -> Access:
    return Access(keys=keys, limits=Limits(keys, clock=clock), open=True)


def bearing(written: str, *, client: str = "203.0.113.9") -> Sender:
    return Sender(authorization=f"Bearer {written}", client=client, host="polyhop.example")


def test_a_key_lets_in_and_only_its_hash_is_kept(keys: KeyRing, access: Access, tmp_path: Path) -> None:
    written, made = keys.add("Ada's notebook", scope=WRITE)
    assert access.admitted(bearing(written), READ) == made
    assert written.startswith(f"polyhop_{made.id}_")
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("keys.sqlite*"))
    assert made.id.encode() in kept
    assert written.encode() not in kept
    assert written.split("_", 2)[2].encode() not in kept


@pytest.mark.parametrize(
    "damage",
    [
        lambda written: "",
        lambda written: written[:-1],
        lambda written: written + "A",
        lambda written: written.swapcase(),
        lambda written: "_".join((*written.split("_")[:2], "")),
        lambda written: written.replace("polyhop_", "polyhop__"),
        lambda written: "polyhop",
        lambda written: "polyhop_%_x",
        lambda written: "' OR 1=1 --",
        lambda written: "polyhop_\0_x",
        lambda written: "polyhop_é_\ud800",
        lambda written: "x" * 100_000,
    ],
)
def test_what_is_no_key_is_refused_without_a_reason(keys: KeyRing, access: Access, damage: object) -> None:
    written, _ = keys.add("Ada", scope=ADMIN)
    assert callable(damage)
    with pytest.raises(KeyRefused) as refused:
        access.admitted(bearing(damage(written)), READ)
    assert written not in str(refused.value)


@given(st.text(max_size=80))
def test_no_guess_is_a_key(tmp_path_factory: pytest.TempPathFactory, guess: str) -> None:
    with KeyRing(tmp_path_factory.getbasetemp() / "guessed.sqlite") as keys:
        if not keys.all():
            keys.add("Ada", scope=ADMIN)
        with pytest.raises(KeyRefused):
            keys.checked(guess)
        with pytest.raises(KeyRefused):
            keys.checked(f"polyhop_{keys.all()[0].id}_{guess}")


def test_an_expired_key_counts_no_more(keys: KeyRing) -> None:
    written, _ = keys.add("for a moment", days=1 / 86400)
    assert keys.checked(written)
    time.sleep(1.01)
    with pytest.raises(KeyRefused, match="unknown, expired or revoked"):
        keys.checked(written)
    assert not keys.any_valid()


def test_a_revoked_key_counts_no_more_wherever_it_is_checked(keys: KeyRing, tmp_path: Path) -> None:
    written, made = keys.add("lost")
    with KeyRing(tmp_path / "server" / "keys.sqlite") as elsewhere:
        assert elsewhere.checked(written)
        assert keys.revoke("lost").revoked is not None
        with pytest.raises(KeyRefused):
            elsewhere.checked(written)
    first = keys.of(made.id).revoked
    assert keys.revoke(made.id).revoked == first, "it was revoked when it was revoked first"


def test_revoking_names_one_key(keys: KeyRing) -> None:
    with pytest.raises(KeyMissing, match="no key 'nobody'"):
        keys.revoke("nobody")
    ids = [keys.add("twin")[1].id for _ in range(2)]
    with pytest.raises(UsageError, match="Several keys are called 'twin'") as several:
        keys.revoke("twin")
    assert all(key_id in several.value.remedy for key_id in ids)
    keys.revoke(ids[0])
    assert keys.revoke("twin").id == ids[1], "the other one is meant now"


@pytest.mark.parametrize("scope", [READ, WRITE, ADMIN])
def test_a_scope_allows_what_those_before_it_do(keys: KeyRing, access: Access, scope: str) -> None:
    written, _ = keys.add("some", scope=scope)
    order = (READ, WRITE, ADMIN)
    for wanted in order:
        if order.index(wanted) <= order.index(scope):
            access.admitted(bearing(written), wanted)
        else:
            with pytest.raises(NotAllowed, match=f"has the scope '{scope}', and this takes '{wanted}'"):
                access.admitted(bearing(written), wanted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scope": "root"}, "no scope 'root'"),
        ({"days": 0.0}, "cannot expire after 0"),
        ({"days": float("nan")}, "cannot expire after nan"),
    ],
)
def test_what_makes_no_sense_makes_no_key(keys: KeyRing, arguments: dict[str, str | float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        keys.add("Ada", **arguments)  # type: ignore[arg-type]
    for label in ("", "  ", "two\nlines", "x" * 101):
        with pytest.raises(UsageError, match="label"):
            keys.add(label)
    with pytest.raises(UsageError, match="limit on requests must be more than 0"):
        Allowance(requests=0)
    assert keys.all() == []


@pytest.mark.parametrize(
    ("sender", "let_in"),
    [
        (HERE, True),
        (Sender(client="127.0.0.1", host="localhost:8642"), True),
        (Sender(client="::1", host="[::1]:8642"), True),
        (Sender(client="::ffff:127.0.0.1", host="127.0.0.1"), True),
        (Sender(client="127.0.0.1", host="127.0.0.1:8642", origin="http://127.0.0.1:8642"), True),
        (Sender(client="127.0.0.1", host="127.0.0.1:8642", origin="https://evil.example"), False),
        (Sender(client="127.0.0.1", host="127.0.0.1:8642", origin="http://127.0.0.1:9999"), False),
        (Sender(client="127.0.0.1", host="127.0.0.1:8642", origin="null"), False),
        (Sender(client="127.0.0.1", host="evil.example:8642"), False),
        (Sender(client="127.0.0.1", host="127.0.0.1.evil.example"), False),
        (Sender(client="127.0.0.1"), False),
        (Sender(client="127.0.0.1", host="127.0.0.1:8642", forwarded=True), False),
        (Sender(client="192.0.2.7", host="127.0.0.1:8642"), False),
        (Sender(host="127.0.0.1:8642"), False),
    ],
)
def test_only_this_machine_itself_needs_no_key(keys: KeyRing, clock: Clock, sender: Sender, let_in: bool) -> None:
    """Not what a proxy hands on, nor a page of another site in a browser on this machine."""
    access = Access(keys=keys, limits=Limits(keys, clock=clock), open=True)
    closed = Access(keys=keys, limits=access.limits, open=False)
    if let_in:
        assert access.admitted(sender, ADMIN) == LOCAL
    else:
        with pytest.raises(KeyRefused):
            access.admitted(sender, READ)
    with pytest.raises(KeyRefused):
        closed.admitted(sender, READ)


def test_a_made_up_key_is_not_looked_at_where_there_are_none(access: Access) -> None:
    """Clients of other protocols have to send one; anybody on this machine gets in without."""
    made_up = Sender(authorization="Bearer anything", client="127.0.0.1", host="localhost")
    assert access.admitted(made_up, ADMIN) == LOCAL
    with pytest.raises(KeyRefused):
        access.admitted(Sender(authorization="Bearer anything", client="10.0.0.9", host="localhost"), READ)


def test_a_wrong_key_does_not_count_on_this_machine_either(access: Access, keys: KeyRing) -> None:
    keys.add("Ada")
    with pytest.raises(KeyRefused):
        access.admitted(Sender(authorization="Bearer nonsense", client="127.0.0.1", host="localhost"), READ)
    with pytest.raises(KeyRefused, match="has no key"):
        access.admitted(Sender(authorization="Basic YWRhOmJyaXNr", client="127.0.0.1", host="localhost"), READ)


def test_names_are_no_addresses() -> None:
    assert not any(map(is_this_machine, (None, "", "localhost.evil", "127.0.0.1.nip.io", "0.0.0.0", "10.0.0.1")))  # noqa: S104


def test_a_key_fixes_its_workspace(keys: KeyRing) -> None:
    _, fixed = keys.add("Ada", workspace="legal")
    _, free = keys.add("Piet")
    names = ["finance", "legal"]
    assert workspace_for(fixed, None, names) == "legal"
    assert workspace_for(fixed, "legal", names) == "legal"
    assert workspace_for(free, "finance", names) == "finance"
    assert workspace_for(free, None, names) is None
    for name in ("finance", "nowhere", "../legal", "LEGAL"):
        with pytest.raises(WorkspaceMissing, match=r"There is no such workspace\."):
            workspace_for(fixed, name, names)
    with pytest.raises(WorkspaceMissing):
        workspace_for(fixed, None, ["finance"])


def test_requests_are_limited_by_the_minute(keys: KeyRing, access: Access, clock: Clock) -> None:
    written, _ = keys.add("busy", allowance=Allowance(requests=3))
    for _ in range(3):
        access.admitted(bearing(written), READ)
        clock.now += 10
    with pytest.raises(LimitReached, match="3 requests a minute") as limited:
        access.admitted(bearing(written), READ)
    assert limited.value.retry_after == 30
    clock.now += limited.value.retry_after
    access.admitted(bearing(written), READ)
    with pytest.raises(LimitReached):
        access.admitted(bearing(written), READ)


def test_what_costs_is_limited_by_the_day_and_outlasts_the_server(keys: KeyRing, clock: Clock, tmp_path: Path) -> None:
    _, key = keys.add("paying", allowance=Allowance(tokens=1000, money=0.5, uploads=100))
    limits = Limits(keys, clock=clock)
    assert limits.left(key) == (1000, 0.5)
    limits.note(key.id, cost=Cost(prompt_tokens=600, completion_tokens=100, money=0.2))
    clock.now += 3600
    limits.note(key.id, cost=Cost(prompt_tokens=200, money=0.1), uploaded=60)
    with KeyRing(tmp_path / "server" / "keys.sqlite") as again:
        limits = Limits(again, clock=clock)
        tokens, money = limits.left(key)
        assert tokens == 100
        assert money == pytest.approx(0.2)
        assert limits.uploads_left(key, 40) == 40
        with pytest.raises(LimitReached, match="100 bytes of uploads a day, and has used 60"):
            limits.uploads_left(key, 41)
        limits.note(key.id, cost=Cost(prompt_tokens=150))
        with pytest.raises(LimitReached, match=r"1,000 tokens a day, and has used 1,?050") as limited:
            limits.left(key)
        clock.now += limited.value.retry_after
        assert limits.left(key)[0] == 1000 - 350, "what was used first is forgotten first"


def test_how_long_to_wait_is_told_of_what_was_used_up(keys: KeyRing, clock: Clock) -> None:
    _, key = keys.add("paying", allowance=Allowance(tokens=1000, uploads=100))
    limits = Limits(keys, clock=clock)
    limits.note(key.id, cost=Cost(prompt_tokens=900))
    clock.now += 20 * 3600
    limits.note(key.id, uploaded=80)
    with pytest.raises(LimitReached, match="has used 80") as limited:
        limits.uploads_left(key, 40)
    clock.now += limited.value.retry_after
    assert limits.uploads_left(key, 40) == 100


def test_no_wait_is_told_where_none_makes_room_for_so_much(keys: KeyRing, clock: Clock) -> None:
    _, key = keys.add("paying", allowance=Allowance(uploads=100))
    with pytest.raises(LimitReached, match="has used 0") as limited:
        Limits(keys, clock=clock).uploads_left(key, 101)
    assert (limited.value.retry_after, limited.value.remedy) == (0, "Send less at once.")
    assert headers_of(limited.value) == {}


def test_who_has_no_limit_is_not_counted_away(keys: KeyRing, clock: Clock) -> None:
    limits = Limits(keys, clock=clock)
    limits.note(LOCAL.id, uploaded=10**12, cost=Cost(prompt_tokens=10**9))
    assert limits.left(LOCAL) == (None, None)
    assert limits.uploads_left(LOCAL, 10**15) is None
    with closing(sqlite3.connect(keys.path)) as file:
        assert file.execute("SELECT count(*) FROM spent").fetchone() == (0,)


def test_keys_are_told_without_what_opens(keys: KeyRing) -> None:
    written, made = keys.add("Ada", scope=ADMIN, allowance=Allowance(requests=5))
    told = made.to_dict()
    assert told["allowance"] == {"requests": 5, "uploads": None, "tokens": None, "money": None}
    assert written.split("_", 2)[2] not in str(told)
    assert isinstance(keys.all()[0], Key)
