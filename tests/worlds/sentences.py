"""Passages with what a parser might find in them: few names, spelled in many ways, so that they meet often."""

from __future__ import annotations

from hypothesis import strategies as st

from polyhop.indexes.names import normal
from polyhop.types import Mention, Passage, Sentence

Said = dict[int, tuple[Passage, list[Sentence]]]
NAMES = ("Ada Brisk", "ada  brisk", "Čapek", "Fennick", "The Fennick", "Quill\u00a0mouth", "霧島", "Oar \udcff", "1841")
LABELS = ("PERSON", "GPE", "DATE")


@st.composite
def sentences(draw: st.DrawFn, title: str) -> Sentence:
    mentions = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(LABELS), st.booleans()), max_size=4))
    found = [
        Mention(name=name, key=normal(name), label=label, start=1, end=2, head=head) for name, label, head in mentions
    ]
    if normal(title):
        found.insert(0, Mention(name=title, key=normal(title), label="TITLE", start=0, end=0, head=True))
    start = draw(st.integers(0, 9))
    said = draw(st.text(st.sampled_from("a#é \udcff"), max_size=6))
    return Sentence(start=start, end=start + len(said), hyperrelation=said, mentions=tuple(found))


@st.composite
def worlds(draw: st.DrawFn, most: int = 7) -> Said:
    """Passages by number, with what they say."""
    numbers = sorted(draw(st.sets(st.integers(1, 40), min_size=1, max_size=most)))
    found: Said = {}
    for number in numbers:
        title = draw(st.sampled_from(["", "***", *NAMES]))
        passage = Passage(id=str(number), document_id="d", ordinal=0, start=0, end=3, title=title, text="any")
        found[number] = passage, draw(st.lists(sentences(title), max_size=3))
    return found
