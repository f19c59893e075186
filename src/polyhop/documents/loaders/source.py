"""Source code of programs, and settings that people write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from polyhop.documents.encoding import read_text
from polyhop.documents.loading import file_document
from polyhop.documents.source_units import MEDIA_TYPE
from polyhop.errors import DocumentError
from polyhop.types import Document

_LANGUAGES = {
    "Python": (".py", ".pyi"),
    "JavaScript": (".js", ".mjs", ".cjs", ".jsx"),
    "TypeScript": (".ts", ".mts", ".cts", ".tsx"),
    "Java": (".java",),
    "Kotlin": (".kt", ".kts"),
    "Scala": (".scala",),
    "Groovy": (".groovy", ".gradle"),
    "C": (".c", ".h"),
    "C++": (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    "C#": (".cs",),
    "F#": (".fs",),
    "Go": (".go",),
    "Rust": (".rs",),
    "Swift": (".swift",),
    "Dart": (".dart",),
    "PHP": (".php",),
    "Ruby": (".rb",),
    "Perl": (".pl", ".pm"),
    "Lua": (".lua",),
    "R": (".r",),
    "Julia": (".jl",),
    "Haskell": (".hs",),
    "Elixir": (".ex", ".exs"),
    "Erlang": (".erl",),
    "Clojure": (".clj",),
    "SQL": (".sql",),
    "Shell": (".sh", ".bash", ".zsh"),
    "PowerShell": (".ps1",),
    "YAML": (".yaml", ".yml"),
    "TOML": (".toml",),
}
_BY_SUFFIX = {suffix: language for language, suffixes in _LANGUAGES.items() for suffix in suffixes}
_LOCKED = re.compile(r"[-_.]lock\.(?:ya?ml|json)$")  # pnpm-lock.yaml, conda-lock.yml, package-lock.json
_LONGEST_LINE = 20_000  # characters on average: what has more was written by a program for a program


@dataclass(frozen=True, kw_only=True)
class SourceLoader:
    """Reads source code as it is written; passages leave functions and classes whole where they can."""

    suffixes: ClassVar[tuple[str, ...]] = tuple(_BY_SUFFIX)
    media_type: ClassVar[str] = MEDIA_TYPE
    version: ClassVar[str] = "1"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, whose title is the file's name. Raises DocumentError for binary, packed and listed content."""
        name = PurePosixPath(uri).name
        refuse_installed(name)
        text = read_text(path).rstrip()
        if len(text) > _LONGEST_LINE * (text.count("\n") + 1):
            raise DocumentError(
                "is packed on few lines, for machines", remedy="Index the source that it was made from."
            )
        language = _BY_SUFFIX[path.suffix.lower()]
        yield file_document(uri, text, self.media_type, title=name, metadata={"language": language})


def refuse_installed(name: str) -> None:
    """Raises DocumentError for a file whose name says that it lists what was installed."""
    if _LOCKED.search(name):
        raise DocumentError("lists what was installed, for machines", remedy="Index what it was made from.")
