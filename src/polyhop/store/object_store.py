"""Objects in a folder, or in a store that speaks S3 or the like: written whole or not at all, and never changed."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from polyhop.errors import PolyhopError, StorageFull, StoreUnreachable, UsageError
from polyhop.extras import check_installed
from polyhop.store.faults import NO_SPACE

ADDRESS: Final = re.compile(r"((s3|gs|az)://[^/@?#]+(/[^?#]*)?|file:///[^?#]*[^/?#][^?#]*)")
PIECE: Final = 1 << 20  # bytes of an object in memory at a time
PATIENCE: Final = timedelta(seconds=60)  # for one object, with all that is tried again
TRIES: Final = 3
REFUSED: Final = re.compile(r"status code: 40[13]\b")
CREDENTIALS: Final = (
    "See that the address is right, and give the credentials as the store's own tools take them, "
    "for S3 as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, where it is not Amazon's, AWS_ENDPOINT_URL."
)


class ObjectMissing(StoreUnreachable):
    """An object is not there, or not any more."""

    remedy = "See that nobody but Polyhop deletes objects there; polyhop index stores again what is missing."


class Listed(NamedTuple):
    """An object that is there."""

    key: str
    modified: datetime


@dataclass(frozen=True)
class ObjectStore:
    """Objects under an address, by keys with slashes. All methods raise StoreUnreachable and StorageFull."""

    address: str

    def __post_init__(self) -> None:
        if not ADDRESS.fullmatch(self.address):  # the library would leave out what it does not know, unheard
            told = re.sub(r"(?<=//)[^/]*@|(?<=[?#]).+", "...", self.address, flags=re.DOTALL)  # without credentials
            raise UsageError(
                f"{told} is no address of an object store.",
                remedy="Write it as s3://bucket/prefix, gs://bucket/prefix, az://container/prefix or file:///folder, "
                "without credentials, and ? and # in it as %3F and %23.",
            )
        check_installed("s3", ("obstore",), doing="An object store")

    @cached_property
    def _store(self) -> Any:
        from obstore.store import from_url  # of the extra

        if self.address.startswith("file://"):
            return from_url(self.address, mkdir=True)
        retry = {"max_retries": TRIES, "retry_timeout": PATIENCE}
        # a server without encryption is one that the user names as such, in AWS_ENDPOINT_URL
        return from_url(self.address, client_options={"allow_http": True}, retry_config=retry)

    def put(self, key: str, content: bytes | Path) -> None:
        """Store an object; it appears when it is complete."""
        from obstore import put

        with self._translated(key):
            put(self._store, key, content, use_multipart=None)

    def read(self, key: str) -> bytes:
        """What is in a small object."""
        from obstore import get

        with self._translated(key):
            return bytes(get(self._store, key).bytes())

    def fetch(self, key: str, target: Path) -> tuple[int, str]:
        """Write an object into a file, and sync it; its size and the SHA-256 digest of what came."""
        from obstore import get

        digest, size = hashlib.sha256(), 0
        with self._translated(key), target.open("wb") as file:
            for piece in get(self._store, key).stream(min_chunk_size=PIECE):
                file.write(piece)
                digest.update(piece)
                size += len(piece)
            file.flush()
            os.fsync(file.fileno())
        return size, digest.hexdigest()

    def listed(self, beginning: str) -> Iterator[Listed]:
        """The objects whose keys begin so; where one is a folder, those in it."""
        from obstore import list as listing

        with self._translated(beginning):
            for page in listing(self._store, beginning):
                for each in page:
                    yield Listed(each["path"], each["last_modified"])

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there are gone already."""
        from obstore import delete

        for key in keys:
            try:
                with self._translated(key):
                    delete(self._store, key)
            except ObjectMissing:
                continue

    @contextmanager
    def _translated(self, key: str) -> Iterator[None]:
        """What goes wrong inside is raised as an error of ours."""
        from obstore import exceptions

        try:
            yield
        except (exceptions.NotFoundError, FileNotFoundError) as error:
            raise ObjectMissing(f"{self.address} has no {key}.") from error
        except (exceptions.UnauthenticatedError, exceptions.PermissionDeniedError) as error:
            raise StoreUnreachable(f"{self.address} refuses: {_first(error)}.", remedy=CREDENTIALS) from error
        except exceptions.BaseError as error:
            raise self._of_what_it_says(error) from error
        except OSError as error:
            if error.errno in NO_SPACE:
                raise StorageFull(f"There is no space for {key} of {self.address}.") from error
            raise StoreUnreachable(f"{self.address} cannot be used: {_first(error)}.", remedy=CREDENTIALS) from error

    def _of_what_it_says(self, error: Exception) -> PolyhopError:
        """Errors that the library has no class for: they are told by their text."""
        text = str(error)
        if "os error 28" in text or "No space left" in text or "File too large" in text:
            return StorageFull(f"There is no space left at {self.address}.")
        how = "refuses" if REFUSED.search(text) else "cannot be used"
        return StoreUnreachable(f"{self.address} {how}: {_first(error)}.", remedy=CREDENTIALS)


def _first(error: BaseException) -> str:
    """The first line of what an error says: the rest is for who debugs the library."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
