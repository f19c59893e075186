"""Whatever `polyhop index` reads, a server takes: in the process with limits that reads uploads."""

from __future__ import annotations

from pathlib import Path

from polyhop.documents.reading import registered
from polyhop.serve.parsing import GuardedParser
from polyhop.settings import Serving
from polyhop.types import Document
from tests.worlds.jobs import Workplace
from tests.worlds.made_files import MADE


def test_every_format_is_read_within_the_limits_of_uploads(tmp_path: Path) -> None:
    loaders = registered()
    with GuardedParser(limits=Serving(file_memory=512, file_seconds=60)) as parser:
        for name, make in MADE.items():
            file = make(tmp_path / f"mill{loaders[name].suffixes[0]}")
            first = parser.documents(file, file.name)[0]
            assert isinstance(first, Document), first
            read_by = "text" if name == "gz" else name  # a packed file is what is in it
            assert first.media_type == loaders[read_by].media_type
            assert first.uri.startswith(file.name)


def test_a_message_is_uploaded_with_what_is_attached_to_it(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    content = MADE["eml"](tmp_path / "mill.eml").read_bytes()
    job = workplace.done(workplace.upload({"mill.eml": content}))
    assert job.state.value == "done", job
    assert workplace.stored() == {"mill.eml": content}
    workplace.close()
