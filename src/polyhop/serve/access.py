"""Who is asking: the key that a request brings, or this machine, and what that may do in which workspace."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass

from polyhop.errors import KeyRefused, NotAllowed, WorkspaceMissing
from polyhop.serve.keys import LOCAL, Key, KeyRing
from polyhop.serve.limits import Limits

LONGEST_KEY = 200  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """What a request says of where it comes from; None: it does not say."""

    authorization: str | None = None
    client: str | None = None  # the address of the connection
    host: str | None = None  # what the caller calls this server
    origin: str | None = None  # the site whose page makes the request
    forwarded: bool = False  # whether a proxy has handed it on

    @property
    def is_local(self) -> bool:
        """Whether somebody on this machine asks, and not a page of another site in a browser on this machine.

        Such a page can send requests to 127.0.0.1, but its browser says whose it is (``origin``); one whose name was
        made to mean 127.0.0.1 says that name (``host``). What a proxy hands on may come from anywhere.
        """
        here = is_this_machine(self.client) and is_this_machine(_name_in(self.host)) and not self.forwarded
        return here and self.origin in (None, f"http://{self.host}")


@dataclass(frozen=True, kw_only=True)
class Access:
    """Lets requests in, or not. ``open``: who asks from this machine needs no key (on 127.0.0.1 only)."""

    keys: KeyRing
    limits: Limits
    open: bool = False

    def admitted(self, sender: Sender, scope: str) -> Key:
        """The key that a request brings, which is counted. Raises KeyRefused, NotAllowed, LimitReached."""
        key = self._key(sender)
        self.limits.request(key)
        if not key.allows(scope):
            raise NotAllowed(
                f"The key has the scope {key.scope!r}, and this takes {scope!r}.",
                remedy="Ask whoever runs the server for a key that has it.",
            )
        return key

    def _key(self, sender: Sender) -> Key:
        free = self.open and sender.is_local
        if sender.authorization is None:
            if free:
                return LOCAL
            raise KeyRefused("This server takes requests with a key only.")
        try:
            return self._brought(sender.authorization)
        except KeyRefused:
            if free and not self.keys.any_valid():
                return LOCAL  # clients that must send a key make one up: where there are none, any will do
            raise

    def _brought(self, authorization: str) -> Key:
        scheme, _, written = authorization.partition(" ")
        if scheme.lower() != "bearer" or not written.strip() or len(written) > LONGEST_KEY:
            raise KeyRefused("The header Authorization has no key.")
        return self.keys.checked(written.strip())


def workspace_for(key: Key, name: str | None, names: Collection[str]) -> str | None:
    """The workspace that a request is about, None for the default one: a key fixes it where it has one.

    Raises WorkspaceMissing where it is not the key's: what a key may not see is not there for it.
    """
    if key.workspace is None:
        return name
    if name not in (None, "", key.workspace) or key.workspace not in names:
        raise WorkspaceMissing("There is no such workspace.", remedy="GET /v1/workspaces lists those there are.")
    return key.workspace


def is_this_machine(host: str | None) -> bool:
    """Whether an address is one of this machine's own, or the one name that always means it."""
    if host is None:
        return False
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _name_in(host: str | None) -> str | None:
    """The name in a Host header, without the port."""
    if host is None:
        return None
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
