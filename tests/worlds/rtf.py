"""Rich Text Format, as word processors write it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

STYLES = r"{\s0 Normal;}{\s1\sbasedon0 heading 1;}{\s2\sbasedon0\b Title;}{\s3\sbasedon0 List Bullet;}{\*\cs9 Strong;}"
FONTS = (
    r"{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Symbol;}"
    r"{\f4\fcharset2 Wingdings;}{\f5\fcharset238{\*\falt Times} Times;}"
)


def rows(*table: Sequence[str], widths: Sequence[int] = (), before: str = "") -> str:
    """Rows of a table whose cells end at the widths; ``before`` is said of each row."""
    written = []
    for row in table:
        ends = widths or [1000 * (number + 1) for number in range(len(row))]
        shape = "".join((r"\trowd", before, *(rf"\cellx{end}" for end in ends)))
        cells = "".join(rf"\pard\intbl\plain {text}\cell" for text in row)
        written.append(rf"{shape}{cells}\row")
    return "".join((*written, r"\pard "))


def write_rtf(file: Path, body: str, *, head: str = r"\ansi\ansicpg1252\deff0", info: str = "") -> Path:
    """A document with fonts and styles."""
    tables = f"{{\\fonttbl{FONTS}}}{{\\colortbl;\\red0;}}{{\\stylesheet{STYLES}}}{{\\info{info}}}"
    file.write_bytes(f"{{\\rtf1{head}{tables}{{\\*\\generator X;}}{body}}}".encode("latin-1"))
    return file
