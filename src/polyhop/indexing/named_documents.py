"""Which documents somebody means by a URI, a path, or the end of one."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from polyhop.documents.reading import files_of, path_of, uri_of, written
from polyhop.reports import RemoveReport
from polyhop.store.record import Record


@dataclass(frozen=True, kw_only=True)
class NamedDocuments:
    """The documents that some names mean, and the names that mean none."""

    uris: Mapping[str, str]  # of the documents, by their ids
    missing: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]  # names that several files end in, with those files

    @classmethod
    def of(cls, names: Iterable[str], record: Record) -> Self:
        """What each name means: that URI, that path, all below that folder, or else the only file whose path ends so.

        A path counts from the current folder, and may be of what is gone. What is a file there means no other one, and
        neither does what is written as a path from here or from the root.
        """
        uris: dict[str, str] = {}
        missing: list[str] = []
        ambiguous: dict[str, tuple[str, ...]] = {}
        with record.snapshot():
            for name in map(written, names):
                ids = _at(name, record)
                files = {} if ids or _is_path(name) else record.ending_in(name)
                if len(files) == 1:
                    (ids,) = files.values()
                uris |= {key: record.row(key).uri for key in ids}
                if len(files) > 1:
                    ambiguous[name] = tuple(sorted(files))
                elif not ids:
                    missing.append(name)
        return cls(uris=uris, missing=tuple(missing), ambiguous=ambiguous)

    def report(self, gone: Collection[str], passages: int) -> RemoveReport:
        """What is told where those of these ids were removed, with so many passages."""
        removed = {key: uri for key, uri in self.uris.items() if key in gone}
        return RemoveReport(
            removed=tuple(removed),
            uris=tuple(removed.values()),
            missing=self.missing,
            ambiguous=self.ambiguous,
            passages=passages,
        )


def _at(name: str, record: Record) -> list[str]:
    """Ids of the documents of a URI or a path; an empty name is neither."""
    if not name:
        return []
    path = uri_of(_at_home(name)).rstrip("/")
    return record.at(name) or record.at(path) or record.below(path)


def _is_path(name: str) -> bool:
    """Whether a name cannot be the end of another path."""
    name = _at_home(name)
    if name.replace("\\", "/").startswith(("./", "../")) or Path(name).is_absolute():
        return True
    return any(os.path.lexists(path_of(file)) for file in files_of(name))


def _at_home(name: str) -> str:
    """A name with the folder that a tilde at its beginning stands for, if it stands for one."""
    return os.path.expanduser(name)  # noqa: PTH111 - Path.expanduser() raises where it stands for none
