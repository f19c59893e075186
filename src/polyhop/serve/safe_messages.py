"""What is told of an error to whoever asks a server: not where its files lie."""

from __future__ import annotations

import re

from polyhop.errors import PolyhopError, StoreError

_FOLDERS = re.compile(r"(?<!\S)(?:/|[A-Za-z]:\\)\S*[/\\](?=\S)")  # of a path that is written out, up to its last part


def message_of(error: PolyhopError) -> str:
    """The message of an error, in which files of the server have their names and no folders."""
    return _FOLDERS.sub("", str(error)) if isinstance(error, StoreError) else str(error)
