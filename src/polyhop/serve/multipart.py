"""A request with files, taken apart as it comes: nothing of it waits in memory, or is written anywhere else first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from polyhop.errors import UsageError, WrongContent
from polyhop.serve.jobs.job import LeftOut
from polyhop.serve.uploads import Spool, problem_of, shown

FIELD = "files"
_AGAIN = "Send files as multipart/form-data, each in a field called files with its name."


@dataclass(kw_only=True)
class FilesInRequest:
    """Feeds the files of a multipart body to a spool; those whose names cannot be kept are left out."""

    spool: Spool
    content_type: str | None
    _parser: MultipartParser = field(init=False)
    _header: bytearray = field(default_factory=bytearray, init=False)
    _value: bytearray = field(default_factory=bytearray, init=False)
    _disposition: bytes = field(default=b"", init=False)
    _misnamed: UsageError | None = field(default=None, init=False)  # the first file that cannot be called so
    _ended: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        kind, options = parse_options_header(self.content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise WrongContent(f"The body is {shown(self.content_type or 'of no kind')}.", remedy=_AGAIN)
        try:
            self._parser = MultipartParser(boundary, self._callbacks())
        except FormParserError as error:
            raise UsageError(f"The body cannot be taken apart: {error}.", remedy=_AGAIN) from error

    def feed(self, data: bytes) -> None:
        """The next bytes of the body. Raises UsageError, TooLarge, StorageFull."""
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise UsageError(f"The body cannot be taken apart: {error}.", remedy=_AGAIN) from error

    def finish(self) -> None:
        """The body has ended. Raises UsageError where it ended in the middle, or brought no file under a good name."""
        if not self._ended:
            raise UsageError("The upload ended in the middle: nothing of it was kept.", remedy="Send it again.")
        if self._misnamed is not None and not self.spool.received:
            raise self._misnamed
        if not self.spool.received and not self.spool.skipped:
            raise UsageError("The request has no files.", remedy=_AGAIN)

    def _callbacks(self) -> Any:
        def part_begin() -> None:
            self._disposition = b""

        def header_field(data: bytes, start: int, end: int) -> None:
            self._header += data[start:end]

        def header_value(data: bytes, start: int, end: int) -> None:
            self._value += data[start:end]

        def header_end() -> None:
            if bytes(self._header).lower() == b"content-disposition":
                self._disposition = bytes(self._value)
            self.spool.count(len(self._header) + len(self._value))
            self._header.clear()
            self._value.clear()

        def part_data(data: bytes, start: int, end: int) -> None:
            self.spool.write(memoryview(data)[start:end])

        def end() -> None:
            self._ended = True

        return {
            "on_part_begin": part_begin,
            "on_header_field": header_field,
            "on_header_value": header_value,
            "on_header_end": header_end,
            "on_headers_finished": self._begin,
            "on_part_data": part_data,
            "on_part_end": self.spool.end,
            "on_end": end,
        }

    def _begin(self) -> None:
        _, options = parse_options_header(self._disposition)
        try:
            name, file = (options.get(option, b"").decode() for option in (b"name", b"filename"))
        except UnicodeDecodeError as error:
            raise UsageError("The name of a file is not UTF-8.", remedy=_AGAIN) from error
        if name != FIELD:
            raise UsageError(f"There is no field {shown(name)} in an upload.", remedy=_AGAIN)
        if not file:
            raise UsageError("A file has no name.", remedy=_AGAIN)
        try:
            self.spool.begin(file)
        except UsageError as error:  # the other files of a folder have better names
            self._misnamed = self._misnamed or error
            self.spool.skipped.append(LeftOut(file=shown(file)[1:-1], reason=f"has a name that {problem_of(file)}"))
