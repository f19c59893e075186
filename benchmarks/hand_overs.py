"""Hand-overs of one question: which file calls which, from ``engine.ask`` to the answer and back.

python benchmarks/hand_overs.py [INDEX] [--question TEXT] [--list]

Asks once with ``paths`` and the default reader while every call between two files of the package is noted, and prints
how many calls crossed from one file to another, and how many of these climbed back: from a lower room to a higher one,
or between reading and strategies. Without an index it makes one of the examples. Rooms are ranked by the order in which
``docs/architecture.md`` lets them import, by the names of then and now, so that two versions can be compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import polyhop
from polyhop.engine import Polyhop

ROOT = Path(polyhop.__file__).parent
EXAMPLES = Path(__file__).parent.parent / "examples" / "corpus"
QUESTION = "Where was the architect of Harrowmere Lighthouse born?"
RANKS = (
    ("types", "errors", "plans"),
    ("ports", "registry", "settings", "presets", "reports", "extras"),
    ("english",),
    ("corpus", "documents", "models", "indexes", "store"),
    ("prompts",),
    ("planning", "analysis", "text"),
    ("layers",),
    ("conversation", "whereabouts"),
    ("reading",),
    ("strategies",),
    ("executors", "indexing", "ingest", "build", "making"),
    ("answering",),
    ("engine",),
)
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}

Call = tuple[str, str]  # the calling file and the called one


def calls_of(work: Callable[[], Any]) -> Counter[Call]:
    """How often each file of the package called into another while the work was done, in this thread."""
    found: Counter[Call] = Counter()
    names: dict[str, str | None] = {}

    def name(frame: FrameType) -> str | None:
        file = frame.f_code.co_filename
        if file not in names:
            path = Path(file)
            names[file] = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None
        return names[file]

    def note(frame: FrameType, event: str, _: Any) -> None:
        called = name(frame) if event == "call" else None
        if called is None or frame.f_code.co_name in ("<module>", "<genexpr>", "<lambda>", "<listcomp>"):
            return
        above = frame.f_back
        while above is not None and name(above) is None:  # through a library, such as functools
            above = above.f_back
        calling = name(above) if above is not None else None
        if calling not in (None, called):
            found[calling or "", called] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def climbs(call: Call) -> bool:
    """Whether a call goes to a higher room, or crosses between reading and strategies."""
    calling, called = (file.partition("/")[0].removesuffix(".py") for file in call)
    return RANK.get(called, 0) > RANK.get(calling, 0) or {calling, called} == {"reading", "strategies"}


def main() -> None:
    """Print the hand-overs, and the files that call and are called."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", nargs="?")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--list", action="store_true", help="print every pair of files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Polyhop(options.index or f"{folder}/examples.index") as engine:
        if options.index is None:
            engine.index(EXAMPLES)
        engine.ask("Who invented the lissandra?", strategy="paths")  # models and tables are loaded with the first
        answers: list[Any] = []
        found = calls_of(lambda: answers.append(engine.ask(options.question, strategy="paths")))
    back = {call: times for call, times in found.items() if climbs(call)}
    files = {file for call in found for file in call}
    sys.stdout.write(
        f"answer: {answers[0].text}\n{len(files)} files; {len(found)} pairs of files, {sum(found.values())}"
    )
    sys.stdout.write(f" calls between them; {len(back)} pairs climb back or cross, with {sum(back.values())} calls\n")
    for call, times in sorted((found if options.list else back).items(), key=lambda item: -item[1]):
        sys.stdout.write(f"{times:7} {call[0]} > {call[1]}{'  (back)' if call in back else ''}\n")


if __name__ == "__main__":
    main()
