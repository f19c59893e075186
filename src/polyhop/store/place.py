"""Where the record of an index is: in a file of its folder, or in a database that the folder names."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

import filelock

from polyhop.errors import IndexCorrupt, StorageFull, UsageError
from polyhop.store.faults import translated

NOTE = "record.json"
SCHEMES = ("postgresql://", "postgres://")
USUAL = "polyhop"  # the schema of an address that names none
LONGEST = 63  # bytes of a schema's name
_STANDS_FOR = "$user"  # for the schema of whoever is connected, wherever a schema is looked up
_HOST = r"(?:\[[^]/@]*\]|[^][/:@?,]*)(?::\d*)?"
_CLEAR = re.compile(  # as libpq reads it: no part of a password is then taken for something else, and shown
    rf"postgres(?:ql)?://(?:[^/:@]*(?::[^/]*)?@)?{_HOST}(?:,{_HOST})*(?:/[^@?]*)?(?:\?(?:\w+=[^&=]*(?:&|$))*)?"
)
_UNREADABLE = re.compile(r"[\s\0\ud800-\udfff]|%(?![0-9A-Fa-f]{2})|%00")
_ADDRESS = re.compile(r"postgres(?:ql)?://.*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """A record in a database, and the folder that one machine keeps for it."""

    folder: Path
    url: str
    schema: str
    key: str  # of the folder: tells what was gathered there from what was gathered elsewhere

    def __str__(self) -> str:
        return _address(self.url, self.schema)

    def note(self) -> StorePlace:
        """Have the folder name the database, so that nobody makes another record there; the place as it is noted.

        Passwords are not noted. Raises StorageFull.
        """
        with translated(self.folder / NOTE):
            self.folder.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(self.folder / f"{NOTE}.lock"):
                if (there := _noted(self.folder)) is not None:
                    return StorePlace(folder=self.folder, url=self.url, schema=self.schema, key=there[1])
                draft = self.folder / f"{NOTE}.new"
                draft.write_text(json.dumps({"store": str(self), "key": self.key}), encoding="utf-8")
                draft.replace(self.folder / NOTE)
        return self


def place_of(folder: str | Path, store: str | None = None) -> StorePlace | None:
    """Where the record of the index in a folder is; None: in the folder itself.

    ``store``: where it is said to be, as ``postgresql://user@host/database#schema``. Raises UsageError where that is
    no such address or the folder has its record elsewhere, IndexCorrupt where what it names cannot be read.
    """
    folder = Path(folder).absolute()
    noted = _noted(folder)
    if noted is None and store is None:
        return None
    address = store or (noted[0] if noted else "")
    url, schema = _parts(address)
    if not url.startswith(SCHEMES):
        raise UsageError(
            "A record is kept in the index's folder or in Postgres: the address of another store is not known.",
            remedy="Write it as --store postgresql://user@host/database, perhaps with #name behind it.",
        )
    if not _is_clear(address):
        raise UsageError(
            "The address of the database cannot be read: it has a part that is not as it should be.",
            remedy="In a password write % as %25, / as %2F, @ as %40, # as %23, ? as %3F, & as %26, = as %3D and a "
            "space as %20, or give it in ~/.pgpass or as PGPASSWORD.",
        )
    if (
        schema.startswith("pg_")
        or schema == _STANDS_FOR
        or "\0" in schema
        or len(schema.encode(errors="replace")) > LONGEST
    ):
        raise UsageError(f"An index in a database cannot be called {schema!r}.", remedy="Choose another name.")
    there = _address(*_parts(noted[0])) if noted else ""  # earlier versions noted passwords with a ? in them
    if noted is not None and there != _address(url, schema):
        raise UsageError(
            f"The index at {folder} has its record at {there}, not at {_address(url, schema)}.",
            remedy=f"Choose another --index; if the database has moved, write its address into {folder / NOTE}.",
        )
    if (folder / "record.sqlite").exists():
        raise UsageError(
            f"The index at {folder} has its record in the folder, not at {_address(url, schema)}.",
            remedy="Choose another --index, and index the documents again there.",
        )
    return StorePlace(folder=folder, url=url, schema=schema, key=noted[1] if noted else secrets.token_hex(8))


def _noted(folder: Path) -> tuple[str, str] | None:
    """The address that a folder names, and the folder's key."""
    try:
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        return str(note["store"]), str(note["key"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise StorageFull(f"The folder {folder} or the files in it cannot be opened ({error.strerror}).") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexCorrupt(f"{folder / NOTE} does not say where the record of the index is ({error}).") from error


def without_password(text: str) -> str:
    """A text that ends with the address of a store, if with any, as it may be shown."""
    return _ADDRESS.sub(lambda found: _address(*_parts(found[0])) if _is_clear(found[0]) else f"{SCHEMES[0]}...", text)


def _is_clear(address: str) -> bool:
    """Whether an address is one that the library of the database takes, and its password cannot be mistaken."""
    url, _, schema = address.partition("#")
    if "@" in schema and "@" not in url:  # a # in the password
        return False
    return _CLEAR.fullmatch(url) is not None and _UNREADABLE.search(url) is None


def _parts(address: str) -> tuple[str, str]:
    """The address of a database, and the schema in it."""
    url, _, schema = address.partition("#")
    return url, schema or USUAL


def _address(url: str, schema: str) -> str:
    """An address without passwords; one before the host may hold a ?, which parts nothing there."""
    whole = re.sub(r"//([^/:@]*):(?:[^/?]*|[^/@]*)@", r"//\1@", url)
    whole = re.sub(r"(?<=[?&])(?:ssl)?password=[^&]*(?:&|$)", "", whole).rstrip("?&")
    return whole + (f"#{schema}" if schema != USUAL else "")
