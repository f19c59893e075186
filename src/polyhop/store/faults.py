"""The one place where SQLite's and the system's errors become Polyhop's."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from polyhop.errors import DocumentError, IndexCorrupt, IndexLocked, IndexMissing, StorageFull, StoreError

NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
DAMAGED_READS = {apsw.SQLITE_IOERR_SHORT_READ, apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise each fault of the record at ``path`` as a StoreError, and text that SQLite cannot hold as DocumentError."""
    try:
        yield
    except apsw.Error as fault:
        raise _from_sqlite(fault, path) from fault
    except OSError as fault:
        raise _from_system(fault, path) from fault
    except UnicodeEncodeError as fault:
        excerpt = fault.object[max(0, fault.start - 20) : fault.end + 20]
        raise DocumentError(f"Not valid Unicode, so it cannot be stored or looked up: {excerpt!a}") from fault


def _from_sqlite(fault: apsw.Error, path: Path) -> StoreError:
    folder = path.parent
    if not folder.exists():
        return IndexMissing(f"The index at {folder} is gone: it was deleted or moved while in use.")
    match fault:
        case apsw.FullError():
            return StorageFull(f"There is no space left for the index at {folder}.")
        case apsw.IOError() if getattr(fault, "extendedresult", 0) not in DAMAGED_READS:
            return StorageFull(f"The index at {folder} cannot be read or written ({fault}): is the disk full?")
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
            return StorageFull(f"The folder {folder} or the files in it cannot be opened or written ({fault}).")
        case apsw.BusyError() | apsw.LockedError():
            return IndexLocked(f"The index at {folder} is busy: another process kept it for too long.")
        case apsw.NotADBError():
            return IndexCorrupt(f"{path} is not a Polyhop index, or its beginning is damaged.")
        case apsw.CorruptError() | apsw.IOError() | apsw.SQLError() | apsw.ConstraintError():
            return IndexCorrupt(f"The index at {folder} is damaged ({fault}).")
        case apsw.ConnectionClosedError() if not path.exists():  # another thread closes what is gone
            return IndexMissing(f"The index at {folder} is gone: it was deleted or moved while in use.")
    return StoreError(f"The index at {folder} cannot be used ({fault}).")


def _from_system(fault: OSError, path: Path) -> StoreError:
    folder = path.parent
    if fault.errno in NO_SPACE:
        return StorageFull(f"There is no space left for the index at {folder}.")
    if fault.errno in NOT_ALLOWED:
        return StorageFull(f"The folder {folder} cannot be written ({fault.strerror}).")
    if isinstance(fault, FileNotFoundError):
        return IndexMissing(f"There is no index at {folder}.")
    if isinstance(fault, FileExistsError | NotADirectoryError):
        return IndexCorrupt(f"{folder} is not a folder, so it cannot be an index.")
    return StoreError(f"The index at {folder} cannot be used ({fault}).")
